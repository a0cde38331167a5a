// Strings, and errors about bytes that start no token.

extension Lexer {
  /// The string that starts with the quote at `start`. Escapes are checked but not translated.
  ///
  /// - Throws: ``QueryError`` if the string has no end or an invalid escape.
  func string(at start: Int) throws(QueryError) -> (TokenKind, Int) {
    let quote = text[start]
    var index = start + 1
    while index < text.count {
      switch text[index] {
      case quote: return (.string, index + 1)
      case UInt8(ascii: "\\"):
        guard let end = escapeEnd(at: index) else { throw wrongEscape(at: index) }
        index = end
      default: index += 1
      }
    }
    let sign = String(UnicodeScalar(quote))
    throw QueryError(
      .syntax, "found a string without an end, expected a closing \(sign)",
      at: start..<start + 1,
      hint: isFormula
        ? "write a quote in a string as \\\" or \\'"
        : "write a string with both kinds of quotes as B64\"…\" or as an argument such as $0"
    )
  }

  /// The end of the escape whose backslash is at `start`; nil if there is no such escape.
  private func escapeEnd(at start: Int) -> Int? {
    switch byte(start + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
      UInt8(ascii: "0"), UInt8(ascii: "\\"):
      start + 2
    case UInt8(ascii: "u") where (2..<6).allSatisfy({ Lexer.isHexDigit(byte(start + $0)) }):
      start + 6
    default: nil
    }
  }

  private func wrongEscape(at start: Int) -> QueryError {
    let range = start..<characterEnd(after: start + 1)
    return QueryError(
      .syntax,
      "found \(quoted(range)), expected one of \\\" \\' \\/ \\\\ \\b \\f \\n \\r \\t \\0, or \\u and "
        + "four hexadecimal digits",
      at: range,
      hint: isFormula
        ? "write \\\\ for a backslash"
        : "no escape is translated: \\\\ is two backslashes; B64\"…\" or an argument such as $0 "
          + "can hold any string")
  }

  /// The error about bytes at `start` that start no token.
  func invalidCharacter(at start: Int) -> QueryError {
    let range = start..<characterEnd(after: start)
    return QueryError(
      .syntax, "found \(quoted(range)), which is not part of the language", at: range,
      hint: invalidCharacterHint(at: start))
  }

  private func invalidCharacterHint(at start: Int) -> String {
    switch text[start] {
    case UInt8(ascii: "&"): "write && or AND"
    case UInt8(ascii: "|"): "write || or OR"
    case UInt8(ascii: ";"): "a query ends without ;"
    case UInt8(ascii: "%"): "there is no remainder operator, and LIKE takes * and ?"
    case UInt8(ascii: "#"): "there are no comments in a query"
    case UInt8(ascii: "~"): "compare strings with CONTAINS, BEGINSWITH, ENDSWITH and LIKE"
    case UInt8(ascii: "`"): "write strings in ' or \""
    case UInt8(ascii: "@"):
      "the words with @ are @count, @size, @min, @max, @sum, @avg, @links, @type, @keys and @values"
    case UInt8(ascii: "\\"): "write a space in the name of a property as \"\\ \""
    default:
      isFormula
        ? "write strings in quotes"
        : "write strings in quotes, or pass them as arguments such as $0"
    }
  }

  /// The end of the character at `start`; the end of the query if there is none.
  private func characterEnd(after start: Int) -> Int {
    guard start < text.count else { return text.count }
    var end = start + 1
    while byte(end) & 0xC0 == 0x80 { end += 1 }
    return end
  }

  /// The part of the query at `range` in quotes, shortened for a message.
  func quoted(_ range: TextRange, quote: String = "'") -> String {
    let limit = 40
    let text = String(decoding: text[range].prefix(4 * limit), as: UTF8.self)
    return quote + (text.count > limit ? text.prefix(limit) + "…" : text) + quote
  }
}
