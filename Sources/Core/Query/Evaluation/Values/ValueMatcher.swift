/// Decides for each object whether the two sides of a comparison match (chapter 6, section 4.7).
struct ValueMatcher {
  private let test: ValueTest
  private let matching: Comparison.Matching
  private let left: OperandValues
  private let right: OperandValues
  private let leftValues: [QueryValue]
  private let rightValues: [QueryValue]

  init(_ comparison: Comparison, _ left: OperandValues, _ right: OperandValues) {
    test = ValueTest(comparison)
    matching = comparison.matching
    (self.left, self.right) = (left, right)
    (leftValues, rightValues) = (left.values, right.values)
  }

  /// Whether the values of any group of the object at `index` match.
  func matches(_ index: Int) -> Bool {
    let (x, y) = (left.groups(of: index), right.groups(of: index))
    // An object without groups counts as one group without values.
    if x.isEmpty, y.isEmpty { return matches(0..<0, 0..<0) }
    if x.isEmpty { return y.contains { matches(0..<0, right.range(of: $0)) } }
    if y.isEmpty { return x.contains { matches(left.range(of: $0), 0..<0) } }
    return x.contains { i in
      y.contains { j in matches(left.range(of: i), right.range(of: j)) }
    }
  }

  private func matches(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    switch matching {
    case .pairwise: return arePairs(x, y)
    case .entry(let isLeft):
      guard !(isLeft ? x : y).isEmpty else { return arePairs(x, y) }
      return x.contains { i in y.contains { j in test.holds(leftValues[i], rightValues[j]) } }
    case .quantified(.all, .any) where isSubsetTest(x, y): return isSubset(x, y)
    case .quantified(let outer, let inner):
      return holds(outer, x) { i in
        holds(inner, y) { j in test.holds(leftValues[i], rightValues[j]) }
      }
    }
  }

  private func holds(
    _ quantifier: Quantifier, _ range: Range<Int>, _ condition: (Int) -> Bool
  ) -> Bool {
    switch quantifier {
    case .any: range.contains(where: condition)
    case .all: range.allSatisfy(condition)
    case .none: !range.contains(where: condition)
    }
  }

  private func arePairs(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    guard x.count == y.count else { return test.operation == .notEqual }
    return zip(x, y).allSatisfy { test.holds(leftValues[$0], rightValues[$1]) }
  }

  /// With more than two values on both sides, the reference compares them as sorted lists.
  private func isSubsetTest(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    test.operation == .equal && !test.ignoresCase && x.count > 2 && y.count > 2
  }

  /// Whether the right side has every value of the left side at least as often (chapter 6, Q2).
  private func isSubset(_ x: Range<Int>, _ y: Range<Int>) -> Bool {
    let part = leftValues[x].sorted { QueryValue.sortOrder($0, $1) < 0 }
    let whole = rightValues[y].sorted { QueryValue.sortOrder($0, $1) < 0 }
    var next = 0
    for value in part {
      while next < whole.count, QueryValue.sortOrder(whole[next], value) < 0 { next += 1 }
      guard next < whole.count, QueryValue.sortOrder(whole[next], value) == 0 else { return false }
      next += 1
    }
    return true
  }
}
