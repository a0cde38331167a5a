/// Builds the tree of a query by recursive descent (chapter 6, section 4.2).
///
/// The bounds below keep the recursion of the parser, and of all that walks through the tree, inside
/// any stack.
struct Parser {
  /// Largest size of a query in bytes.
  static let byteCountLimit = 1 << 20
  /// How deep parentheses, negations and subqueries may nest, and how high the tree may be.
  static let nestingLimit = 100
  /// The most steps of a path: mixed values are followed by recursion, a step at a time.
  static let stepLimit = 100

  private(set) var lexer: Lexer
  /// The token that is looked at next.
  private(set) var token: Token
  /// The token before it.
  private(set) var previous: Token?
  /// Number of parentheses, negations and subqueries that are open.
  private var depth = 0

  /// - Parameter isFormula: whether the text is an expression of a migration plan.
  init(_ text: String, isFormula: Bool = false) throws(QueryError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Parser.byteCountLimit else {
      throw QueryError(
        .tooLarge,
        "found a query of \(bytes.count) bytes, expected at most \(Parser.byteCountLimit)",
        at: 0..<0, hint: "long lists of values can be arguments")
    }
    lexer = Lexer(bytes, isFormula: isFormula)
    token = Token(kind: .end, range: 0..<0)
    token = try lexer.next()
  }

  /// The whole query.
  mutating func query() throws(QueryError) -> QuerySyntax {
    let predicate = try condition { (parser) throws(QueryError) in try parser.disjunction() }
    let orderings = try orderings()
    guard token.kind == .end else { throw unexpected(.endOfQuery) }
    return QuerySyntax(text: lexer.text, predicate: predicate.syntax, orderings: orderings)
  }

  /// Paths with what may follow them, and commas between them.
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

  /// Consumes a token of `kind`; false if there is another one.
  mutating func consume(_ kind: TokenKind) throws(QueryError) -> Bool {
    guard token.kind == kind else { return false }
    try advance()
    return true
  }

  /// Consumes a token of `kind` and returns its place.
  ///
  /// - Throws: ``QueryError`` that says what was expected instead of the token.
  @discardableResult
  mutating func expect(
    _ kind: TokenKind, _ expected: Expectation
  ) throws(QueryError) -> TextRange {
    let range = token.range
    guard try consume(kind) else { throw unexpected(expected) }
    return range
  }

  /// Makes an operator of the sign of the number that is the next token: in an expression, `n -1` is a
  /// difference.
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

  /// The place from `start` to the end of the token before.
  func range(from start: Int) -> TextRange {
    start..<max(start, previous?.range.upperBound ?? start)
  }

  // MARK: Bounds

  /// Calls `body` one level deeper.
  mutating func nested<R>(
    _ body: (inout Parser) throws(QueryError) -> R
  ) throws(QueryError) -> R {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Parser.nestingLimit else { throw tooDeep(at: token.range) }
    return try body(&self)
  }

  /// The height of a node above children of the given height.
  func above(_ height: Int, at range: TextRange) throws(QueryError) -> Int {
    guard height < Parser.nestingLimit else { throw tooDeep(at: range) }
    return height + 1
  }

  private func tooDeep(at range: TextRange) -> QueryError {
    QueryError(
      .tooLarge, "found more than \(Parser.nestingLimit) levels of nesting, expected at most that",
      at: range, hint: "chains of && and of || may have any length; IN compares with many values")
  }
}

extension QuerySyntax {
  /// Reads a query (chapter 6, sections 4.1 and 4.2).
  ///
  /// - Parameter text: the query; untrusted.
  /// - Throws: ``QueryError`` of kind `syntax`, `value` for a constant out of range, or `tooLarge`.
  package init(parsing text: String) throws(QueryError) {
    var parser = try Parser(text)
    self = try parser.query()
  }
}
