import RealmModel
import RealmStorage

/// A value while a query runs. Strings and binaries stay where they are stored.
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

  /// A scalar; null for a link or a collection.
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

  /// The bytes of a string or binary.
  var bytes: ByteSlice? {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes
    default: nil
    }
  }
}

/// Compares values (chapter 6, sections 4.5, 4.6 and 4.17).
extension QueryValue {
  /// -1, 0 or 1 for two values of comparable types; nil otherwise, and if one of them is null.
  static func compare(_ a: QueryValue, _ b: QueryValue) -> Int? {
    switch (a, b) {
    case (.int(let x), .int(let y)): return order(x, y)
    case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)),
      (.objectId(let x), .objectId(let y)), (.uuid(let x), .uuid(let y)):
      return order(x, y)
    case (.bool(let x), .bool(let y)): return order(x ? 1 : 0, y ? 1 : 0)
    case (.date(let s, let n), .date(let t, let m)): return s == t ? order(n, m) : order(s, t)
    case (.link(let c, let x), .link(let d, let y)):
      return c == d ? order(x.raw, y.raw) : order(c, d)
    // As in the reference, their elements do not count.
    case (.list, .list), (.dictionary, .dictionary): return 0
    default:
      guard let x = a.number, let y = b.number else { return nil }
      return NumberOrder.compare(x, y)
    }
  }

  /// Whether the two are equal; null equals null.
  static func areEqual(_ a: QueryValue, _ b: QueryValue) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.string(let x), .string(let y)): return x == y
    case (.type(let x), .type(let y)): return !x.isDisjoint(with: y)
    default: return compare(a, b) == 0
    }
  }

  /// Whether `a operation b` holds, for one of the six comparison operators.
  static func holds(
    _ a: QueryValue, _ operation: Comparison.Operation, _ b: QueryValue
  ) -> Bool {
    switch operation {
    case .equal: return areEqual(a, b)
    case .notEqual: return !areEqual(a, b)
    default: break
    }
    guard let order = compare(a, b) else {
      // Null is neither smaller nor larger than another value; null is at most null.
      let isNullAllowed = operation == .lessOrEqual || operation == .greaterOrEqual
      return isNullAllowed && a.isNull && b.isNull
    }
    switch operation {
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    default: return false
    }
  }

  /// -1, 0 or 1 in sort order: null first, then by rank of the type, then by value.
  static func sortOrder(_ a: QueryValue, _ b: QueryValue) -> Int {
    compare(a, b) ?? order(a.rank, b.rank)
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .binary: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .link: 8
    case .list: 9
    case .dictionary: 10
    case .type: 11
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : b < a ? 1 : 0 }
}
