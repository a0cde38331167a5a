/// What an operator of a query stands next to. Only after a closing parenthesis is it known whether
/// it holds a condition or a value.
struct Operand {
  enum Syntax {
    case predicate(PredicateSyntax)
    case expression(ExpressionSyntax)
  }

  var syntax: Syntax
  /// Height of the tree, at least 1.
  var height: Int
  /// Place with parentheses.
  var range: TextRange
  /// Whether it is a value without parentheses and arithmetic, as `CONTAINS`, `BETWEEN` and others
  /// take it.
  var isPlainValue = false
}

/// A part of the tree and its height.
struct Measured<Syntax> {
  var syntax: Syntax
  var height: Int
}
