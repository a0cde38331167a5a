package import RealmStorage

/// A growing block of memory for text output.
///
/// It has one owner, is passed `inout`, and is flushed to a sink when its owner finds it full enough. This
/// type does not interpret the bytes; its extensions write scalars.
///
/// Invariant 1: the bytes `0..<count` of the block are initialized, and `count <= capacity`.
/// Invariant 2: the block has `slack` bytes after `capacity`, whose values are undefined.
@safe
package struct TextBuffer: ~Copyable {
  /// Bytes after the capacity: short pieces are copied in one step of this size.
  static let slack = 32

  /// First byte of the block.
  private var base: UnsafeMutableRawPointer
  /// Size of the block in bytes, at least 64.
  private var capacity: Int
  /// Number of bytes appended since the buffer was created or emptied.
  package private(set) var count: Int

  /// Makes an empty buffer.
  ///
  /// - Parameter capacity: number of bytes that fit before the block grows for the first time.
  package init(capacity: Int = 1 << 16) {
    self.capacity = max(capacity, 64)
    unsafe base = TextBuffer.block(self.capacity)
    count = 0
  }

  private static func block(_ capacity: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: capacity + slack, alignment: 16)
  }

  deinit {
    unsafe base.deallocate()
  }

  /// Whether the buffer has no bytes.
  package var isEmpty: Bool { count == 0 }

  /// Makes room for `byteCount` more bytes and returns their place.
  ///
  /// The pointer is valid until the next call of any method. ``didWrite(_:)`` appends the written bytes.
  @inline(__always)
  mutating func room(for byteCount: Int) -> UnsafeMutableRawPointer {
    // Invariant 1: no overflow.
    if capacity &- count < byteCount { grow(by: byteCount) }
    return unsafe base + count
  }

  /// Appends the `byteCount` bytes that the caller has written to the place returned by
  /// ``room(for:)``.
  @unsafe
  @inline(__always)
  mutating func didWrite(_ byteCount: Int) {
    assert(byteCount >= 0 && byteCount <= capacity - count)
    // Room was made for them, so the sum is at most `capacity`.
    count &+= byteCount
  }

  /// Moves the bytes to a block of at least twice the size, so that appending takes constant time per byte on
  /// average.
  @inline(never)
  private mutating func grow(by byteCount: Int) {
    let larger = max(capacity * 2, count + byteCount)
    let block = unsafe TextBuffer.block(larger)
    unsafe block.copyMemory(from: base, byteCount: count)
    unsafe base.deallocate()
    unsafe base = block
    capacity = larger
  }

  /// Appends one byte.
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    unsafe room(for: 1).storeBytes(of: byte, as: UInt8.self)
    unsafe didWrite(1)
  }

  /// Appends the `byteCount` bytes from `start`.
  @inline(__always)
  mutating func append(from start: UnsafeRawPointer, byteCount: Int) {
    unsafe room(for: byteCount).copyMemory(from: start, byteCount: byteCount)
    unsafe didWrite(byteCount)
  }

  /// Appends a literal, at the cost of copying its bytes.
  @inline(__always)
  package mutating func append(_ text: StaticString) {
    unsafe append(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
  }

  /// Appends the UTF-8 of `text`.
  // Otherwise literals would use this overload instead of the one above.
  @_disfavoredOverload
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard let start = utf8.baseAddress else { return }
      unsafe append(from: start, byteCount: utf8.count)
    }
  }

  /// Appends the bytes of `slice` unchanged.
  package mutating func append(_ slice: ByteSlice) {
    unsafe append(from: slice.start, byteCount: slice.count)
  }

  /// Appends `bytes` unchanged.
  package mutating func append(bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe append(from: start, byteCount: bytes.count)
    }
  }

  /// Appends another buffer.
  mutating func append(contentsOf other: borrowing TextBuffer) {
    unsafe append(from: other.base, byteCount: other.count)
  }

  /// Removes the first byte 0 at or after `start`, if there is one, and all bytes after it.
  ///
  /// - Parameter start: a position of at most ``count``.
  mutating func cutAtZero(from start: Int) {
    let tail = unsafe UnsafeRawBufferPointer(start: base + start, count: count - start)
    guard let zero = unsafe tail.firstIndex(of: 0) else { return }
    count = start + zero
  }

  /// Appends the part of another buffer from `start` to `end`, which must be inside it.
  @unsafe
  @inline(__always)
  mutating func append(uncheckedFrom start: Int, to end: Int, of other: borrowing TextBuffer) {
    assert(start >= 0 && start <= end && end <= other.count)
    let byteCount = end &- start
    unsafe TextBuffer.copy(byteCount, from: other.base + start, to: room(for: byteCount))
    unsafe didWrite(byteCount)
  }

  /// Copies `byteCount` bytes, and up to ``slack`` more, which must exist on both sides (invariant 2).
  @unsafe
  @inline(__always)
  static func copy(
    _ byteCount: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
  ) {
    guard byteCount <= 2 * slack else {
      return unsafe target.copyMemory(from: source, byteCount: byteCount)
    }
    unsafe target.storeBytes(
      of: source.loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    if byteCount > slack {
      unsafe target.storeBytes(
        of: source.loadUnaligned(fromByteOffset: slack, as: SIMD32<UInt8>.self),
        toByteOffset: slack, as: SIMD32<UInt8>.self)
    }
  }

  /// Overwrites the byte at `position`, which must be below ``count``.
  mutating func set(_ byte: UInt8, at position: Int) {
    precondition(position >= 0 && position < count)
    unsafe base.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
  }

  /// Removes all but the first `newCount` bytes.
  mutating func cut(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }

  /// Writes the bytes to `sink`.
  package func flush(to sink: any OutputSink) throws(RealmFileError) {
    try unsafe sink.write(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// A copy of the bytes.
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// Empties the buffer.
  ///
  /// - Parameter keepingCapacity: whether the block keeps its size, which avoids growing again.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    count = 0
    if !keepingCapacity, capacity > 1 << 16 {
      unsafe base.deallocate()
      capacity = 1 << 16
      unsafe base = TextBuffer.block(capacity)
    }
  }

  /// Calls `body` with the bytes, for example to write them to a descriptor.
  package func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }
}

// The block has one owner and no other reference, so passing the value to another thread passes the block.
extension TextBuffer: @unchecked Sendable {}

/// Bytes that are appended repeatedly: the name of a property, the bytes around a link.
///
/// Invariant 1: the storage has `TextBuffer.slack` bytes more than `count`, so that a short piece is
/// copied in one step.
struct TextPiece: Sendable {
  private let storage: [UInt8]
  /// Number of bytes.
  let count: Int

  init(_ text: [UInt8]) {
    storage = text + Array(repeating: 0, count: TextBuffer.slack)
    count = text.count
  }

  /// Calls `body` with the address of the first byte.
  @inline(__always)
  func withStart(_ body: (UnsafeRawPointer) -> Void) {
    unsafe storage.withUnsafeBytes { bytes in
      // Never empty, by invariant 1.
      if let start = bytes.baseAddress { unsafe body(start) }
    }
  }
}

extension TextBuffer {
  /// Appends a piece.
  @inline(__always)
  mutating func append(_ piece: borrowing TextPiece) {
    let byteCount = piece.count
    let target = unsafe room(for: byteCount)
    unsafe piece.withStart { start in
      unsafe TextBuffer.copy(byteCount, from: start, to: target)
    }
    unsafe didWrite(byteCount)
  }
}
