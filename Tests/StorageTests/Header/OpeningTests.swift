import Foundation
import TestSupport
import Testing

@testable import RealmStorage

/// The error of opening the file at `path`; nil if it opens.
func refusal(
  _ path: String, key: RealmKey? = nil, version: Snapshot.Version = .latest
) -> RealmFileError? {
  do throws(RealmFileError) {
    _ = try Snapshot(path: path, key: key, version: version)
    return nil
  } catch {
    return error
  }
}

/// A key of 64 equal bytes.
func testKey(_ byte: UInt8) throws -> RealmKey {
  try RealmKey(bytes: [UInt8](repeating: byte, count: 64))
}

/// The 72 bytes of chapter 1, section 9.1: a real file of format 20.
let smallestStreaming = hexadecimalBytes(
  """
  FFFFFFFFFFFFFFFF 0000000000000000 542D4442 1400 0000
  4141414108000000 4141414140000000 4141414145000003 1800 2000 7100 0000
  2800000000000000 C826E53752123430
  """)

/// The first bytes of section 9.2 in a file of 4096: two commits of an empty realm; the bytes that the
/// chapter does not show are in free space.
let twoCommits: [UInt8] = {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let parts: [(Int, String)] = [
    (0x00, "1001000000000000 8000000000000000 542D4442 1818 00 00"),
    (0x18, "4141414108000000 4141414140000000"),
    (0x30, "4141414111000000"),
    (
      0x80,
      """
      414141414600000B 18000000 20000000 01200000 58000000 68000000 78000000 05000000 05000000
      48000000 03000000 01000000
      """
    ),
    (0xB8, "4141414100000001 4141414101000001 0000000000000000"),
    (0xD0, "4141414145000003 B80030 00C000 0000"),
    (0xE0, "4141414105000003 280038004801 0000"),
    (0xF0, "4141414105000003 08008000B80E 0000"),
    (0x100, "4141414102000003 0F00000000000000"),
    (
      0x110,
      """
      414141414600000B 18000000 20000000 01200000 E0000000 F0000000 00010000 07000000 05000000
      D0000000 03000000 01000000
      """
    ),
  ]
  for (offset, text) in parts {
    let part = hexadecimalBytes(text)
    bytes.replaceSubrange(offset..<(offset + part.count), with: part)
  }
  return bytes
}()

@Suite("Opening a realm")
struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func kind(_ bytes: [UInt8], key: RealmKey? = nil) throws -> RealmFileError.Kind? {
    refusal(try folder.write(bytes, to: "x.realm"), key: key)?.kind
  }

  @Test("the smallest file in streaming form is read by its footer")
  func streaming() throws {
    let snapshot = try Snapshot(path: folder.write(smallestStreaming, to: "x.realm"))
    #expect(snapshot.header.isStreaming)
    #expect(snapshot.format == 20)
    #expect((snapshot.top.ref, snapshot.top.count) == (40, 3))
    #expect((snapshot.top.tableNames, snapshot.top.tables) == (24, 32))
    #expect((snapshot.top.logicalSize, snapshot.top.version) == (56, 1))
    #expect(snapshot.top.freeList == nil)
    #expect(snapshot.top.slots == [24, 32, 113])
    #expect(refusal(snapshot.path, version: .previous)?.kind == .noPreviousVersion)
  }

  @Test(
    "the live slot of a file in normal form names the newest commit, the other slot the one before")
  func normalForm() throws {
    let path = try folder.write(twoCommits, to: "x.realm")
    let latest = try Snapshot(path: path)
    #expect((latest.top.ref, latest.top.version, latest.format) == (0x110, 3, 24))
    #expect((latest.top.historyType, latest.top.history) == (2, 0xD0))
    #expect(latest.top.historySchemaVersion == 1)
    #expect(latest.top.logicalSize == 4096)
    #expect(latest.top.freeList?.positions == 0xE0)
    #expect(latest.top.freeList?.versions == 0x100)
    let reader = try latest.makeReader()
    try withExtendedLifetime(reader) { () throws in
      #expect(try reader.node(at: 0xE0).integers() == [40, 56, 328])
      #expect(try reader.node(at: 0xF0).integers() == [8, 128, 3768])
      #expect(try reader.node(at: 0x100).integers() == [3, 3, 0])
    }

    let previous = try Snapshot(path: path, version: .previous)
    #expect((previous.top.ref, previous.top.version) == (0x80, 2))
    try previous.prove()
  }

  @Test("the version before is found although the newest top array is damaged")
  func previousOfDamaged() throws {
    var bytes = twoCommits
    bytes[0x114] = 0xFF
    let path = try folder.write(bytes, to: "x.realm")
    #expect(
      refusal(path)?.kind == .damagedHeader("the top ref does not refer to a top array"))
    #expect(try Snapshot(path: path, version: .previous).top.version == 2)
  }

  @Test("a newer commit in the other slot was never finished, and is no version before")
  func unfinishedCommit() throws {
    var bytes = twoCommits
    bytes[23] = 1
    let path = try folder.write(bytes, to: "x.realm")
    #expect(try Snapshot(path: path).top.version == 2)
    #expect(refusal(path, version: .previous)?.kind == .noPreviousVersion)
  }

  @Test("a header without any commit is an empty realm", arguments: [0, 24] as [UInt8])
  func noCommit(format: UInt8) throws {
    for size in [0, 4072] {
      let bytes = realmBytes(
        top: 0, formats: (format, 0), body: [UInt8](repeating: 0, count: size))
      let snapshot = try Snapshot(path: folder.write(bytes, to: "x.realm"))
      #expect((snapshot.top.ref, snapshot.top.version) == (0, 1))
      #expect(snapshot.top.logicalSize == 24)
      try snapshot.prove()
    }
  }

  @Test("an empty file is reported as empty")
  func empty() throws { #expect(try kind([]) == .empty) }

  @Test("a missing file or a folder is unreadable, with its path")
  func unreadable() throws {
    let missing = refusal(folder.path("missing.realm"))
    #expect(missing?.kind == .unreadable(SystemError(ENOENT, "open the file")))
    #expect(missing?.path == folder.path("missing.realm"))
    #expect(
      refusal(folder.url.path)?.kind == .unreadable(SystemError(EISDIR, "read this as a file")))
  }

  @Test("the error for another file type names the type")
  func foreign() throws {
    let examples: [(start: [UInt8], found: String?)] = [
      (Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 200, count: 60), "a ZIP archive"),
      (Array("{\"name\": \"Frodo\", \"age\": 51}\n".utf8), "text"),
      (Array("hello".utf8), "text"),
      ([1, 2, 3], "a file of 3 bytes; a realm has at least 24"),
      ([UInt8](repeating: 0, count: 4096), "a file that starts with zeros"),
      (Array("SQLite format 3\0".utf8) + [UInt8](repeating: 16, count: 100), "an SQLite database"),
      ([UInt8](repeating: 200, count: 64), nil),
    ]
    for example in examples {
      for key in [nil, try testKey(1)] {
        let path = try folder.write(example.start, to: "x.realm")
        let error = try #require(refusal(path, key: key))
        #expect(error.kind == .notARealm)
        #expect(error.found == example.found)
      }
    }
  }

  @Test("a file from before the mnemonic is no realm")
  func beforeMnemonic() throws {
    let bytes = hexadecimalBytes("f0000000000000000d00000100008000656d706c6f796565")
    #expect(try kind(bytes + [UInt8](repeating: 0, count: 232)) == .notARealm)
  }

  @Test("a truncated header is reported with the number of missing bytes")
  func cutHeader() throws {
    #expect(try kind(Array(twoCommits[..<20])) == .truncated(missingBytes: 4))
    #expect(try kind(Array(twoCommits[..<23])) == .truncated(missingBytes: 1))
  }

  @Test("a truncated file in normal form is reported with the known number of missing bytes")
  func truncated() throws {
    // After the live top array, which has the logical size.
    #expect(try kind(Array(twoCommits[..<0x400])) == .truncated(missingBytes: 3072))
    #expect(try kind(Array(twoCommits[..<0x401])) == .truncated(missingBytes: 3071))
    // In the middle of it, which ends at 0x144.
    #expect(try kind(Array(twoCommits[..<0x120])) == .truncated(missingBytes: 0x28))
    // In front of it.
    #expect(try kind(Array(twoCommits[..<0x100])) == .truncated(missingBytes: 0x18))
    #expect(try kind(Array(twoCommits[..<24])) == .truncated(missingBytes: 0x100))
  }

  @Test("a file in streaming form that is truncated or extended has lost its end")
  func truncatedStreaming() throws {
    #expect(try kind(Array(smallestStreaming[..<64])) == .truncated(missingBytes: nil))
    #expect(
      try kind(smallestStreaming + [UInt8](repeating: 0, count: 8)) == .truncated(missingBytes: nil)
    )
    #expect(try kind(Array(smallestStreaming[..<32])) == .truncated(missingBytes: 8))
    #expect(try kind(Array(smallestStreaming[..<24])) == .truncated(missingBytes: 16))
  }

  @Test("a size that is not a multiple of 8 is refused if no bytes are missing")
  func oddSize() throws {
    let expected = "the file has 4099 bytes, expected a multiple of 8"
    #expect(try kind(twoCommits + [1, 2, 3]) == .damagedHeader(expected))
  }

  @Test("invalid top refs are damage of the header")
  func badTopRef() throws {
    let body = [UInt8](repeating: 0, count: 72)
    #expect(
      try kind(realmBytes(top: 28, body: body))
        == .damagedHeader("the top ref is 28, expected a multiple of 8"))
    #expect(
      try kind(realmBytes(top: 8, body: body))
        == .damagedHeader("the top ref is 8, expected at least 24"))
    #expect(
      try kind(realmBytes(top: -8, body: body))
        == .damagedHeader("the top ref is 18446744073709551608, expected less than 2⁶³"))
    #expect(try kind(realmBytes(top: 96, body: body)) == .truncated(missingBytes: 8))
    #expect(
      try kind(realmBytes(top: Int.max - 7, body: body)) == .truncated(missingBytes: Int.max - 95))
  }

  @Test("top arrays of other lengths are refused", arguments: [0, 1, 2, 4, 6, 8, 13, 0xFFFFFF])
  func badTopCount(count: Int) throws {
    let top = node(flags: 0x45, count: count, [24, 0, 24, 0, 0x81, 0])
    let bytes = realmBytes(top: 24, body: top + [UInt8](repeating: 0, count: 64))
    let expected = "the top array has \(count) slots, expected 3, 5, 7 or 9 to 12"
    #expect(try kind(bytes) == .damagedHeader(expected))
  }

  @Test("the two slots that every top array has must be refs below the logical size")
  func badTopSlots() throws {
    // 104 bytes: header, top array, and 64 bytes more; 0xD1 is the tagged logical size.
    let rest = [UInt8](repeating: 0, count: 64)
    func open(_ names: UInt8, _ tables: UInt8, _ size: UInt8) throws -> RealmFileError.Kind? {
      let top = node(flags: 0x45, count: 3, [names, 0, tables, 0, size, 0])
      return try kind(realmBytes(top: 24, body: top + rest))
    }
    #expect(try open(40, 48, 0xD1) == nil)
    for (names, tables, slot, found) in [(0, 48, 0, 0), (41, 48, 0, 41), (40, 120, 1, 120)] {
      let expected = "slot \(slot) of the top array is \(found), expected a ref up to 104"
      #expect(try open(UInt8(names), UInt8(tables), 0xD1) == .damagedHeader(expected))
    }
    #expect(try open(40, 48, 0xD3) == .truncated(missingBytes: 1))
    #expect(
      try open(40, 48, 0x41) == .damagedHeader("the logical size is 32, expected at least 40"))
  }

  @Test("a damaged free list does not prevent reading")
  func damagedFreeList() throws {
    var bytes = twoCommits
    bytes[0x124] = 0xE1
    let snapshot = try Snapshot(path: folder.write(bytes, to: "x.realm"))
    #expect(snapshot.top.freeList == nil)
    #expect(snapshot.top.slots[3] == 0xE1)
  }

  @Test("unsupported formats are reported, even with an invalid top array")
  func formats() throws {
    func open(_ format: UInt8, top: Int) throws -> RealmFileError.Kind? {
      try kind(
        realmBytes(top: top, formats: (format, 24), body: [UInt8](repeating: 255, count: 72)))
    }
    #expect(try open(1, top: 24) == .oldFormat(1))
    for format in 2...9 as ClosedRange<UInt8> {
      #expect(try open(format, top: 24) == open(24, top: 24))
    }
    #expect(try open(25, top: 24) == .newerFormat(25))
    #expect(try open(25, top: 0) == .newerFormat(25))
    #expect(try open(255, top: 4096) == .newerFormat(255))
    #expect(try open(15, top: 24) == .damagedHeader("file format 15 never existed"))
    #expect(try open(0, top: 24) == .damagedHeader("the file format is 0, but there is a commit"))
  }

  @Test("the format of the live slot counts, not that of the other")
  func formatOfSlot() throws {
    var bytes = twoCommits
    bytes[21] = 9
    let path = try folder.write(bytes, to: "x.realm")
    #expect(try Snapshot(path: path).format == 24)
    #expect(try Snapshot(path: path, version: .previous).isLegacy)
    bytes[21] = 1
    let older = try folder.write(bytes, to: "older.realm")
    #expect(refusal(older, version: .previous)?.kind == .oldFormat(1))
  }

  @Test("an unknown history kind is reported")
  func unknownHistory() throws {
    var bytes = twoCommits
    bytes[0x110 + 8 + 28] = 11
    #expect(try kind(bytes) == .unknownHistory(5))
  }

  @Test("every golden realm opens with its key only")
  func golden() throws {
    #expect(Golden.names.count > 20)
    let key = try Golden.key("people-encrypted")
    for name in Golden.names {
      let path = Golden.path(name + ".realm")
      let isEncrypted = name == "people-encrypted"
      let snapshot = try Snapshot(path: path, key: isEncrypted ? key : nil)
      #expect(snapshot.format == 24)
      #expect(snapshot.use == .free)
      try snapshot.prove()
      let reader = try snapshot.makeReader()
      let names = try reader.node(at: snapshot.top.tableNames)
      #expect(names.header.widthType == .multiply)
      #expect(
        refusal(path, key: isEncrypted ? nil : key)?.kind
          == (isEncrypted ? .keyMissing : .notEncrypted))
    }
  }

  @Test("files of any length and with any changed byte end in a result or an error")
  func mutations() throws {
    let seed: UInt64 = 0x5EED
    var random = SplitMix64(seed: seed)
    for original in [twoCommits, smallestStreaming] {
      for _ in 0..<1500 {
        var bytes = original
        for _ in 0...Int.random(in: 0...2, using: &random) {
          bytes[Int.random(in: 0..<min(0x148, bytes.count), using: &random)] = .random(
            in: 0...255, using: &random)
        }
        if Bool.random(using: &random) {
          bytes.removeSubrange(Int.random(in: 0...bytes.count, using: &random)...)
        }
        let path = try folder.write(bytes, to: "x.realm")
        for version in [Snapshot.Version.latest, .previous] {
          guard let snapshot = try? Snapshot(path: path, version: version),
            let reader = try? snapshot.makeReader()
          else { continue }
          withExtendedLifetime(reader) {
            _ = try? reader.node(at: snapshot.top.tables).integers()
          }
        }
      }
    }
  }
}

@Suite("Public realms", .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct CorpusOpeningTests {
  @Test("each realm opens, or is refused for a reason that fits its format")
  func corpus() throws {
    let folder = try #require(corpusFolder)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var opened = 0
    for case let file as URL in try #require(files)
    where file.lastPathComponent.contains("@")
      && !file.deletingLastPathComponent().lastPathComponent.hasPrefix("truth")
    {
      let bytes = [UInt8](try Data(contentsOf: file))
      let error = refusal(file.path)
      switch error?.kind {
      case nil: opened += 1
      case .oldFormat, .keyMissing: break
      case .notARealm: #expect(!FileHeader.hasMnemonic(bytes), "\(file.lastPathComponent)")
      default: Issue.record("\(String(describing: error))")
      }
    }
    #expect(opened > 50)
  }
}
