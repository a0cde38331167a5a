import RealmModel
import RealmStorage

/// One value while a query runs. Text and bytes stay where they are stored.
enum QueryValue: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(ByteSlice)
  case binary(ByteSlice)
  /// Seconds since 1970 and nanoseconds of the same sign.
  case date(seconds: Int64, nanoseconds: Int64)
  case decimal(Decimal128)
  case objectId(ByteSlice)
  case uuid(ByteSlice)
  /// An object of the class at a position in the schema.
  case link(Int, ObjectKey)
  /// A list in a mixed value, with the number of its elements.
  case list(Int)
  /// A dictionary in a mixed value, with the number of its entries.
  case dictionary(Int)
  case type(TypeSet)

  var isNull: Bool { if case .null = self { true } else { false } }

  /// A value that is neither a link nor a collection.
  init(_ value: BatchValue) {
    self =
      switch value {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .float(let number): .float(number)
      case .double(let number): .double(number)
      case .string(let bytes): .string(bytes)
      case .binary(let bytes): .binary(bytes)
      case .timestamp(let seconds, let nanoseconds):
        .date(seconds: seconds, nanoseconds: nanoseconds)
      case .decimal(let number): .decimal(number)
      case .objectId(let bytes): .objectId(bytes)
      case .uuid(let bytes): .uuid(bytes)
      case .null, .link, .list, .dictionary: .null
      }
  }

  var number: NumberOrder? {
    switch self {
    case .int(let number): .int(number)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    default: nil
    }
  }

  /// The type of the value.
  var types: TypeSet {
    switch self {
    case .null: .null
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .binary: .binary
    case .date: .date
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    case .list: .list
    case .dictionary: .dictionary
    case .type(let types): types
    }
  }

  /// The text or bytes of a string or binary.
  var bytes: ByteSlice? {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes
    default: nil
    }
  }
}
