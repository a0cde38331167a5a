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

  /// Copies values that follow one another in `bytes` into one block of memory.
  ///
  /// - Parameter sizes: for each value, a slice with as many bytes; nil for no value. All together have as many bytes as
  ///   `bytes`.
  /// - Returns: a slice for each value, and the arena that keeps the slices readable.
  package static func copy(
    _ bytes: [UInt8], sizes: [ByteSlice?]
  ) -> (arena: ByteArena, slices: [ByteSlice?]) {
    precondition(sizes.reduce(0) { $0 + ($1?.count ?? 0) } == bytes.count)
    let arena = ByteArena(byteCount: bytes.count)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe arena.memory.copyMemory(from: base, byteCount: bytes.count)
    }
    var filled = 0
    let slices = sizes.map { size -> ByteSlice? in
      guard let size else { return nil }
      defer { filled += size.count }
      // In bounds: the size of the block is the sum of all sizes.
      return unsafe ByteSlice(start: arena.memory + filled, count: size.count)
    }
    return (arena, slices)
  }

  private init(byteCount: Int) {
    unsafe memory = .allocate(byteCount: max(byteCount, 1), alignment: 8)
  }

  deinit { unsafe memory.deallocate() }
}
