import Testing

@testable import RealmStorage

@Suite("Files for what does not fit in memory")
struct SpillFileTests {
  /// 300,000 bytes that repeat each 251 bytes, appended in parts of the given sizes.
  private func file(isEncrypted: Bool, parts: [Int]) throws -> (SpillFile, bytes: [UInt8]) {
    let bytes = (0..<300_000).map { UInt8($0 % 251) }
    let file = try SpillFile(isEncrypted: isEncrypted)
    var rest = bytes[...]
    var i = 0
    while !rest.isEmpty {
      let part = rest.prefix(parts[i % parts.count])
      unsafe try part.withUnsafeBytes { try unsafe file.append($0) }
      rest = rest.dropFirst(part.count)
      i += 1
    }
    return (file, bytes)
  }

  private func read(_ count: Int, at offset: Int, of file: SpillFile) throws -> [UInt8] {
    let store = ByteStore()
    try file.read(at: offset, count: count, into: store)
    return unsafe Array(store.bytes)
  }

  @Test(
    "bytes come back from any place, encrypted or not", arguments: [false, true],
    [[300_000], [1, 15, 16, 17, 4096], [70_001]])
  func roundTrip(isEncrypted: Bool, parts: [Int]) throws {
    let (file, bytes) = try file(isEncrypted: isEncrypted, parts: parts)
    #expect(file.byteCount == bytes.count)
    for (offset, count) in [
      (0, 300_000), (1, 15), (15, 2), (16, 16), (65_535, 70_000), (299_999, 1),
    ] {
      #expect(
        try read(count, at: offset, of: file) == Array(bytes[offset..<offset + count]),
        "\(count) bytes at \(offset)")
    }
  }

  @Test("encrypted bytes are not in the file, and equal bytes differ there")
  func encrypted() throws {
    func stored(_ isEncrypted: Bool) throws -> (stored: [UInt8], bytes: [UInt8]) {
      let (file, bytes) = try file(isEncrypted: isEncrypted, parts: [4096])
      var stored = [UInt8](repeating: 0, count: bytes.count)
      let count = unsafe try stored.withUnsafeMutableBytes {
        try unsafe file.file.read(at: 0, into: $0)
      }
      #expect(count == bytes.count)
      return (stored, bytes)
    }
    let plain = try stored(false)
    #expect(plain.stored == plain.bytes)
    let (one, bytes) = try stored(true)
    // A random byte is right once in 256 times.
    #expect(zip(one, bytes).count { $0 == $1 } < bytes.count / 100)
    // The plain bytes repeat after 251 * 16 bytes, which are whole blocks.
    #expect(zip(one, one.dropFirst(4016)).count { $0 == $1 } < bytes.count / 100)
    #expect(try stored(true).stored != one)
  }
}
