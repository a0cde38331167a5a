import RealmInterchange
import RealmStorage
import Testing

/// The bytes that `write` appends.
func bytesWritten(_ write: (inout TextBuffer) -> Void) -> [UInt8] {
  var buffer = TextBuffer(capacity: 0)
  write(&buffer)
  return unsafe buffer.withUnsafeBytes { bytes in unsafe Array(bytes) }
}

/// The string that `write` appends.
func textWritten(_ write: (inout TextBuffer) -> Void) -> String {
  String(decoding: bytesWritten(write), as: UTF8.self)
}

/// Calls `body` with `bytes` as a slice of exactly their size.
func withSlice<R>(_ bytes: some Sequence<UInt8>, _ body: (ByteSlice) -> R) -> R {
  let bytes = Array(bytes)
  // A slice has a first byte even when it is empty.
  let block = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
  defer { unsafe block.deallocate() }
  unsafe bytes.withUnsafeBytes { source in unsafe block.copyMemory(from: source) }
  return body(unsafe ByteSlice(start: block, count: bytes.count))
}

extension UnsafeMutableRawPointer {
  /// Copies all of `source`.
  fileprivate func copyMemory(from source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    unsafe copyMemory(from: start, byteCount: source.count)
  }
}

/// Random numbers that are the same in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

@Suite("Text buffer")
struct TextBufferTests {
  @Test("everything appended comes out in order")
  func order() {
    let text = textWritten { buffer in
      buffer.append(0x7B)
      buffer.append("literal")
      buffer.append("x")
      buffer.append("")
      buffer.append(String(repeating: "é", count: 2))
      withSlice("slice".utf8) { buffer.append($0) }
      withSlice([]) { buffer.append($0) }
      buffer.append(bytes: [0x61, 0x62])
      buffer.append(bytes: [])
    }
    #expect(text == "{literalxéésliceab")
  }

  @Test("appended bytes survive growing")
  func growing() {
    var expected: [UInt8] = []
    let bytes = bytesWritten { buffer in
      for index in 0..<100_000 {
        buffer.append(UInt8(truncatingIfNeeded: index))
        expected.append(UInt8(truncatingIfNeeded: index))
      }
      let long = [UInt8](repeating: 7, count: 1 << 20)
      buffer.append(bytes: long)
      expected += long
    }
    #expect(bytes == expected)
  }

  @Test("an emptied buffer has no bytes and is usable again", arguments: [true, false])
  func emptying(keepingCapacity: Bool) {
    var buffer = TextBuffer()
    buffer.append(bytes: [UInt8](repeating: 1, count: 1 << 20))
    #expect(buffer.count == 1 << 20)
    buffer.removeAll(keepingCapacity: keepingCapacity)
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    buffer.append("again")
    let text = unsafe buffer.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    #expect(text == "again")
  }
}
