import RealmStorage

/// Tests whether a comparison holds for two values.
struct ValueTest {
  let operation: Comparison.Operation
  let ignoresCase: Bool
  /// See ``Comparison/isSimple``. If true, every value contains null, begins with it and ends with it.
  let isSimple: Bool

  init(_ comparison: Comparison) {
    operation = comparison.operation
    ignoresCase = comparison.ignoresCase
    isSimple = comparison.isSimple
  }

  func holds(_ a: QueryValue, _ b: QueryValue) -> Bool {
    switch operation {
    case .beginsWith, .endsWith, .contains, .like: return isTextMatch(a, b)
    case .equal, .notEqual:
      if ignoresCase, case .string(let x) = a, case .string(let y) = b {
        return TextPattern(y, ignoresCase: true).equals(x) == (operation == .equal)
      }
      if isSimple, ValueTest.isNaN(a) { return operation == .notEqual }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard isSimple else { break }
      if ValueTest.isNaN(a) || ValueTest.isNaN(b) { return false }
      if let result = withNull(a, b) { return result }
    }
    return QueryValue.holds(a, operation, b)
  }

  /// True for a float or double that is NaN.
  private static func isNaN(_ value: QueryValue) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    default: false
    }
  }

  /// The order of strings, one of which is null: null comes first. Nil for other values.
  private func withNull(_ a: QueryValue, _ b: QueryValue) -> Bool? {
    switch (a, b) {
    case (.null, .string): operation == .less || operation == .lessOrEqual
    case (.string, .null): operation == .greater || operation == .greaterOrEqual
    default: nil
    }
  }

  // MARK: Strings

  private func isTextMatch(_ a: QueryValue, _ b: QueryValue) -> Bool {
    if b.isNull { return isNullMatch(a) }
    switch (a, b) {
    case (.string(let text), .string(let pattern)), (.binary(let text), .binary(let pattern)):
      return isMatch(text, TextPattern(pattern, ignoresCase: ignoresCase))
    default: return false
    }
  }

  func isMatch(_ text: ByteSlice, _ pattern: TextPattern) -> Bool {
    switch operation {
    case .beginsWith: pattern.isPrefix(of: text)
    case .endsWith: pattern.isSuffix(of: text)
    case .contains: pattern.isPart(of: text)
    case .like: pattern.isLike(text)
    default: pattern.equals(text)
    }
  }

  /// Whether `a` matches a null on the right.
  private func isNullMatch(_ a: QueryValue) -> Bool {
    switch operation {
    case .like: a.isNull
    case .contains: isSimple || a.bytes != nil
    default: isSimple
    }
  }
}
