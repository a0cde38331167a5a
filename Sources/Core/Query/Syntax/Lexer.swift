/// Splits a query into tokens, by longest match (chapter 6, section 4.1).
struct Lexer {
  let text: [UInt8]
  /// Whether it is an expression of a migration plan, which has `condition ? a : b`.
  let isFormula: Bool
  /// Where the search for the next token starts.
  var position = 0

  init(_ text: [UInt8], isFormula: Bool = false) {
    (self.text, self.isFormula) = (text, isFormula)
  }

  /// The byte at `index`; after the end 0, which only strings may contain.
  func byte(_ index: Int) -> UInt8 {
    index < text.count ? text[index] : 0
  }

  /// The next token; after the last one, always ``TokenKind/end``.
  ///
  /// - Throws: ``QueryError`` of kind `syntax` where no token starts.
  mutating func next() throws(QueryError) -> Token {
    while position < text.count, Lexer.isSpace(text[position]) { position += 1 }
    let start = position
    guard start < text.count else { return Token(kind: .end, range: start..<start) }
    let (kind, end) = try match(at: start)
    position = end
    return Token(kind: kind, range: start..<end)
  }

  /// The longest token at `start`, and where it ends.
  private func match(at start: Int) throws(QueryError) -> (kind: TokenKind, end: Int) {
    switch text[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return try string(at: start)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
      if let number = number(at: start) { return number }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      if let number = number(at: start) ?? signedWord(at: start) { return number }
    case UInt8(ascii: "@"):
      for word in Keywords.atWords where starts(with: word.text, at: start) {
        return (word.kind, start + word.text.utf8.count)
      }
    case let first where Lexer.isNameStart(first):
      return wordLikeConstant(at: start) ?? word(at: start)
    default: break
    }
    guard let symbol = symbol(at: start) else { throw invalidCharacter(at: start) }
    return symbol
  }

  /// An operator, a bracket or another token of one to three characters that are not letters.
  private func symbol(at start: Int) -> (TokenKind, Int)? {
    let two: TokenKind? =
      switch (text[start], byte(start + 1)) {
      case (UInt8(ascii: "="), UInt8(ascii: "=")): .equal
      case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")):
        .notEqual
      case (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: "<")):
        .lessOrEqual
      case (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: ">")):
        .greaterOrEqual
      case (UInt8(ascii: "&"), UInt8(ascii: "&")): .and
      case (UInt8(ascii: "|"), UInt8(ascii: "|")): .or
      default: nil
      }
    if let two { return (two, start + 2) }
    if starts(with: "[c]", at: start) { return (.caseFlag, start + 3) }
    let one: TokenKind? =
      switch text[start] {
      case UInt8(ascii: "="): .equal
      case UInt8(ascii: "<"): .less
      case UInt8(ascii: ">"): .greater
      case UInt8(ascii: "!"): .not
      case UInt8(ascii: "+"): .plus
      case UInt8(ascii: "-"): .minus
      case UInt8(ascii: "*"): .times
      case UInt8(ascii: "/"): .divided
      case UInt8(ascii: "["): .leftBracket
      case UInt8(ascii: "]"): .rightBracket
      case UInt8(ascii: "("): .leftParenthesis
      case UInt8(ascii: ")"): .rightParenthesis
      case UInt8(ascii: "{"): .leftBrace
      case UInt8(ascii: "}"): .rightBrace
      case UInt8(ascii: ","): .comma
      case UInt8(ascii: "."): .dot
      case UInt8(ascii: "?") where isFormula: .question
      case UInt8(ascii: ":") where isFormula: .colon
      default: nil
      }
    return one.map { ($0, start + 1) }
  }

  /// Whether `prefix` is at `start`.
  func starts(with prefix: String, at start: Int) -> Bool {
    text[start...].starts(with: prefix.utf8)
  }

  func spelling(at range: TextRange) -> String {
    String(decoding: text[range], as: UTF8.self)
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
      || byte == UInt8(ascii: "\n")
  }

  /// Whether C's `isspace` holds for `byte`: also vertical tab and form feed.
  static func isCSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
  }

  /// Whether an identifier can start with `byte`: a letter, `_`, `$`, or a part of a character outside
  /// ASCII. The query is valid UTF-8, so such parts form whole characters.
  static func isNameStart(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$") || byte >= 0x80
  }
}
