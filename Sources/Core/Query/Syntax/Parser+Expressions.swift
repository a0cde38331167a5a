// Arithmetic and its operands.

extension Parser {
  mutating func sum() throws(QueryError) -> Operand {
    var left = try product()
    while case .expression = left.syntax, let operation = additive {
      let place = token.range
      try advance()
      let right = try product()
      left = try arithmetic(left, operation, at: place, right)
    }
    return left
  }

  private mutating func product() throws(QueryError) -> Operand {
    var left = try primary()
    while case .expression = left.syntax, let operation = multiplicative {
      let place = token.range
      try advance()
      let right = try primary()
      left = try arithmetic(left, operation, at: place, right)
    }
    return left
  }

  private var additive: ArithmeticSyntax.Operation? {
    switch token.kind {
    case .plus: .add
    case .minus: .subtract
    default: nil
    }
  }

  private var multiplicative: ArithmeticSyntax.Operation? {
    switch token.kind {
    case .times: .multiply
    case .divided: .divide
    default: nil
    }
  }

  /// `left operation right`, with the operator at `place`.
  private func arithmetic(
    _ left: Operand, _ operation: ArithmeticSyntax.Operation, at place: TextRange, _ right: Operand
  ) throws(QueryError) -> Operand {
    let (first, second) = (try expression(left), try expression(right))
    let syntax = ArithmeticSyntax(
      left: first.syntax, operation: operation, operationRange: place, right: second.syntax)
    let height = try above(max(first.height, second.height), at: place)
    return Operand(
      syntax: .expression(.arithmetic(syntax)), height: height,
      range: range(from: left.range.lowerBound))
  }

  /// Returns `operand` as a value.
  ///
  /// - Throws: ``QueryError`` about `operand` if it is a condition.
  func expression(_ operand: Operand) throws(QueryError) -> Measured<ExpressionSyntax> {
    guard case .expression(let syntax) = operand.syntax else {
      throw QueryError(
        .syntax, "found the condition \(lexer.quoted(operand.range)), expected a value",
        at: operand.range,
        hint: "conditions are joined with && and ||, not calculated with or compared")
    }
    return Measured(syntax: syntax, height: operand.height)
  }

  /// A value, or a value or condition in parentheses.
  private mutating func primary() throws(QueryError) -> Operand {
    let start = token.range.lowerBound
    guard token.kind == .leftParenthesis else {
      let value = try value(.value)
      return Operand(
        syntax: .expression(value.syntax), height: value.height, range: range(from: start),
        isPlainValue: true)
    }
    try enter()
    defer { leave() }
    try advance()
    var inner = try disjunction()
    try expect(.rightParenthesis, Parser.afterOperand(inner))
    inner.range = range(from: start)
    inner.isPlainValue = false
    return inner
  }

  /// The tokens that may follow `operand` in parentheses.
  private static func afterOperand(_ operand: Operand) -> Expectation {
    if case .predicate = operand.syntax { .conditionOrParenthesis } else { .valueOrParenthesis }
  }

  /// A value: a constant, a property, a list, an aggregate or a subquery.
  mutating func value(_ expected: Expectation) throws(QueryError) -> Measured<ExpressionSyntax> {
    let start = token.range.lowerBound
    switch token.kind {
    case .any, .all, .none: return Measured(syntax: try quantified(from: start), height: 1)
    case .leftBrace: return Measured(syntax: .list(try list(nil, expected: expected)), height: 1)
    case .subquery: return try subquery()
    case .binaryWord:
      let word = token
      try advance()
      if token.kind == .leftParenthesis {
        return Measured(syntax: .constant(try binary(from: start)), height: 1)
      }
      return Measured(syntax: try path(nil, from: start, first: word), height: 1)
    case .objectWord: return Measured(syntax: .constant(try object()), height: 1)
    case let kind where kind.isConstant:
      return Measured(syntax: .constant(try constant(expected)), height: 1)
    default: return Measured(syntax: try path(nil, expected: expected), height: 1)
    }
  }

  /// A list, an argument or a path with a quantifier, which is the next token.
  private mutating func quantified(from start: Int) throws(QueryError) -> ExpressionSyntax {
    let quantifier = try quantifier()
    switch token.kind {
    case .leftBrace:
      var list = try list(quantifier, expected: .quantified)
      list.range = range(from: start)
      return .list(list)
    case .argument:
      var constant = try constant(.quantified)
      (constant.quantifier, constant.range) = (quantifier, range(from: start))
      return .constant(constant)
    default:
      let value = try path(quantifier, from: start, expected: .quantified)
      guard case .aggregate(let aggregate) = value else { return value }
      throw unexpected(.quantified, at: aggregate.operationRange)
    }
  }

  mutating func quantifier() throws(QueryError) -> Quantifier? {
    let quantifier: Quantifier
    switch token.kind {
    case .any: quantifier = .any
    case .all: quantifier = .all
    case .none: quantifier = .none
    default: return nil
    }
    try advance()
    return quantifier
  }

  private mutating func subquery() throws(QueryError) -> Measured<ExpressionSyntax> {
    let start = token.range.lowerBound
    try enter()
    defer { leave() }
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .subquery))
    let path = try plainPath()
    try expect(.comma, .symbol(",", in: .subquery))
    let variableRange = token.range
    guard token.kind.isName else { throw unexpected(.variable) }
    try advance()
    try expect(.comma, .symbol(",", in: .subquery))
    let operand = try disjunction()
    let predicate = try predicate(operand)
    try expect(.rightParenthesis, .conditionOrParenthesis)
    try expect(.dot, .subqueryCount)
    try expect(.atSize, .subqueryCount)
    let syntax = SubquerySyntax(
      path: path, variable: lexer.name(at: variableRange), variableRange: variableRange,
      predicate: predicate.syntax, range: range(from: start))
    return Measured(
      syntax: .subquery(syntax), height: try above(predicate.height, at: syntax.range))
  }
}
