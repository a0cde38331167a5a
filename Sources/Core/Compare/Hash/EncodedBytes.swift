import RealmStorage

/// A growing buffer for encoded values. Appending to it is the innermost loop of a content hash.
@safe
struct EncodedBytes: ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// Number of bytes.
  private(set) var count = 0

  init() {
    capacity = 1 << 12
    unsafe memory = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { unsafe memory.deallocate() }

  mutating func removeAll() { count = 0 }

  /// Removes the bytes from `start` on, which must lie in `0...count`, and returns them.
  mutating func removing(from start: Int) -> [UInt8] {
    precondition(start >= 0 && start <= count)
    defer { count = start }
    return unsafe Array(UnsafeRawBufferPointer(start: memory + start, count: count - start))
  }

  /// Calls `body` with the bytes in `range`, which must lie in `0..<count`.
  func withBytes<R>(
    _ range: Range<Int>, _ body: (ByteSlice) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return try body(unsafe ByteSlice(start: memory + range.lowerBound, count: range.count))
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Appends a number, little-endian.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    reserve(Number.bitWidth / 8)
    unsafe memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
    count &+= Number.bitWidth / 8
  }

  @inline(__always)
  mutating func append(_ tag: ValueTag) { append(tag.rawValue) }

  @inline(__always)
  mutating func append(_ bytes: ByteSlice) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe (memory + count).copyMemory(from: start, byteCount: bytes.count)
    }
    count &+= bytes.count
  }

  mutating func append(_ bytes: [UInt8]) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe (memory + count).copyMemory(from: start, byteCount: bytes.count)
    }
    count &+= bytes.count
  }

  /// Appends the bytes in `range` of another buffer.
  @inline(__always)
  mutating func append(_ other: borrowing EncodedBytes, _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= other.count)
    reserve(range.count)
    unsafe (memory + count).copyMemory(
      from: other.memory + range.lowerBound, byteCount: range.count)
    count &+= range.count
  }

  /// Makes room for `additional` bytes after the last one.
  @inline(__always)
  private mutating func reserve(_ additional: Int) {
    if additional > capacity &- count { grow(additional) }
  }

  @inline(never)
  private mutating func grow(_ additional: Int) {
    capacity = max(2 * capacity, count + additional)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    unsafe larger.copyMemory(from: memory, byteCount: count)
    unsafe memory.deallocate()
    unsafe memory = larger
  }
}
