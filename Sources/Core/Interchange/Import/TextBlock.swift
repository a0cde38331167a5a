package import RealmStorage
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A part of a file in memory, followed by padding for a parser that reads in steps.
///
/// Its bytes have the offsets that they have in the file, so bytes of another block cannot be taken for them: what scans
/// a file keeps a block and an offset, not a slice. A slice is readable as long as the block lives, so one that is
/// stored is stored with its block.
@safe
package final class TextBlock: @unchecked Sendable {
  /// Bytes after the content that a parser may read.
  static let padding = 64

  /// The part of the file.
  package let range: Range<Int>
  private let memory: UnsafeMutableRawPointer
  /// Bytes of ``memory``.
  private let capacity: Int

  package init(_ range: Range<Int>) {
    self.range = range
    unsafe (memory, capacity) = BlockMemory.take(range.count + TextBlock.padding)
    unsafe (memory + range.count).initializeMemory(
      as: UInt8.self, repeating: 0, count: TextBlock.padding)
  }

  deinit { unsafe BlockMemory.give(memory, capacity) }

  /// The memory to read the content into.
  @unsafe
  var buffer: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: memory, count: range.count)
  }

  /// Replaces the content by `bytes`, which have the same count.
  package func fill(_ bytes: [UInt8]) {
    precondition(bytes.count == range.count)
    unsafe buffer.copyBytes(from: bytes)
  }

  /// Replaces the byte at `offset` of the file, which must be in ``range``.
  func set(_ byte: UInt8, at offset: Int) {
    precondition(range.contains(offset))
    unsafe (memory + (offset - range.lowerBound)).storeBytes(of: byte, as: UInt8.self)
  }

  /// The address of the byte at `offset` of the file, which must be in ``range`` or at its end.
  @unsafe
  func start(at offset: Int) -> UnsafeMutableRawPointer {
    precondition(offset >= range.lowerBound && offset <= range.upperBound)
    return unsafe memory + (offset - range.lowerBound)
  }

  /// The byte at `offset` of the file, which must be in ``range``.
  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    precondition(offset >= range.lowerBound && offset < range.upperBound)
    return unsafe memory.load(fromByteOffset: offset - range.lowerBound, as: UInt8.self)
  }

  /// The bytes from `offset` of the file to the end.
  package func bytes(from offset: Int) -> ByteSlice { bytes(offset..<range.upperBound) }

  /// The offset of the first `byte` at or after `offset`; nil if there is none.
  func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
    let bytes = bytes(from: offset)
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = unsafe memchr(base, Int32(byte), bytes.count)
      else { return nil }
      return unsafe offset + (UnsafeRawPointer(found) - base)
    }
  }

  /// A copy of all bytes.
  var copy: [UInt8] { unsafe Array(UnsafeRawBufferPointer(buffer)) }

  /// The bytes of a part of ``range``.
  package func bytes(_ part: Range<Int>) -> ByteSlice {
    precondition(part.lowerBound >= range.lowerBound && part.upperBound <= range.upperBound)
    return unsafe ByteSlice(start: memory + (part.lowerBound - range.lowerBound), count: part.count)
  }
}

/// Reuses the memory of freed blocks. The parts of a file differ a little in size, so an allocator of exact
/// sizes would leave holes too small for the next part.
private enum BlockMemory {
  @safe
  private struct Spare: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    @unsafe
    init(start: UnsafeMutableRawPointer, capacity: Int) {
      unsafe (self.start, self.capacity) = (start, capacity)
    }
  }

  /// Sizes of large blocks are multiples of this; smaller blocks are not kept.
  private static let unit = 1 << 20
  /// Largest size and number of kept blocks.
  private static let (keptByteCount, keptCount) = (8 << 20, 8)

  private static let spares = Mutex<[Spare]>([])

  /// Memory for at least `count` bytes.
  @unsafe
  static func take(_ count: Int) -> (UnsafeMutableRawPointer, Int) {
    let capacity = count < unit ? count : (count + unit - 1) / unit * unit
    let spare = spares.withLock { spares -> Spare? in
      guard let i = spares.firstIndex(where: { $0.capacity == capacity }) else { return nil }
      return spares.remove(at: i)
    }
    if let spare { return unsafe (spare.start, capacity) }
    return (.allocate(byteCount: capacity, alignment: 64), capacity)
  }

  /// Takes back unused memory.
  @unsafe
  static func give(_ start: UnsafeMutableRawPointer, _ capacity: Int) {
    let isKept = spares.withLock { spares in
      guard capacity >= unit, capacity <= keptByteCount, spares.count < keptCount else {
        return false
      }
      spares.append(unsafe Spare(start: start, capacity: capacity))
      return true
    }
    if !isKept { unsafe start.deallocate() }
  }
}
