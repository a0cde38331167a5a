/// Memory for bytes that do not come from a realm, such as the values of an imported batch.
///
/// Slices of the arena are readable as long as the arena lives.
@safe
package final class ByteArena: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer

  /// Copies `values` into one block of memory.
  ///
  /// - Returns: a slice for each value, and the arena that keeps the slices readable.
  package static func copy(_ values: [[UInt8]?]) -> (arena: ByteArena, slices: [ByteSlice?]) {
    let arena = ByteArena(byteCount: values.reduce(0) { $0 + ($1?.count ?? 0) })
    var filled = 0
    let slices = values.map { value -> ByteSlice? in
      guard let value else { return nil }
      let start = unsafe arena.memory + filled
      unsafe value.withUnsafeBytes { bytes in
        // In bounds: the size of the block is the sum of the sizes of all values.
        if let base = bytes.baseAddress {
          unsafe start.copyMemory(from: base, byteCount: bytes.count)
        }
      }
      filled += value.count
      return unsafe ByteSlice(start: start, count: value.count)
    }
    return (arena, slices)
  }

  private init(byteCount: Int) {
    unsafe memory = .allocate(byteCount: max(byteCount, 1), alignment: 8)
  }

  deinit { unsafe memory.deallocate() }
}
