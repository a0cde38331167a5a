import RealmModel
import RealmStorage

/// Compares a single property of the objects themselves with a constant, in a loop over the decoded leaf.
extension Evaluator {
  /// The rows of `frame` that match the comparison; nil if it is of another kind.
  func directRows(
    matching comparison: Comparison, _ frame: ObjectFrame
  ) throws(RealmFileError) -> RowMask? {
    guard case .path(let path) = comparison.left, let position = path.directProperty,
      case .constant(let constant) = comparison.right,
      frame.table.columns[position].collection == nil
    else { return nil }
    let value = plan.value(of: constant)
    if case .int(let number) = value, frame.table.columns[position].type == .int,
      let integers = try unsafe frame.integers(position)
    {
      return unsafe rows(integers.values, integers.null, comparison.operation, number)
    }
    guard case .scalar(let column) = try frame.column(position) else { return nil }
    let test = ValueTest(comparison)
    switch (column, value) {
    case (.int(let values, let nulls), .int(let number)):
      return rows(values, nulls, test.operation, number)
    case (.bool(let values, let nulls), .bool(let flag)):
      return rows(values.map { $0 ? 1 : 0 }, nulls, test.operation, flag ? 1 : 0)
    case (.float(let values, let nulls), .float(let number)) where test.isSimple:
      return rows(values, nulls, test.operation, number)
    case (.double(let values, let nulls), .double(let number)) where test.isSimple:
      return rows(values, nulls, test.operation, number)
    case (.timestamp(let seconds, let nanoseconds, let nulls), .date(let s, let n)):
      return rows(
        seconds.indices.map { Instant(seconds: seconds[$0], nanoseconds: nanoseconds[$0]) }, nulls,
        test.operation, Instant(seconds: s, nanoseconds: n))
    case (.string(let values), .string(let pattern)):
      return rows(values, pattern, test, isNullSmaller: test.isSimple)
    case (.binary(let values), .binary(let pattern)):
      return rows(values, pattern, test, isNullSmaller: false)
    case (.objectId(let values), .objectId(let id)), (.uuid(let values), .uuid(let id)):
      return rows(values, id, test, isNullSmaller: false)
    default: return RowMask(count: column.count) { test.holds(QueryValue(column[$0]), value) }
    }
  }

  /// The rows that match a comparison of a constant with the number of linked objects in a set; nil if the
  /// comparison is of another kind.
  func countRows(
    matching comparison: Comparison, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask? {
    guard case .linkedCount(let links, let set) = comparison.left,
      case .constant(let constant) = comparison.right,
      case .int(let number) = plan.value(of: constant)
    else { return nil }
    // Following the links of all objects is faster than choosing some of them.
    return rows(
      try counts(of: links, in: plan.sets[set], frame, Array(0..<frame.rows.count)), NullMask(),
      comparison.operation, number) & mask
  }

  /// A date as one comparable value.
  private struct Instant: Comparable {
    let seconds: Int64
    let nanoseconds: Int64

    static func < (a: Instant, b: Instant) -> Bool {
      a.seconds == b.seconds ? a.nanoseconds < b.nanoseconds : a.seconds < b.seconds
    }
  }

  /// Null and another value are not equal, and neither is smaller.
  private func rows<T: Comparable>(
    _ values: [T], _ nulls: NullMask, _ operation: Comparison.Operation, _ value: T
  ) -> RowMask {
    unsafe values.withUnsafeBufferPointer { values in
      let nulls = nulls.isEmpty ? .none : RowMask(count: values.count) { nulls[$0] }
      return unsafe rows(values, nulls, operation, value)
    }
  }

  /// - Parameter null: the value that means null.
  private func rows(
    _ values: UnsafeBufferPointer<Int64>, _ null: Int64?, _ operation: Comparison.Operation,
    _ value: Int64
  ) -> RowMask {
    let nulls = null.map { null in unsafe RowMask(of: values) { $0 == null } } ?? .none
    return unsafe rows(values, nulls, operation, value)
  }

  private func rows<T: Comparable>(
    _ values: UnsafeBufferPointer<T>, _ nulls: RowMask, _ operation: Comparison.Operation,
    _ value: T
  ) -> RowMask {
    let found: RowMask
    switch operation {
    case .equal: found = unsafe RowMask(of: values) { $0 == value }
    case .notEqual: return unsafe RowMask(of: values) { $0 != value } | nulls
    case .less: found = unsafe RowMask(of: values) { $0 < value }
    case .lessOrEqual: found = unsafe RowMask(of: values) { $0 <= value }
    case .greater: found = unsafe RowMask(of: values) { $0 > value }
    case .greaterOrEqual: found = unsafe RowMask(of: values) { $0 >= value }
    case .beginsWith, .endsWith, .contains, .like: return .none
    }
    return found - nulls
  }

  private func rows(
    _ values: SliceColumn, _ value: ByteSlice, _ test: ValueTest, isNullSmaller: Bool
  ) -> RowMask {
    let slices = values.slices
    func rows(null: Bool, _ isMatch: (ByteSlice) -> Bool) -> RowMask {
      RowMask(of: slices) { $0.map(isMatch) ?? null }
    }
    let pattern = TextPattern(value, ignoresCase: test.ignoresCase)
    // Most strings differ in the first byte, and a look at it is faster than a call.
    let first = test.ignoresCase || value.isEmpty ? nil : value[0]
    switch test.operation {
    case .equal:
      guard let first else { return rows(null: false) { pattern.equals($0) } }
      return rows(null: false) {
        $0.count == value.count && $0[0] == first && pattern.equals($0)
      }
    case .notEqual: return rows(null: true) { !pattern.equals($0) }
    case .less: return rows(null: isNullSmaller) { $0 < value }
    case .lessOrEqual: return rows(null: isNullSmaller) { $0 <= value }
    case .greater: return rows(null: false) { $0 > value }
    case .greaterOrEqual: return rows(null: false) { $0 >= value }
    case .beginsWith:
      guard let first else { return rows(null: false) { pattern.isPrefix(of: $0) } }
      return rows(null: false) {
        $0.count >= value.count && $0[0] == first && pattern.isPrefix(of: $0)
      }
    case .endsWith: return rows(null: false) { pattern.isSuffix(of: $0) }
    case .contains: return rows(null: false) { pattern.isPart(of: $0) }
    case .like: return rows(null: false) { pattern.isLike($0) }
    }
  }
}
