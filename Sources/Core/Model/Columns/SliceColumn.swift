package import RealmStorage

/// The strings, binaries or identifiers of a batch, one slice per row; nil for null.
package struct SliceColumn: Sendable {
  /// The bytes of each row.
  package let slices: [ByteSlice?]
  /// Owns bytes that do not come from a file.
  private let arena: ByteArena?

  /// - Parameter slices: bytes that the batch keeps readable.
  package init(_ slices: [ByteSlice?]) { (self.slices, arena) = (slices, nil) }

  /// Copies `values`, which do not come from a file.
  package init(copying values: [[UInt8]?]) {
    let (arena, slices) = ByteArena.copy(values)
    (self.slices, self.arena) = (slices, arena)
  }
}

extension SliceColumn: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { slices.count }
  /// The value in `row`, which must be below ``count``.
  package subscript(row: Int) -> ByteSlice? { slices[row] }
}
