/// Bytes that are appended one behind the other and looked up by position. Belongs to one thread at a time while it
/// grows; may be read from several afterwards.
@safe
package final class ByteStore: @unchecked Sendable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// Bytes in the store: the position of those that are appended next.
  package private(set) var count = 0

  package init(capacity: Int = 64) {
    self.capacity = max(capacity, 64)
    unsafe memory = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  package func removeAll() { count = 0 }

  @unsafe
  private func room(for count: Int) -> UnsafeMutableRawPointer {
    if self.count + count > capacity {
      capacity = max(2 * capacity, self.count + count)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe larger.copyMemory(from: memory, byteCount: self.count)
      unsafe memory.deallocate()
      unsafe memory = larger
    }
    return unsafe memory + self.count
  }

  package func append(_ byte: UInt8) {
    unsafe room(for: 1).storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  package func append(_ number: UInt64) {
    unsafe room(for: 8).storeBytes(of: number.littleEndian, as: UInt64.self)
    count += 8
  }

  package func append(_ bytes: ByteSlice) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe room(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }
    count += bytes.count
  }

  package func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe room(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }
    count += bytes.count
  }

  package func append(_ other: ByteStore) { append(other.slice(at: 0, count: other.count)) }

  /// `count` bytes from `position` on, which must be there; readable until bytes are appended.
  package func slice(at position: Int, count: Int) -> ByteSlice {
    precondition(position >= 0 && count >= 0 && position + count <= self.count)
    return unsafe ByteSlice(start: UnsafeRawPointer(memory + position), count: count)
  }

  /// The number whose eight bytes were appended at `position`.
  package func number(at position: Int) -> UInt64 {
    slice(at: position, count: 8).littleEndian(at: 0)
  }
}
