import RealmModel
import RealmStorage

/// The words of a full-text search (chapter 6, section 4.15).
struct TextSearch: Sendable {
  /// Words that must occur.
  var words: [[UInt8]] = []
  /// Prefixes of words that must occur.
  var prefixes: [[UInt8]] = []
  /// Words that must not occur.
  var excluded: [[UInt8]] = []

  /// True if the search has only words that must not occur.
  var isExclusion: Bool { words.isEmpty && prefixes.isEmpty }

  /// An error in a search.
  enum Failure: Error {
    case empty
    /// A word contains a character that separates words.
    case separated(String)
    case includedAndExcluded(String)
  }

  init(_ text: [UInt8]) throws(Failure) {
    for part in text.split(whereSeparator: Lexer.isCSpace) {
      let isExcluded = part.first == UInt8(ascii: "-")
      let isPrefix = part.last == UInt8(ascii: "*")
      let column = SliceColumn(copying: [Array(part)])
      let found = withExtendedLifetime(column) { FullTextWords.words(of: column[0] ?? .empty) }
      guard found.count <= 1 else { throw .separated(String(decoding: part, as: UTF8.self)) }
      let word = found.first ?? []
      if isExcluded {
        excluded.append(word)
      } else if isPrefix, !word.isEmpty {
        prefixes.append(word)
      } else {
        words.append(word)
      }
    }
    guard !words.isEmpty || !prefixes.isEmpty || !excluded.isEmpty else { throw .empty }
    if let both = excluded.first(where: { words.contains($0) }) {
      throw .includedAndExcluded(String(decoding: both, as: UTF8.self))
    }
  }
}
