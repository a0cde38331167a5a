import RealmModel

/// An expression with its meaning: names are positions in the schema.
indirect enum FormulaNode: Sendable {
  case constant(QueryValue)
  case path(FormulaPath)
  /// Also joins strings.
  case arithmetic(FormulaNode, ArithmeticSyntax.Operation, FormulaNode)
  case negative(FormulaNode)
  case comparison(FormulaNode, FormulaTest, FormulaNode)
  case membership(FormulaNode, [FormulaNode])
  case and([FormulaNode])
  case or([FormulaNode])
  case not(FormulaNode)
  case choice(FormulaNode, FormulaNode, FormulaNode)
  case call(FormulaFunction, [FormulaNode])
}

/// A property of the object, or one that links lead to.
struct FormulaPath: Sendable {
  /// Position of the property in the object's class.
  let first: Int
  /// Class and property behind each link.
  let rest: [FormulaPlace]
}

/// A property of a class.
package struct FormulaPlace: Hashable, Sendable {
  /// Position of the class in the schema.
  package let classPosition: Int
  /// Position of the property in the class.
  package let property: Int
}

/// How two values are compared.
struct FormulaTest: Sendable {
  /// Any operation except `isIn` and `text`.
  let operation: ComparisonSyntax.Operation
  let ignoresCase: Bool
}
