/// The tree that the parser returns for an expression of a migration plan, with names not yet resolved.
indirect enum FormulaSyntax: Sendable {
  case constant(FormulaConstant)
  case path(PathSyntax)
  case arithmetic(FormulaSyntax, ArithmeticSyntax.Operation, at: TextRange, FormulaSyntax)
  case negative(FormulaSyntax, at: TextRange)
  case comparison(FormulaComparison)
  /// `value IN {a, b, …}`.
  case membership(FormulaSyntax, [FormulaSyntax], at: TextRange)
  /// Two or more conditions.
  case and([FormulaSyntax])
  /// Two or more conditions.
  case or([FormulaSyntax])
  case not(FormulaSyntax, at: TextRange)
  /// `condition ? then : otherwise`.
  case choice(FormulaSyntax, FormulaSyntax, FormulaSyntax)
  case call(FormulaCall)

  /// Place in the expression.
  var range: TextRange {
    switch self {
    case .constant(let constant): constant.range
    case .path(let path): path.range
    case .arithmetic(let left, _, _, let right):
      left.range.lowerBound..<right.range.upperBound
    case .negative(let value, let sign), .not(let value, let sign):
      sign.lowerBound..<value.range.upperBound
    case .comparison(let comparison):
      comparison.left.range.lowerBound..<comparison.right.range.upperBound
    case .membership(let value, _, let list): value.range.lowerBound..<list.upperBound
    case .and(let all), .or(let all):
      (all.first?.range.lowerBound ?? 0)..<(all.last?.range.upperBound ?? 0)
    case .choice(let condition, _, let last):
      condition.range.lowerBound..<last.range.upperBound
    case .call(let call): call.range
    }
  }
}

/// A constant of an expression.
struct FormulaConstant: Sendable {
  enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    /// `text` is used if a decimal128 is expected.
    case double(Double, text: String)
    /// With its escapes translated.
    case string([UInt8])
    case binary([UInt8])
    case date(seconds: Int64, nanoseconds: Int64)
    case objectId([UInt8])
    case uuid([UInt8])
  }

  var value: Value
  var range: TextRange
}

/// `left operation right`, with or without `[c]`.
struct FormulaComparison: Sendable {
  var left: FormulaSyntax
  /// Any operation except `isIn` and `text`.
  var operation: ComparisonSyntax.Operation
  /// Place of the operator.
  var operationRange: TextRange
  var ignoresCase: Bool
  var right: FormulaSyntax
}

/// `function(argument, …)`.
struct FormulaCall: Sendable {
  var function: FormulaFunction
  var arguments: [FormulaSyntax]
  var range: TextRange
}

/// The functions of the expressions of migration plans.
enum FormulaFunction: String, CaseIterable, Sendable {
  case lower, upper, trim, substring, replace, length, coalesce
  case string, int, float, double, decimal, date, objectId, uuid
  case now, newObjectId, newUUID

  /// The number of arguments.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .now, .newObjectId, .newUUID: 0...0
    case .substring: 2...3
    case .replace: 3...3
    case .coalesce: 1...100
    default: 1...1
    }
  }

  /// A call as an example, for hints.
  var signature: String {
    switch self {
    case .substring: "substring(text, start, count)"
    case .replace: "replace(text, part, replacement)"
    case .coalesce: "coalesce(value, otherwise)"
    case .now, .newObjectId, .newUUID: "\(rawValue)()"
    case .lower, .upper, .trim, .length: "\(rawValue)(text)"
    default: "\(rawValue)(value)"
    }
  }

  /// Whether each call gives another value.
  var isRandom: Bool { self == .newObjectId || self == .newUUID }
}
