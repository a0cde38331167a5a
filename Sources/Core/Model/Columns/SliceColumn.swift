public import RealmStorage

/// The strings, binaries or identifiers of a batch: a slice a row, nil for null.
///
/// Rows of one size, the usual ones, are found by arithmetic in the leaf itself: nothing is copied
/// or allocated for them, which matters most for the many small leaves of lists.
public struct SliceColumn: Sendable {
  private enum Form {
    /// Chapter 2, section 3.5; every row was checked.
    case shortStrings(ByteSlice, width: Int)
    /// Chapter 2, section 3.12; the bytes are as long as the rows ask for.
    case fixedBytes(ByteSlice, size: Int)
    /// Found one by one.
    case slices([ByteSlice?])
    /// Bytes that come from no file.
    case owned([ByteSlice?], ByteArena)
  }

  private let form: Form
  /// Number of rows.
  public let count: Int

  /// - Parameter leaf: whose rows were all checked.
  init(_ leaf: ShortStringLeaf) {
    form = .shortStrings(leaf.node.bytes, width: leaf.node.width)
    count = leaf.node.count
  }

  init(_ leaf: FixedBytesLeaf) {
    form = .fixedBytes(leaf.node.bytes, size: leaf.size)
    count = leaf.count
  }

  init(_ slices: [ByteSlice?]) {
    form = .slices(slices)
    count = slices.count
  }

  /// Copies `values`, which come from no file.
  package init(copying values: [[UInt8]?]) {
    let (arena, slices) = ByteArena.copy(values)
    form = .owned(slices, arena)
    count = slices.count
  }

  /// Calls `body` with the rows in `rows` and their values, until it returns false: how the rows are found is
  /// looked at once.
  ///
  /// - Returns: false where `body` did.
  @inline(__always)
  package func forEach(_ rows: Range<Int>, _ body: (Int, ByteSlice?) -> Bool) -> Bool {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= count)
    switch form {
    case .shortStrings(let bytes, let width):
      for row in rows {
        guard body(row, ShortStringLeaf.value(in: bytes, width: width, row: row)) else {
          return false
        }
      }
    case .fixedBytes(let bytes, let size):
      for row in rows {
        guard body(row, FixedBytesLeaf.value(in: bytes, size: size, row: row)) else { return false }
      }
    case .slices(let slices), .owned(let slices, _):
      for row in rows { guard body(row, slices[row]) else { return false } }
    }
    return true
  }

  /// The value in `row`, which must be below ``count``.
  public subscript(row: Int) -> ByteSlice? {
    @inline(__always)
    get {
      precondition(row >= 0 && row < count)
      switch form {
      case .shortStrings(let bytes, let width):
        return ShortStringLeaf.value(in: bytes, width: width, row: row)
      case .fixedBytes(let bytes, let size):
        return FixedBytesLeaf.value(in: bytes, size: size, row: row)
      case .slices(let slices), .owned(let slices, _): return slices[row]
      }
    }
  }
}

extension SliceColumn: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }
}
