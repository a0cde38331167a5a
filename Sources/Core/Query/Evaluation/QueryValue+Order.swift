import RealmModel
import RealmStorage

/// Comparison of values (chapter 6, sections 4.5, 4.6 and 4.17).
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
    // As in the reference, what they hold does not count.
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

  /// Whether `a operation b` holds. The operation is one of the six that compare.
  static func holds(
    _ a: QueryValue, _ operation: Comparison.Operation, _ b: QueryValue
  ) -> Bool {
    switch operation {
    case .equal: return areEqual(a, b)
    case .notEqual: return !areEqual(a, b)
    default: break
    }
    guard let order = compare(a, b) else {
      // Of null and another value neither is smaller; null is at most null.
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

  /// -1, 0 or 1 in the order of sorting: null, then by rank of the type, then by value.
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
