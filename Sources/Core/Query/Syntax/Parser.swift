/// Builds the tree of a query by recursive descent (chapter 6, section 4.2).
///
/// The bounds below keep the recursion of the parser, and of everything that walks the tree, within any
/// stack.
struct Parser {
  /// Largest size of a query in bytes.
  static let byteCountLimit = 1 << 20
  /// Largest nesting depth of parentheses, negations and subqueries, and largest height of the tree.
  static let nestingLimit = 100
  /// Largest number of steps in a path: the evaluator follows mixed values by recursion, a step at a time.
  static let stepLimit = 100

  private(set) var lexer: Lexer
  /// The next token.
  private(set) var token: Token
  /// The token before it.
  private(set) var previous: Token?
  /// Number of open parentheses, negations and subqueries.
  private var depth = 0

  /// - Parameter isFormula: whether `text` is an expression of a migration plan.
  init(_ text: String, isFormula: Bool = false) throws(QueryError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Parser.byteCountLimit else {
      throw QueryError(
        .tooLarge,
        "found \(isFormula ? "an expression" : "a query") of \(bytes.count) bytes, expected at most "
          + "\(Parser.byteCountLimit)",
        at: 0..<0,
        hint: isFormula
          ? "divide the expression between several steps"
          : "pass long lists of values as arguments")
    }
    lexer = Lexer(bytes, isFormula: isFormula)
    token = Token(kind: .end, range: 0..<0)
    token = try lexer.next()
  }

  /// The whole query.
  mutating func query() throws(QueryError) -> QuerySyntax {
    let operand = try disjunction()
    let predicate = try predicate(operand)
    let orderings = try orderings()
    guard token.kind == .end else { throw unexpected(.endOfQuery) }
    return QuerySyntax(text: lexer.text, predicate: predicate.syntax, orderings: orderings)
  }

  /// Paths, with commas between them.
  mutating func columns() throws(QueryError) -> [ExpressionSyntax] {
    var columns: [ExpressionSyntax] = []
    repeat { columns.append(try path(nil, expected: .path)) } while try consume(.comma)
    guard token.kind == .end else { throw unexpected(.endOfPaths) }
    return columns
  }

  // MARK: Tokens

  mutating func advance() throws(QueryError) {
    previous = token
    token = try lexer.next()
  }

  /// Consumes the next token if it is of `kind`; false if it is another one.
  mutating func consume(_ kind: TokenKind) throws(QueryError) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  /// Consumes a token of `kind` and returns its place.
  ///
  /// - Throws: ``QueryError`` that says what was expected in place of the token.
  @discardableResult
  mutating func expect(
    _ kind: TokenKind, _ expected: Expectation
  ) throws(QueryError) -> TextRange {
    let range = token.range
    guard try consume(kind) else { throw unexpected(expected) }
    return range
  }

  /// Splits the sign from a number that is the next token: in an expression, `n -1` is a difference.
  mutating func splitSign() {
    let kind: TokenKind
    switch (token.kind, lexer.byte(token.range.lowerBound)) {
    case (.number, UInt8(ascii: "+")), (.float, UInt8(ascii: "+")), (.infinity, UInt8(ascii: "+")):
      kind = .plus
    case (.number, UInt8(ascii: "-")), (.float, UInt8(ascii: "-")), (.infinity, UInt8(ascii: "-")):
      kind = .minus
    default: return
    }
    let end = token.range.lowerBound + 1
    token = Token(kind: kind, range: token.range.lowerBound..<end)
    lexer.position = end
  }

  /// The place from `start` to the end of the previous token.
  func range(from start: Int) -> TextRange {
    start..<max(start, previous?.range.upperBound ?? start)
  }

  // MARK: Bounds

  /// Enters a parenthesis, a negation, a subquery or another nested part; ``leave()`` leaves it.
  mutating func enter() throws(QueryError) {
    guard depth < Parser.nestingLimit else { throw tooDeep(at: token.range) }
    depth += 1
  }

  mutating func leave() { depth -= 1 }

  /// The height of a node above children of the given height.
  func above(_ height: Int, at range: TextRange) throws(QueryError) -> Int {
    guard height < Parser.nestingLimit else { throw tooDeep(at: range) }
    return height + 1
  }

  private func tooDeep(at range: TextRange) -> QueryError {
    QueryError(
      .tooLarge,
      "found more than \(Parser.nestingLimit) levels of nesting, expected at most "
        + "\(Parser.nestingLimit)",
      at: range, hint: "chains of && and of || may have any length; IN compares with many values")
  }
}

/// An operand of an operator: a condition or a value. The parser knows which one only after the closing
/// parenthesis.
struct Operand {
  enum Syntax {
    case predicate(PredicateSyntax)
    case expression(ExpressionSyntax)
  }

  var syntax: Syntax
  /// Height of the tree, at least 1.
  var height: Int
  /// Place, including parentheses.
  var range: TextRange
  /// Whether it is a value without parentheses and arithmetic, which `CONTAINS`, `BETWEEN` and others need.
  var isPlainValue = false
}

/// A part of the tree and its height.
struct Measured<Syntax> {
  var syntax: Syntax
  var height: Int
}

extension QuerySyntax {
  /// Parses a query (chapter 6, sections 4.1 and 4.2).
  ///
  /// - Parameter text: the query; untrusted.
  /// - Throws: ``QueryError`` of kind `syntax`, `value` for a constant out of range, or `tooLarge`.
  package init(parsing text: String) throws(QueryError) {
    var parser = try Parser(text)
    self = try parser.query()
  }
}
