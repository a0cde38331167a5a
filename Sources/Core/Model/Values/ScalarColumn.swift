public import RealmStorage

/// Scalars of one type, one per row.
@usableFromInline
package enum ScalarColumn: Sendable {
  case int([Int64], NullMask)
  case bool([Bool], NullMask)
  case float([Float], NullMask)
  case double([Double], NullMask)
  case string(SliceColumn)
  case binary(SliceColumn)
  /// Seconds and nanoseconds.
  case timestamp([Int64], [Int64], NullMask)
  /// ``Decimal128/null`` represents null.
  case decimal([Decimal128])
  /// Slices of 12 bytes.
  case objectId(SliceColumn)
  /// Slices of 16 bytes.
  case uuid(SliceColumn)

  /// Number of rows.
  @usableFromInline
  package var count: Int {
    switch self {
    case .int(let values, _): values.count
    case .bool(let values, _): values.count
    case .float(let values, _): values.count
    case .double(let values, _): values.count
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      values.count
    case .timestamp(let seconds, _, _): seconds.count
    case .decimal(let values): values.count
    }
  }

  /// The value in `row`, which must be below ``count``.
  package subscript(row: Int) -> BatchValue {
    switch self {
    case .int(let values, let nulls): nulls[row] ? .null : .int(values[row])
    case .bool(let values, let nulls): nulls[row] ? .null : .bool(values[row])
    case .float(let values, let nulls): nulls[row] ? .null : .float(values[row])
    case .double(let values, let nulls): nulls[row] ? .null : .double(values[row])
    case .string(let values): values[row].map { .string($0) } ?? .null
    case .binary(let values): values[row].map { .binary($0) } ?? .null
    case .timestamp(let seconds, let nanoseconds, let nulls):
      nulls[row] ? .null : .timestamp(seconds: seconds[row], nanoseconds: nanoseconds[row])
    case .decimal(let values): values[row].isNull ? .null : .decimal(values[row])
    case .objectId(let values): values[row].map { .objectId($0) } ?? .null
    case .uuid(let values): values[row].map { .uuid($0) } ?? .null
    }
  }

  /// The type of the values.
  package var type: ColumnType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    }
  }
}

/// Strings, binaries or identifiers, one slice of bytes per row; nil for null.
@usableFromInline
package struct SliceColumn: Sendable {
  /// The bytes of each row.
  @usableFromInline
  package let slices: [ByteSlice?]
  /// Owns bytes that do not come from a file.
  private let arena: ByteArena?

  /// - Parameter slices: bytes that something else keeps readable, such as the batch.
  package init(_ slices: [ByteSlice?]) { (self.slices, arena) = (slices, nil) }

  /// Copies `values`, which do not come from a file.
  package init(copying values: [[UInt8]?]) {
    let (arena, slices) = ByteArena.copy(values)
    (self.slices, self.arena) = (slices, arena)
  }

  /// The rows of `column` with other bytes of the same number.
  ///
  /// - Parameter bytes: the new bytes of all rows, one after the other.
  package init(_ column: SliceColumn, replacedBy bytes: [UInt8]) {
    let (arena, slices) = ByteArena.copy(bytes, sizes: column.slices)
    (self.slices, self.arena) = (slices, arena)
  }
}

extension SliceColumn: RandomAccessCollection {
  @inlinable
  package var startIndex: Int { 0 }
  @inlinable
  package var endIndex: Int { slices.count }
  /// The value in `row`, which must be below ``count``.
  @inlinable
  package subscript(row: Int) -> ByteSlice? { slices[row] }
}
