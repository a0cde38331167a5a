/// A token of a query (chapter 6, section 4.1).
struct Token {
  var kind: TokenKind
  /// Place in the text; empty for the end.
  var range: TextRange
}

enum TokenKind: Hashable {
  /// The end of the text.
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
  /// The signs of `condition ? a : b`, which only expressions of migration plans have.
  case question, colon

  /// Whether the token can stand for the name of a property.
  var isName: Bool {
    switch self {
    case .identifier, .atLinks, .atKeys, .atValues, .isIn, .beginsWith, .endsWith, .contains,
      .like, .text, .between, .sort, .distinct, .limit, .ascending, .descending, .binaryWord,
      .firstWord, .lastWord, .sizeWord:
      true
    default: false
    }
  }

  /// Whether the token is a word that cannot be the name of a property, although it looks like one.
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
