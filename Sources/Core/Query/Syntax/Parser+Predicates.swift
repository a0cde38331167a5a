// Conditions and the operators between them, the loosest first.

extension Parser {
  mutating func disjunction() throws(QueryError) -> Operand {
    let first = try conjunction()
    guard token.kind == .or else { return first }
    let start = try predicate(first)
    var (terms, height) = ([start.syntax], start.height)
    while try consume(.or) {
      let operand = try conjunction()
      let next = try predicate(operand)
      terms.append(next.syntax)
      height = max(height, next.height)
    }
    let range = range(from: first.range.lowerBound)
    return Operand(
      syntax: .predicate(.or(terms)), height: try above(height, at: range), range: range)
  }

  private mutating func conjunction() throws(QueryError) -> Operand {
    let first = try negation()
    guard token.kind == .and else { return first }
    let start = try predicate(first)
    var (terms, height) = ([start.syntax], start.height)
    while try consume(.and) {
      let operand = try negation()
      let next = try predicate(operand)
      terms.append(next.syntax)
      height = max(height, next.height)
    }
    let range = range(from: first.range.lowerBound)
    return Operand(
      syntax: .predicate(.and(terms)), height: try above(height, at: range), range: range)
  }

  private mutating func negation() throws(QueryError) -> Operand {
    let start = token.range.lowerBound
    guard token.kind == .not else { return try comparison() }
    try enter()
    defer { leave() }
    try advance()
    let operand = try negation()
    let negated = try predicate(operand)
    let range = range(from: start)
    return Operand(
      syntax: .predicate(.not(negated.syntax)), height: try above(negated.height, at: range),
      range: range)
  }

  /// A comparison; without a comparison operator, a condition in parentheses or a value.
  private mutating func comparison() throws(QueryError) -> Operand {
    let start = token.range.lowerBound
    if let constant = try constantPredicate() {
      return Operand(syntax: .predicate(constant), height: 1, range: range(from: start))
    }
    let left = try sum()
    guard case .expression(let leftValue) = left.syntax else { return left }
    let operation = token
    let (syntax, height): (PredicateSyntax, Int)
    switch operation.kind {
    case .between where left.isPlainValue:
      try advance()
      let quantifier = try quantifier()
      let bounds = try list(quantifier, expected: .bounds)
      syntax = .between(BetweenSyntax(value: leftValue, range: operation.range, bounds: bounds))
      height = left.height
    case .geoWithin where left.isPlainValue:
      guard case .path(let path) = leftValue else { return left }
      syntax = .geoWithin(try geoWithin(path))
      height = left.height
    default:
      guard let comparison = ComparisonSyntax.Operation(operation.kind),
        left.isPlainValue || !comparison.takesPlainValues
      else { return left }
      try advance()
      let ignoresCase = comparison.canIgnoreCase ? try consume(.caseFlag) : false
      let right: Measured<ExpressionSyntax>
      if comparison.takesPlainValues {
        right = try value(.value)
      } else {
        right = try expression(sum())
      }
      syntax = .comparison(
        ComparisonSyntax(
          left: leftValue, operation: comparison, range: operation.range, ignoresCase: ignoresCase,
          right: right.syntax))
      height = max(left.height, right.height)
    }
    let range = range(from: start)
    return Operand(syntax: .predicate(syntax), height: try above(height, at: range), range: range)
  }

  private mutating func constantPredicate() throws(QueryError) -> PredicateSyntax? {
    switch token.kind {
    case .truePredicate:
      try advance()
      return .constant(true)
    case .falsePredicate:
      try advance()
      return .constant(false)
    default: return nil
    }
  }

  /// Returns `operand`, which was just read, as a condition.
  ///
  /// - Throws: ``QueryError`` if it is a value; the error is about the next token, where an operator should be.
  func predicate(_ operand: Operand) throws(QueryError) -> Measured<PredicateSyntax> {
    guard case .predicate(let syntax) = operand.syntax else {
      throw unexpected(operand.isPlainValue ? .comparison : .comparisonOfExpression)
    }
    return Measured(syntax: syntax, height: operand.height)
  }

  // MARK: SORT, DISTINCT and LIMIT

  mutating func orderings() throws(QueryError) -> [OrderingSyntax] {
    var orderings: [OrderingSyntax] = []
    while let ordering = try ordering() { orderings.append(ordering) }
    return orderings
  }

  private mutating func ordering() throws(QueryError) -> OrderingSyntax? {
    let kind = token.kind
    guard kind == .sort || kind == .distinct || kind == .limit else { return nil }
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .ordering))
    let ordering: OrderingSyntax
    switch kind {
    case .sort: ordering = .sort(try sortKeys())
    case .distinct: ordering = .distinct(try paths())
    default:
      let count = token.range
      try expect(.natural, .limit)
      ordering = .limit(Int(clamping: integer(at: count)))
    }
    try expect(
      .rightParenthesis, kind == .limit ? .symbol(")", in: .ordering) : .listEnd(")", in: .ordering)
    )
    return ordering
  }

  private mutating func sortKeys() throws(QueryError) -> [SortKeySyntax] {
    var keys: [SortKeySyntax] = []
    repeat {
      let path = try plainPath()
      let isAscending = try consume(.ascending)
      if !isAscending { try expect(.descending, .direction) }
      keys.append(SortKeySyntax(path: path, isAscending: isAscending))
    } while try consume(.comma)
    return keys
  }

  private mutating func paths() throws(QueryError) -> [PathSyntax] {
    var paths: [PathSyntax] = []
    repeat { paths.append(try plainPath()) } while try consume(.comma)
    return paths
  }
}

extension ComparisonSyntax.Operation {
  init?(_ kind: TokenKind) {
    switch kind {
    case .equal: self = .equal
    case .notEqual: self = .notEqual
    case .less: self = .less
    case .lessOrEqual: self = .lessOrEqual
    case .greater: self = .greater
    case .greaterOrEqual: self = .greaterOrEqual
    case .isIn: self = .isIn
    case .beginsWith: self = .beginsWith
    case .endsWith: self = .endsWith
    case .contains: self = .contains
    case .like: self = .like
    case .text: self = .text
    default: return nil
    }
  }

  /// Whether `[c]` may follow.
  var canIgnoreCase: Bool {
    switch self {
    case .equal, .notEqual, .isIn, .beginsWith, .endsWith, .contains, .like: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .text: false
    }
  }

  /// Whether its sides cannot have arithmetic and parentheses.
  var takesPlainValues: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .text: true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: false
    }
  }
}
