/// A token of a query (chapter 6, section 4.1).
struct Token {
  var kind: TokenKind
  /// Place in the query; empty for the end.
  var range: TextRange
}

enum TokenKind: Hashable {
  /// The end of the query.
  case end
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  case and, or, not
  case any, all, none
  case isIn, beginsWith, endsWith, contains, like, text, between, geoWithin
  case truePredicate, falsePredicate
  case sort, distinct, limit, ascending, descending
  /// The words `bin` and `binary`.
  case binaryWord
  /// The word `obj`.
  case objectWord
  case subquery, geoBox, geoPolygon, geoCircle
  /// The words that start with `@`; `@count` is `@size`.
  case atSize, atMax, atMin, atSum, atAverage, atLinks, atType, atKeys, atValues
  /// The positions `FIRST`, `LAST` and `SIZE`.
  case firstWord, lastWord, sizeWord
  /// `[c]`.
  case caseFlag
  case trueWord, falseWord, null, infinity, notANumber
  /// `uuid(…)` and `oid(…)`.
  case uuid, objectId
  /// `T<seconds>:<nanoseconds>`.
  case timestamp
  /// `<year>-<month>-<day>@<hour>:<minute>:<second>`, with or without nanoseconds.
  case calendarDate
  /// `O<digits>` and `L<digits>:<digits>`.
  case objectKey, typedKey
  /// Digits only.
  case natural
  /// Digits with a sign, or hexadecimal.
  case number
  case float
  /// `$<digits>` and `$K<digits>`.
  case argument, keyPathArgument
  case base64, string, identifier
  case plus, minus, times, divided
  case leftBracket, rightBracket, leftParenthesis, rightParenthesis, leftBrace, rightBrace
  case comma, dot
  /// The signs of `condition ? a : b`, only in expressions of migration plans.
  case question, colon

  /// Whether the token can be the name of a property.
  var isName: Bool {
    switch self {
    case .identifier, .atLinks, .atKeys, .atValues, .isIn, .beginsWith, .endsWith, .contains,
      .like, .text, .between, .sort, .distinct, .limit, .ascending, .descending, .binaryWord,
      .firstWord, .lastWord, .sizeWord:
      true
    default: false
    }
  }

  /// Whether the token looks like the name of a property but cannot be one.
  var isReservedWord: Bool {
    switch self {
    case .any, .all, .none, .geoWithin, .truePredicate, .falsePredicate,
      .objectWord, .subquery, .geoBox, .geoPolygon, .geoCircle, .trueWord, .falseWord, .null,
      .infinity, .notANumber, .objectKey:
      true
    default: false
    }
  }

  /// Whether the token starts a constant.
  var isConstant: Bool {
    switch self {
    case .trueWord, .falseWord, .null, .infinity, .notANumber, .uuid, .objectId, .timestamp,
      .calendarDate, .objectKey, .typedKey, .natural, .number, .float, .argument, .base64, .string:
      true
    default: false
    }
  }
}

/// The words of the language (chapter 6, section 4.1).
enum Keywords {
  /// Words that may have any case, by their lower case.
  private static let anyCase: [String: TokenKind] = [
    "and": .and, "or": .or, "null": .null, "nil": .null, "inf": .infinity, "infinity": .infinity,
    "nan": .notANumber, "beginswith": .beginsWith, "endswith": .endsWith, "contains": .contains,
    "text": .text, "like": .like, "between": .between, "geowithin": .geoWithin,
    "truepredicate": .truePredicate, "falsepredicate": .falsePredicate, "sort": .sort,
    "distinct": .distinct, "limit": .limit, "bin": .binaryWord, "binary": .binaryWord,
    "obj": .objectWord, "asc": .ascending, "ascending": .ascending, "desc": .descending,
    "descending": .descending, "subquery": .subquery, "geobox": .geoBox,
    "geopolygon": .geoPolygon, "geocircle": .geoCircle,
  ]

  /// Words that must be all lower case or all upper case, by their lower case.
  private static let oneCase: [String: TokenKind] = [
    "not": .not, "any": .any, "some": .any, "all": .all, "none": .none, "in": .isIn,
    "first": .firstWord, "last": .lastWord, "size": .sizeWord, "true": .trueWord,
    "false": .falseWord,
  ]

  /// The words that start with `@`, case-sensitive. No word is a prefix of another.
  static let atWords: [(text: String, kind: TokenKind)] = [
    ("@size", .atSize), ("@count", .atSize), ("@max", .atMax), ("@min", .atMin), ("@sum", .atSum),
    ("@avg", .atAverage), ("@links", .atLinks), ("@type", .atType), ("@keys", .atKeys),
    ("@values", .atValues),
  ]

  private static let longestByteCount = 14

  /// The keyword with this spelling; nil for an identifier.
  static func kind(of word: ArraySlice<UInt8>) -> TokenKind? {
    guard let (lower, isOneCase) = lowerCase(word) else { return nil }
    return anyCase[lower] ?? (isOneCase ? oneCase[lower] : nil)
  }

  /// The keyword that `word` would be in another case; nil if there is none.
  static func otherCase(of word: ArraySlice<UInt8>) -> TokenKind? {
    lowerCase(word).flatMap { oneCase[$0.text] }
  }

  /// The lower case of a word that could be a keyword, and whether all its letters have the same
  /// case.
  private static func lowerCase(_ word: ArraySlice<UInt8>) -> (text: String, isOneCase: Bool)? {
    let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard word.count <= longestByteCount, word.allSatisfy({ letters.contains($0 & ~0x20) }) else {
      return nil
    }
    let upperCount = word.count { letters.contains($0) }
    let lower = String(decoding: word.map { $0 | 0x20 }, as: UTF8.self)
    return (lower, upperCount == 0 || upperCount == word.count)
  }
}
