/// The words of the language (chapter 6, section 4.1).
enum Keywords {
  /// Words in any case, by their lower case.
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

  /// Words that are all lower case or all upper case, by their lower case.
  private static let oneCase: [String: TokenKind] = [
    "not": .not, "any": .any, "some": .any, "all": .all, "none": .none, "in": .isIn,
    "first": .firstWord, "last": .lastWord, "size": .sizeWord, "true": .trueWord,
    "false": .falseWord,
  ]

  /// The words that start with `@`, case-sensitive. None is the start of another.
  static let atWords: [(text: StaticString, kind: TokenKind)] = [
    ("@size", .atSize), ("@count", .atSize), ("@max", .atMax), ("@min", .atMin), ("@sum", .atSum),
    ("@avg", .atAverage), ("@links", .atLinks), ("@type", .atType), ("@keys", .atKeys),
    ("@values", .atValues),
  ]

  private static let longestByteCount = 14

  /// The meaning of `word`, which looks like an identifier; nil if it is one.
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
