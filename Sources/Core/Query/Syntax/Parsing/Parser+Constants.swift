internal import RealmStorage

// Constants and lists of them (chapter 6, sections 4.1 and 4.4).

extension Parser {
  /// `{a, b, …}`; its brace is the next token.
  mutating func list(
    _ quantifier: QuantifierSyntax?, expected: Expectation
  ) throws(QueryError) -> ListSyntax {
    let start = token.range.lowerBound
    try expect(.leftBrace, expected)
    var elements: [ConstantSyntax] = []
    if token.kind != .rightBrace {
      repeat { elements.append(try element()) } while try consume(.comma)
    }
    try expect(.rightBrace, .element)
    return ListSyntax(quantifier: quantifier, elements: elements, range: range(from: start))
  }

  /// A constant in a list.
  private mutating func element() throws(QueryError) -> ConstantSyntax {
    let start = token.range.lowerBound
    if let quantifier = try quantifier() {
      guard token.kind == .argument else { throw unexpected(.argument) }
      var constant = try constant(.argument)
      (constant.quantifier, constant.range) = (quantifier, range(from: start))
      return constant
    }
    switch token.kind {
    case .objectWord: return try object()
    case .binaryWord:
      try advance()
      return try binary(from: start)
    default: return try constant(.constant)
    }
  }

  /// A constant of one token.
  mutating func constant(_ expected: Expectation) throws(QueryError) -> ConstantSyntax {
    let range = token.range
    let value: ConstantSyntax.Value =
      switch token.kind {
      case .null: .null
      case .trueWord: .bool(true)
      case .falseWord: .bool(false)
      case .natural, .number: .int(integer(at: range))
      case .float: .float(number(at: range), text: floatText(at: range))
      case .infinity: infinity(at: range)
      case .notANumber: .float(.nan, text: lexer.spelling(at: range))
      case .string: .string(string(at: range))
      case .base64: .base64(try base64(at: range))
      case .timestamp: try timestamp(at: range)
      case .calendarDate: try calendarDate(at: range)
      case .objectId: .objectId(hexDigits(in: range))
      case .uuid: .uuid(hexDigits(in: range))
      case .objectKey: .objectKey(decimal(range.lowerBound + 1..<range.upperBound))
      case .typedKey: try typedKey(at: range)
      case .argument: .argument(number(after: 1, in: range))
      default: throw unexpected(expected)
      }
    try advance()
    return ConstantSyntax(value: value, range: range)
  }

  /// `obj('Class', primaryKey)`; the word is the next token.
  mutating func object() throws(QueryError) -> ConstantSyntax {
    let start = token.range.lowerBound
    try advance()
    try expect(.leftParenthesis, .symbol("("))
    let name = try expect(.string, .className)
    try expect(.comma, .symbol(","))
    switch token.kind {
    case .string, .natural, .number, .uuid, .objectId, .argument: break
    default: throw unexpected(.primaryKey)
    }
    let key = try constant(.primaryKey)
    try expect(.rightParenthesis, .symbol(")"))
    return ConstantSyntax(
      value: .object(className: string(at: name), primaryKey: [key]), range: range(from: start))
  }

  /// `binary(…)`; the word, which starts at `start`, was consumed.
  mutating func binary(from start: Int) throws(QueryError) -> ConstantSyntax {
    try expect(.leftParenthesis, .symbol("("))
    let bytes: [UInt8]
    switch token.kind {
    case .string: bytes = string(at: token.range)
    case .base64: bytes = try base64(at: token.range)
    default: throw unexpected(.bytes)
    }
    try advance()
    try expect(.rightParenthesis, .symbol(")"))
    return ConstantSyntax(value: .binary(bytes), range: range(from: start))
  }

  // MARK: Values of tokens

  /// The bytes between the quotes.
  func string(at range: TextRange) -> [UInt8] {
    Array(lexer.text[range.lowerBound + 1..<range.upperBound - 1])
  }

  private func base64(at range: TextRange) throws(QueryError) -> [UInt8] {
    var digits = Array(lexer.text[range.lowerBound + 4..<range.upperBound - 1])
    // The reference takes it without padding too.
    if digits.last != UInt8(ascii: "="), digits.count % 4 != 1 {
      while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
    }
    guard let bytes = Base64.bytes(digits) else {
      throw QueryError(
        .value, "found \(lexer.quoted(range)), expected base64 in groups of four characters",
        at: range, hint: "write it anew, for example with `base64 -w0`")
    }
    return bytes
  }

  /// The bytes that the hexadecimal digits in parentheses spell; the lexer has counted them.
  private func hexDigits(in range: TextRange) -> [UInt8] {
    let digits = lexer.text[range].drop { $0 != UInt8(ascii: "(") }.filter(Lexer.isHexDigit)
    return Hexadecimal.bytes(digits) ?? []
  }

  /// The number after the first `count` characters of an argument; as large as possible if it is too
  /// large.
  func number(after count: Int, in range: TextRange) -> Int {
    Int(clamping: decimal(range.lowerBound + count..<range.upperBound))
  }

  /// The spelling of a float without the suffix `f`.
  private func floatText(at range: TextRange) -> String {
    let text = lexer.spelling(at: range)
    return text.last == "f" ? String(text.dropLast()) : text
  }

  /// The number that a float spells; infinity if it is too large.
  func number(at range: TextRange) -> Double {
    // The standard library takes every float that the lexer takes.
    Double(floatText(at: range)) ?? .nan
  }

  private func infinity(at range: TextRange) -> ConstantSyntax.Value {
    let isNegative = lexer.byte(range.lowerBound) == UInt8(ascii: "-")
    return .float(isNegative ? -.infinity : .infinity, text: lexer.spelling(at: range))
  }

  private func typedKey(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let colon = lexer.text[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
    let table = decimal(range.lowerBound + 1..<colon)
    guard let table = UInt32(exactly: table) else {
      throw QueryError(
        .value, "found the table key \(table), expected at most \(UInt32.max)", at: range)
    }
    return .typedKey(
      table: table, key: decimal(min(colon + 1, range.upperBound)..<range.upperBound))
  }
}
