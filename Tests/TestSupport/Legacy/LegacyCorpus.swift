package import Foundation
package import RealmStorage

/// A realm of formats 2 to 9 from a public repository, with the contents that the last library for it reads.
package struct LegacyFile: CustomStringConvertible, Sendable {
  /// `repository/file`.
  package let name: String
  package let path: String
  package let truth: URL

  package var description: String { name }

  /// The keys of the encrypted realms, by a part of their names (INDEX.md of the corpus).
  private static let keys: [(part: String, bytes: [UInt8])] = [
    ("alltypes-default-encrypted", Array(repeating: 1, count: 64)),
    (
      "shared_decrypt_",
      Array("1234567890123456789012345678901123456789012345678901234567890123".utf8)
    ),
  ]

  package var key: RealmKey? {
    LegacyFile.key(ofFile: name).flatMap { try? RealmKey(bytes: $0) }
  }

  /// The 64 bytes of the key of a realm; nil if it is not encrypted.
  package static func key(ofFile name: String) -> [UInt8]? {
    keys.first { name.contains($0.part) }?.bytes
  }

  /// All realms that the library exported.
  package static let all: [LegacyFile] = {
    guard let folder = corpusFolder else { return [] }
    let truths = folder.appending(path: "truth-core5")
    let texts = (try? FileManager.default.contentsOfDirectory(atPath: truths.path)) ?? []
    return texts.sorted().filter { $0.hasSuffix(".txt") }.compactMap { text in
      let name = text.dropLast(".txt".count)
      guard let end = name.range(of: "__") else { return nil }
      let path = name[..<end.lowerBound] + "/" + name[end.upperBound...]
      return LegacyFile(
        name: String(path), path: folder.appending(path: String(path)).path,
        truth: truths.appending(path: text))
    }
  }()
}

extension LegacyFile {
  /// A realm that the library did not export.
  package init(path: String) {
    let url = URL(filePath: path)
    self.init(name: url.lastPathComponent, path: path, truth: url)
  }
}

/// The contents of a realm that the library reads (README.md of its exports).
package struct LegacyTruth {
  package struct Column {
    package var name: String
    package var type: Int
    package var isNullable: Bool
    package var isIndexed: Bool
    /// Whether this is a column of subtables without columns.
    package var isEmptyTable: Bool
    /// Position of the target table of links.
    package var target: Int?
  }

  package struct Table {
    package var name: String
    package var rowCount: Int
    package var columns: [Column] = []
    /// Each row has a string for each column.
    package var rows: [[String]] = []
  }

  package private(set) var tables: [Table] = []

  package init(_ url: URL) throws {
    for line in String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        .map(String.init)
      switch words[0] {
      case "T":
        tables.append(Table(name: LegacyTruth.text(words[1]), rowCount: Int(words[2]) ?? -1))
      case "C":
        let rest = words[3].split(separator: " ").map(String.init)
        tables[tables.count - 1].columns.append(
          Column(
            name: LegacyTruth.text(words[2]), type: Int(rest[0]) ?? -1, isNullable: rest[1] == "1",
            isIndexed: rest[2] == "1",
            isEmptyTable: rest.last == "{}",
            target: rest.count > 3 && rest[3].hasPrefix(">") ? Int(rest[3].dropFirst()) : nil))
      default:
        let (last, row) = (tables.count - 1, Int(words[1]) ?? 0)
        while tables[last].rows.count <= row { tables[last].rows.append([]) }
        tables[last].rows[row].append(words.dropFirst(3).joined(separator: " "))
      }
    }
  }

  private static func text(_ hex: String) -> String {
    var bytes: [UInt8] = []
    var rest = hex[...]
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
