// Syntax errors: what was found, what was expected, and a hint for frequent mistakes.

extension Parser {
  /// The error that `expected` should be in the place of the next token.
  func unexpected(_ expected: Expectation) -> QueryError {
    QueryError(
      .syntax, "found \(found), expected \(expected.text)", at: token.range,
      hint: hint(expected: expected))
  }

  /// The error about a part that was read but is not allowed at its place.
  func unexpected(_ expected: Expectation, at range: TextRange) -> QueryError {
    QueryError(
      .syntax, "found \(lexer.quoted(range)), expected \(expected.text)", at: range,
      hint: expected == .quantified
        ? "ANY, ALL and NONE do not apply to an aggregate" : expected.hint)
  }

  private var found: String {
    switch token.kind {
    case .end: lexer.isFormula ? "the end of the expression" : "the end of the query"
    case .string: "the string \(lexer.quoted(token.range, quote: ""))"
    default: lexer.quoted(token.range)
    }
  }

  private func hint(expected: Expectation) -> String {
    hintAboutMistake(expected) ?? expected.hint
  }

  /// The hint about a frequent mistake; nil for others.
  private func hintAboutMistake(_ expected: Expectation) -> String? {
    switch expected {
    case .comparison, .comparisonOfExpression: hintAfterValue(expected)
    case .endOfQuery, .conditionOrParenthesis: hintAfterCondition
    case .value, .constant: hintInsteadOfValue
    case .quantified where !token.kind.isConstant:
      "the words any, some, all and none cannot be names; write a property of such a name as $K0, "
        + "with its name as argument"
    case .valueOrParenthesis where token.kind == .comma:
      "write a list of values in braces: IN {1, 2}"
    case .element where token.kind == .end: "close the list with }"
    case .member where token.kind.isReservedWord: Parser.reservedWordHint
    case .member where token.kind == .argument || token.kind == .keyPathArgument:
      "write an argument for a key in brackets, attrs[$0], and one for a path alone, $K0"
    case .limit where token.kind == .argument: "LIMIT takes a number, not an argument"
    case .coordinate where token.kind == .number:
      "a negative coordinate needs a decimal point: \(lexer.spelling(at: token.range)).0"
    case .position where token.kind == .number: "positions count from 0; the last one is [LAST]"
    default: nil
    }
  }

  private static let reservedWordHint =
    "this word cannot be a name; write such a property as $K0, with its path as argument"

  /// The hint about the token after a value, where an operator should be.
  private func hintAfterValue(_ expected: Expectation) -> String? {
    switch token.kind {
    case .number, .float:
      let sign = lexer.byte(token.range.lowerBound)
      guard sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return nil }
      let operation = String(UnicodeScalar(sign))
      return "a sign belongs to its number; write spaces on both sides of an operator: "
        + "n \(operation) \(lexer.spelling(at: token.range).dropFirst())"
    case .not: return "write NOT before the whole comparison: NOT age IN {1, 2}"
    case .identifier: return hintForWord
    case .leftParenthesis where previous.map { Parser.isOrdering($0.kind) } ?? false:
      return "\(previousText) follows a condition: TRUEPREDICATE \(previousText)(…)"
    case .beginsWith, .endsWith, .contains, .like, .text, .between, .geoWithin:
      return expected == .comparisonOfExpression
        ? "this operator takes a property or a constant, without parentheses and arithmetic" : nil
    case .end where previous?.kind == .trueWord || previous?.kind == .falseWord:
      return "TRUEPREDICATE matches every object, FALSEPREDICATE none"
    default: return nil
    }
  }

  private static func isOrdering(_ kind: TokenKind) -> Bool {
    kind == .sort || kind == .distinct || kind == .limit
  }

  private static func isComparison(_ kind: TokenKind) -> Bool {
    switch kind {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  private var previousText: String {
    previous.map { lexer.spelling(at: $0.range) } ?? ""
  }

  /// The hint about an identifier after a value.
  private var hintForWord: String? {
    let word = lexer.spelling(at: token.range)
    if Parser.hasTypographicQuotes(word) || Parser.hasTypographicQuotes(previousText) {
      return Parser.quotesHint
    }
    switch word.lowercased() {
    case "is": return "write == null or != null"
    case "startswith", "startwith", "beginwith": return "write BEGINSWITH"
    case "endwith": return "write ENDSWITH"
    case "contain", "includes": return "write CONTAINS"
    case "matches", "regexp", "rlike": return "there are no regular expressions; LIKE takes * and ?"
    case "equals", "eq": return "write =="
    case "in": return "write IN or in"
    case "not": return "write NOT or not, before the whole comparison"
    default:
      if let previous, previous.kind == .identifier,
        Keywords.otherCase(of: lexer.text[previous.range]) != nil
      {
        return "write \(previousText.uppercased()) or \(previousText.lowercased())"
      }
      return previous?.kind.isName == true
        ? "write a space in the name of a property as \"\\ \": \(previousText)\\ \(word)" : nil
    }
  }

  private var hintAfterCondition: String? {
    switch token.kind {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      "one comparison has two sides; join several with &&"
    case .caseFlag: "[c] follows ==, !=, IN, BEGINSWITH, ENDSWITH, CONTAINS or LIKE"
    case .number, .float: hintAfterValue(.comparison)
    case .string, .identifier:
      Parser.hasTypographicQuotes(lexer.spelling(at: token.range))
        || Parser.hasTypographicQuotes(previousText)
        ? Parser.quotesHint : "join conditions with && or ||"
    default: nil
    }
  }

  private var hintInsteadOfValue: String? {
    switch token.kind {
    case .caseFlag: "[c] follows ==, !=, IN, BEGINSWITH, ENDSWITH, CONTAINS or LIKE"
    case .minus where previous?.kind == .minus, .divided where previous?.kind == .divided:
      "there are no comments in a query"
    case .minus: "there is no minus before a property; write 0 - n"
    case .equal where previous?.kind == .equal: "write == for equality"
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      previous.map { Parser.isComparison($0.kind) } ?? false
        ? "the comparisons are ==, !=, <, <=, > and >=" : nil
    case .leftBracket: "write a list of values in braces: {1, 2}"
    case .not: "write NOT before a comparison: NOT active == true"
    case .identifier, .leftParenthesis:
      previous?.kind == .comma || previous?.kind == .leftBrace
        ? "a list holds only constants; write strings in quotes" : nil
    case let kind where kind.isReservedWord: Parser.reservedWordHint
    default: nil
    }
  }

  private static let quotesHint = "write strings in straight quotes, ' or \""

  private static func hasTypographicQuotes(_ text: String) -> Bool {
    text.contains { "“”„‘’‚«»".contains($0) }
  }
}
