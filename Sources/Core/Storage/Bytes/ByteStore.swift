#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A growing block of bytes: values are appended, and read by position. Belongs to one thread at a time while
/// it grows; several threads may read it afterwards.
@safe
package final class ByteStore: @unchecked Sendable {
  // Unchecked: one thread uses the store at a time, accesses never nest, and checking an access for
  // exclusivity would take longer than the access itself.
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private var used = 0

  package init() {}

  /// Bytes in the store; also the position of the next appended byte.
  package var count: Int { unsafe used }

  deinit { unsafe free(memory) }

  /// Removes all bytes.
  ///
  /// - Parameter keepingMemory: whether the store keeps its memory for new bytes.
  package func removeAll(keepingMemory: Bool = true) {
    unsafe used = 0
    guard !keepingMemory else { return }
    unsafe free(memory)
    unsafe memory = nil
    unsafe capacity = 0
  }

  /// Gives back the memory that no byte uses.
  package func releaseSpareMemory() {
    guard unsafe used > 0, unsafe capacity > used else { return }
    unsafe memory = resizedMemory(memory, used)
    unsafe capacity = used
  }

  /// Room for `count` bytes after the last one.
  @unsafe
  private func room(for count: Int) -> UnsafeMutableRawPointer {
    if unsafe used + count > capacity || capacity == 0 {
      unsafe capacity = max(2 * capacity, used + count, 64)
      unsafe memory = resizedMemory(memory, capacity)
    }
    return unsafe memory.unsafelyUnwrapped + used
  }

  /// All bytes.
  @unsafe
  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: memory, count: count) }

  /// Replaces the content with `count` bytes that `read` provides.
  ///
  /// - Throws: the errors of `read`, after which the store is empty.
  @unsafe
  func refill(
    _ count: Int, _ read: (UnsafeMutableRawBufferPointer) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    unsafe used = 0
    try unsafe read(UnsafeMutableRawBufferPointer(start: room(for: count), count: count))
    unsafe used = count
  }

  package func append(_ byte: UInt8) {
    unsafe room(for: 1).storeBytes(of: byte, as: UInt8.self)
    unsafe used += 1
  }

  package func append(_ number: UInt64) {
    unsafe room(for: 8).storeBytes(of: number.littleEndian, as: UInt64.self)
    unsafe used += 8
  }

  /// Appends the lowest `count` bytes, at most 16, of the number `high`·2⁶⁴ + `low`, the lowest first.
  package func append(_ low: UInt64, _ high: UInt64, count: Int) {
    precondition(count >= 0 && count <= 16)
    let place = unsafe room(for: 16)
    unsafe place.storeBytes(of: low.littleEndian, as: UInt64.self)
    unsafe place.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
    unsafe used += count
  }

  package func append(_ numbers: [Int64]) {
    let place = unsafe room(for: 8 * numbers.count)
    for (i, number) in numbers.enumerated() {
      unsafe place.storeBytes(of: number.littleEndian, toByteOffset: 8 &* i, as: Int64.self)
    }
    unsafe used += 8 * numbers.count
  }

  package func append(_ bytes: ByteSlice) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe room(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }
    unsafe used += bytes.count
  }

  package func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe room(for: bytes.count).copyMemory(from: start, byteCount: bytes.count)
    }
    unsafe used += bytes.count
  }

  package func append(_ other: ByteStore) { append(other.slice(at: 0, count: other.count)) }

  /// The `count` bytes at `position`, which must exist; readable until bytes are appended.
  package func slice(at position: Int, count: Int) -> ByteSlice {
    precondition(position >= 0 && count >= 0 && position + count <= self.count)
    guard let memory = unsafe memory else { return .empty }
    return unsafe ByteSlice(start: UnsafeRawPointer(memory + position), count: count)
  }

  /// Whether the `count` bytes at `a` equal those at `b`; all must exist.
  package func areEqual(_ a: Int, _ b: Int, count: Int) -> Bool {
    slice(at: a, count: count) == slice(at: b, count: count)
  }

  /// The number whose eight bytes were appended at `position`.
  package func number(at position: Int) -> UInt64 {
    slice(at: position, count: 8).littleEndian(at: 0)
  }
}

/// Moves `memory` into a block of `byteCount` bytes. Uses `realloc`, which on some systems moves large blocks
/// without copying them.
///
/// Callers need room for bytes that the program has in memory or wrote itself; no size comes from a file. If
/// there is no memory, the program ends, as with a Swift array.
@unsafe
func resizedMemory(
  _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
) -> UnsafeMutableRawPointer {
  guard let resized = unsafe realloc(memory, byteCount) else {
    preconditionFailure("there is no memory for \(byteCount) bytes")
  }
  return unsafe resized
}
