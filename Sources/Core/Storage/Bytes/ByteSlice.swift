#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A range of bytes inside an open realm: a string, a binary or an identifier as stored.
///
/// A slice copies nothing. Its bytes are readable while the ``NodeReader`` that read them lives and the
/// scope in which they were read is open (``NodeReader/release(to:)``), or while a hold keeps them
/// (``NodeReader/hold(since:)``). Slices are not public, so safe code outside of this package
/// cannot reach freed memory.
///
/// Invariant 1: `count` bytes from `start` lie inside the realm. Only initializers that check this make
/// slices, so code that holds a slice may read `0..<count` without further checks.
@safe
@usableFromInline
package struct ByteSlice: @unchecked Sendable {
  /// First byte. Never null, so an optional slice takes no extra space.
  package let start: UnsafeRawPointer
  /// Number of bytes.
  @usableFromInline
  package let count: Int

  /// - Parameter start: the first of `count` readable bytes, which must outlive the slice.
  @unsafe
  @usableFromInline
  package init(start: UnsafeRawPointer, count: Int) {
    unsafe self.start = start
    self.count = count
  }

  @usableFromInline
  package var isEmpty: Bool { count == 0 }

  /// The byte at `index`, which must be in `0..<count`.
  @usableFromInline
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count)
    return unsafe start.load(fromByteOffset: index, as: UInt8.self)
  }

  /// Calls `body` with the bytes.
  @inline(__always)
  @usableFromInline
  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The bytes as a string; invalid UTF-8 is replaced.
  @usableFromInline
  package var text: String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes as a string; nil if they are not valid UTF-8.
  package var validText: String? {
    unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
  }

  /// A copy of the bytes.
  package var bytes: [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// Appends the bytes to `target`.
  @inline(__always)
  package func append(to target: inout [UInt8]) {
    unsafe target.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Copies the bytes to `target`, starting at `offset`; they must fit.
  @unsafe
  @inline(__always)
  package func copy(to target: UnsafeMutableRawBufferPointer, at offset: Int) {
    precondition(offset >= 0 && count <= target.count - offset)
    guard count > 0, let base = target.baseAddress else { return }
    unsafe (base + offset).copyMemory(from: start, byteCount: count)
  }

  /// The part of the slice in `range`, which must lie in `0..<count`.
  @usableFromInline
  package func part(_ range: Range<Int>) -> ByteSlice {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe ByteSlice(start: start + range.lowerBound, count: range.count)
  }
}

extension ByteSlice: Comparable {
  @usableFromInline
  package static func == (a: ByteSlice, b: ByteSlice) -> Bool {
    guard a.count == b.count else { return false }
    // The values of an enumerated column share their bytes, which may be long.
    if unsafe a.start == b.start { return true }
    return unsafe memcmp(a.start, b.start, a.count) == 0
  }

  /// The order of strings and binaries in format 24: bytes compare as unsigned numbers, and a proper prefix
  /// comes first (chapter 2, section 6.3).
  @usableFromInline
  package static func < (a: ByteSlice, b: ByteSlice) -> Bool {
    let order = unsafe memcmp(a.start, b.start, min(a.count, b.count))
    return order == 0 ? a.count < b.count : order < 0
  }
}

extension ByteSlice {
  /// A slice without bytes.
  package static let empty: ByteSlice = {
    // A static allocation of one byte that is never read: `start` must not be null.
    let place = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    return unsafe ByteSlice(start: place, count: 0)
  }()

  /// Whether all bytes in `range`, which must lie in `0..<count`, are 0.
  package func isZero(_ range: Range<Int>) -> Bool {
    unsafe part(range).withUnsafeBytes { unsafe $0.allSatisfy { $0 == 0 } }
  }

  /// The little-endian number in the eight bytes at `offset`, which must lie inside.
  @usableFromInline
  package func littleEndian(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8)
    return unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The little-endian number in the four bytes at `offset`, which must lie inside.
  @usableFromInline
  package func littleEndian32(at offset: Int) -> UInt32 {
    precondition(offset >= 0 && offset <= count - 4)
    return unsafe UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
