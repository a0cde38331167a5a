import RealmModel
import RealmStorage

/// A resolved expression: names are positions in the schema.
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

/// A property of the object, or of an object that it links to.
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

extension FormulaTest {
  /// Whether `a operation b` holds, null if that is unknown.
  func result(_ a: QueryValue, _ b: QueryValue) -> QueryValue {
    switch operation {
    case .equal: return .bool(areEqual(a, b))
    case .notEqual: return .bool(!areEqual(a, b))
    case .beginsWith, .endsWith, .contains, .like:
      if a.isNull || b.isNull { return .null }
      guard a.types == b.types, let text = a.bytes, let pattern = b.bytes else {
        return .bool(false)
      }
      return .bool(isMatch(text, TextPattern(pattern, ignoresCase: ignoresCase)))
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .text:
      guard !FormulaTest.isNaN(a), !FormulaTest.isNaN(b), let order = QueryValue.compare(a, b)
      else {
        return .bool(false)
      }
      return .bool(holds(order))
    }
  }

  private func holds(_ order: Int) -> Bool {
    switch operation {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    default: order == 0
    }
  }

  private func areEqual(_ a: QueryValue, _ b: QueryValue) -> Bool {
    if FormulaTest.isNaN(a) || FormulaTest.isNaN(b) { return false }
    if ignoresCase, case .string(let x) = a, case .string(let y) = b {
      return TextPattern(y, ignoresCase: true).equals(x)
    }
    return QueryValue.areEqual(a, b)
  }

  private func isMatch(_ text: ByteSlice, _ pattern: TextPattern) -> Bool {
    switch operation {
    case .beginsWith: pattern.isPrefix(of: text)
    case .endsWith: pattern.isSuffix(of: text)
    case .contains: pattern.isPart(of: text)
    default: pattern.isLike(text)
    }
  }

  private static func isNaN(_ value: QueryValue) -> Bool {
    switch value {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }
}
