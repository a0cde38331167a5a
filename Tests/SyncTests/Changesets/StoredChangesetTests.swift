import RealmStorage
import RealmSync
import TestSupport
import Testing

@Suite("Stored changesets")
struct StoredChangesetTests {
  private func unwrap(_ bytes: [UInt8]) throws -> [UInt8] {
    try StoredChangeset(lastingSlice(bytes)).unwrapped()
  }

  /// The deflate stream of 300 bytes "a" and the Adler-32 of these, made by Python's zlib.
  private let deflated = "4b 4c 1c 05 c4 86 00 00 d8 a8 71 ad"

  @Test("an uncompressed changeset is the rest of the bytes")
  func plain() throws {
    #expect(try unwrap([0x01, 0x02, 7, 8]) == [7, 8])
    #expect(try unwrap([0x02, 0x02, 0x00, 7, 8]) == [7, 8])
  }

  @Test("a deflate stream without its header gives its bytes")
  func deflate() throws {
    #expect(
      try unwrap([0x12, 0x2C, 0x01] + hexadecimalBytes(deflated))
        == [UInt8](repeating: 0x61, count: 300))
  }

  @Test(
    "a wrapper that contradicts itself is damaged",
    arguments: [
      "00 01", "09 01", "01", "01 03 07 08", "31 01 07", "11 01 03 00",
      "08 ff ff ff ff ff ff ff ff 00",
    ])
  func damaged(bytes: String) {
    let failure = #expect(throws: StoredChangeset.Failure.self) {
      _ = try unwrap(hexadecimalBytes(bytes))
    }
    guard case .damaged = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test("a wrong size, a wrong checksum and a stream that goes on are damaged")
  func damagedStream() {
    let stream = hexadecimalBytes(deflated)
    var flipped = stream
    flipped[flipped.count - 1] ^= 1
    for bytes in [
      [0x12, 0x2D, 0x01] + stream, [0x12, 0x2B, 0x01] + stream, [0x12, 0x2C, 0x01] + flipped,
      [0x12, 0x2C, 0x01] + stream + [0],
    ] {
      #expect(throws: StoredChangeset.Failure.self) { _ = try unwrap(bytes) }
    }
  }

  @Test("a size beyond what the stream can hold allocates nothing")
  func bomb() {
    #expect(throws: StoredChangeset.Failure.self) {
      _ = try unwrap([0x14, 0, 0, 0, 0x0F] + hexadecimalBytes(deflated))
    }
  }

  /// One of the two forms in the reference's own test files of schema version 12.
  @Test("a wrapper of early builds is recognised and unwrapped")
  func early() throws {
    let bytes: [UInt8] = [0x26, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 7, count: 0x26)
    #expect(try unwrap(bytes) == Array(repeating: 7, count: 0x26))
    #expect(try StoredChangeset(lastingSlice(bytes)).isEarly)
    #expect(try !StoredChangeset(lastingSlice([0x01, 0x02, 7, 8])).isEarly)
  }

  /// The head of a zlib stream is 78 01 at the level of these builds.
  @Test("compressed changesets of early builds are recognised and unwrapped")
  func earlyCompressed() throws {
    let size: [UInt8] = [0x2C, 0x01, 0, 0, 0, 0, 0, 0]
    let bytes = size + [0x78, 0x01] + hexadecimalBytes(deflated)
    #expect(try StoredChangeset(lastingSlice(bytes)).isEarly)
    #expect(try unwrap(bytes) == [UInt8](repeating: 0x61, count: 300))
    // 78 02 is no head of a zlib stream, and 2C is no wrapper of a released build.
    #expect(throws: StoredChangeset.Failure.self) {
      _ = try unwrap(size + [0x78, 0x02] + hexadecimalBytes(deflated))
    }
    let lzfse = #expect(throws: StoredChangeset.Failure.self) {
      _ = try unwrap(size + [0x09, 0x00] + hexadecimalBytes("62 76 78 2d"))
    }
    guard case .unsupported = lzfse else {
      Issue.record("\(String(describing: lzfse))")
      return
    }
  }

  /// As the wrapper of an early build, this would be a compressed changeset of 0x1001 bytes.
  @Test("a changeset of a released build is not taken for one of an early build")
  func notEarly() throws {
    let changeset: [UInt8] = [0, 0, 0, 0, 0, 0, 0x78, 0x01] + [UInt8](repeating: 7, count: 8)
    let stored = try StoredChangeset(lastingSlice([0x01, 0x10] + changeset))
    #expect(!stored.isEarly)
    #expect(try stored.unwrapped() == changeset)
  }

  @Test("LZFSE is unsupported, not damage")
  func lzfse() {
    let failure = #expect(throws: StoredChangeset.Failure.self) {
      _ = try unwrap([0x21, 5, 1, 2, 3])
    }
    guard case .unsupported = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
