public import RealmStorage

/// A value of any type, as a mixed property or an entry of a dictionary stores it. The bytes of strings and
/// binaries stay in the file.
@usableFromInline
package enum MixedValue: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(ByteSlice)
  case binary(ByteSlice)
  /// Seconds since 1970 and nanoseconds of the same sign.
  case timestamp(seconds: Int64, nanoseconds: Int64)
  case decimal(Decimal128)
  /// 12 bytes.
  case objectId(ByteSlice)
  /// 16 bytes.
  case uuid(ByteSlice)
  /// A link of a link column. The column knows the target table.
  case link(ObjectKey)
  case typedLink(TableKey, ObjectKey)
  /// A nested list: root of a B+tree of mixed values, 0 for an empty list.
  case list(Ref)
  /// A nested dictionary: ref of its top node, 0 for an empty dictionary.
  case dictionary(Ref)
}

extension MixedValue {
  /// Maximum number of levels of nested collections that the format allows (chapter 2, section 6.6).
  package static let collectionLevels = 100

  package var isNull: Bool { if case .null = self { true } else { false } }

  /// The type of a column with such values; nil for null and for collections.
  package var columnType: ColumnType? {
    switch self {
    case .null, .list, .dictionary: nil
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
    case .link: .link
    case .typedLink: .typedLink
    }
  }
}
