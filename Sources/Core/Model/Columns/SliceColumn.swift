public import RealmStorage

/// The strings, binaries or identifiers of a batch: a slice a row, nil for null.
public struct SliceColumn: Sendable {
  /// Where the bytes of each row lie.
  package let slices: [ByteSlice?]
  /// Holds bytes that come from no file.
  private let arena: ByteArena?

  /// - Parameter slices: bytes that the batch keeps readable.
  package init(_ slices: [ByteSlice?]) { (self.slices, arena) = (slices, nil) }

  /// Copies `values`, which come from no file.
  package init(copying values: [[UInt8]?]) {
    let (arena, slices) = ByteArena.copy(values)
    (self.slices, self.arena) = (slices, arena)
  }
}

extension SliceColumn: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { slices.count }
  /// The value in `row`, which must be below ``count``.
  public subscript(row: Int) -> ByteSlice? { slices[row] }
}
