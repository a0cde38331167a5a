/// Recognises other kinds of files by their first bytes, so that the user notices a mix-up.
package enum ForeignContent {
  /// The description of files that TightDB wrote before there was a header with a format.
  package static let beforeFormats =
    "a file of TightDB from before its first file format, which no later version reads"

  /// The description of files whose first bytes are all zero: also of realms with a destroyed header.
  package static let zeros = "a file that starts with zeros"

  /// First bytes of file types that users mistake for realms.
  private static let signatures: [(start: [UInt8], name: String)] = [
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x1F, 0x8B], "gzip-compressed data"),
    ([0x28, 0xB5, 0x2F, 0xFD], "zstd-compressed data"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz-compressed data"),
    (Array("7z\u{BC}".unicodeScalars.map { UInt8($0.value) }), "a 7z archive"),
    (Array("SQLite format 3".utf8), "an SQLite database"),
    (Array("bplist00".utf8), "a binary property list"),
    (Array("version https://git-lfs".utf8), "a pointer of Git LFS to a file that was not fetched"),
  ]

  /// A short description of a file that is not a realm, by its first bytes; nil if it is unknown.
  ///
  /// - Parameters:
  ///   - start: at least the first 24 bytes of the file, or all of it if there are fewer.
  ///   - size: bytes of the whole file.
  package static func name(start: [UInt8], size: Int) -> String? {
    if let known = signatures.first(where: { start.starts(with: $0.start) }) { return known.name }
    if isBeforeFormats(start, size: size) {
      return beforeFormats
    }
    if start.allSatisfy({ $0 == 0 }) { return zeros }
    let isText = start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    if isText, String(validating: start, as: UTF8.self) != nil { return "text" }
    if size < FileHeader.byteCount {
      return
        "a file of \(size) byte\(size == 1 ? "" : "s"); a realm has at least \(FileHeader.byteCount)"
    }
    return nil
  }

  /// Whether a file starts like those that TightDB wrote before there was a header: with the ref of the top
  /// array, then a node of strings whose first byte holds its flags (chapter 5, section 14).
  private static func isBeforeFormats(_ start: [UInt8], size: Int) -> Bool {
    guard start.count >= FileHeader.byteCount else { return false }
    let top = littleEndian(start[0..<8])
    return top & 7 == 0 && top >= 8 && top < UInt64(size) && start[8] & 0x18 == 0x08
      && start[9] == 0 && start[10] == 0 && start[11] > 0 && start[12] == 0
  }
}
