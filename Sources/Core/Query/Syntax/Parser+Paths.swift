// Key paths, sizes and aggregates.

extension Parser {
  /// A path that starts at the next token, with its suffix or aggregate.
  mutating func path(
    _ quantifier: Quantifier?, from start: Int? = nil, expected: Expectation
  ) throws(QueryError) -> ExpressionSyntax {
    let first = token
    guard first.kind.isName || first.kind == .keyPathArgument else { throw unexpected(expected) }
    try advance()
    return try path(quantifier, from: start ?? first.range.lowerBound, first: first)
  }

  /// A path whose token `first` is consumed.
  mutating func path(
    _ quantifier: Quantifier?, from start: Int, first: Token
  ) throws(QueryError) -> ExpressionSyntax {
    var path = PathSyntax(
      quantifier: quantifier, steps: [step(of: first)], suffix: nil, range: first.range)
    while path.suffix == nil {
      let next = token.range.lowerBound
      if try consume(.dot) {
        if let operation = AggregateSyntax.Operation(token.kind) {
          path.range = start..<next
          return .aggregate(try aggregate(path, operation))
        }
        try member(of: &path)
      } else if token.kind == .leftBracket {
        try position(in: &path)
      } else {
        break
      }
    }
    path.range = range(from: start)
    return .path(path)
  }

  /// A path without a quantifier, a size, a type or an aggregate.
  mutating func plainPath() throws(QueryError) -> PathSyntax {
    let value = try path(nil, expected: .path)
    switch value {
    case .path(let path):
      guard path.suffix != nil, let last = path.steps.last else { return path }
      throw unexpected(.path, at: last.range.upperBound..<path.range.upperBound)
    default: throw unexpected(.path, at: value.range)
    }
  }

  /// The step of the first token of a path, or of a token after a dot.
  private func step(of token: Token) -> PathStepSyntax {
    let step: PathStepSyntax.Step =
      switch token.kind {
      case .atLinks: .links
      case .atKeys: .keys
      case .atValues: .values
      case .keyPathArgument: .keyPathArgument(number(after: 2, in: token.range))
      default: .name(lexer.name(at: token.range))
      }
    return PathStepSyntax(step: step, range: token.range)
  }

  /// A step or a suffix after a dot.
  private mutating func member(of path: inout PathSyntax) throws(QueryError) {
    switch token.kind {
    case .atSize: path.suffix = .size
    case .atType: path.suffix = .type
    case let kind where kind.isName: try append(step(of: token), to: &path)
    default: throw unexpected(.member)
    }
    try advance()
  }

  private func append(
    _ step: PathStepSyntax, to path: inout PathSyntax
  ) throws(QueryError) {
    guard path.steps.count < Parser.stepLimit else {
      throw QueryError(
        .tooLarge,
        "found a path of more than \(Parser.stepLimit) steps, expected at most \(Parser.stepLimit)",
        at: step.range, hint: "write a shorter path")
    }
    path.steps.append(step)
  }

  /// A step or a size in brackets.
  private mutating func position(in path: inout PathSyntax) throws(QueryError) {
    let start = token.range.lowerBound
    try advance()
    let step: PathStepSyntax.Step? =
      switch token.kind {
      case .natural: .index(Int(clamping: integer(at: token.range)))
      case .firstWord: .first
      case .lastWord: .last
      case .times: .all
      case .string: .key(string(at: token.range))
      case .argument: .argument(number(after: 1, in: token.range))
      case .sizeWord: nil
      default: throw unexpected(.position)
      }
    try advance()
    try expect(.rightBracket, .symbol("]", in: .position))
    if let step {
      try append(PathStepSyntax(step: step, range: range(from: start)), to: &path)
    } else {
      path.suffix = .size
    }
  }

  /// An aggregate over `path`; its `@` word is the next token.
  private mutating func aggregate(
    _ path: PathSyntax, _ operation: AggregateSyntax.Operation
  ) throws(QueryError) -> AggregateSyntax {
    let operationRange = token.range
    try advance()
    var property: PathStepSyntax?
    if try consume(.dot) {
      guard token.kind.isName else { throw unexpected(.member) }
      property = step(of: token)
      try advance()
    }
    return AggregateSyntax(
      path: path, operation: operation, operationRange: operationRange, property: property,
      range: range(from: path.range.lowerBound))
  }
}

extension AggregateSyntax.Operation {
  fileprivate init?(_ kind: TokenKind) {
    switch kind {
    case .atMax: self = .max
    case .atMin: self = .min
    case .atSum: self = .sum
    case .atAverage: self = .average
    default: return nil
    }
  }
}
