/// What a text format could not hold of the values that it was given, counted.
public struct TextLosses: Sendable {
  /// What became of a value.
  public enum Kind: Int, Sendable, CaseIterable {
    /// Strings and keys that are not UTF-8: their invalid bytes became U+FFFD.
    case invalidText
    /// NaN and infinite numbers, where the format has no text for them: null.
    case notFiniteNumbers
    /// Dates whose nanoseconds are not whole milliseconds: cut to milliseconds.
    case cutDates
    /// Dates outside the range of the format: null.
    case outlyingDates
    /// Links to objects that do not exist: null.
    case unresolvedLinks
    /// Links to objects whose primary key is null: null, as no link at all.
    case linksToNull
    /// Links of mixed values, whose class the format does not name: only the identity.
    case linksWithoutClass
    /// Keys of dictionaries with characters that the format escapes in its own way.
    case changedKeys
  }

  /// A count for each kind.
  private var counts = SIMD8<Int>(repeating: 0)

  package init() {}

  /// Values of one kind.
  public subscript(kind: Kind) -> Int { counts[kind.rawValue] }

  mutating func add(_ kind: Kind) { counts[kind.rawValue] &+= 1 }

  static func += (a: inout TextLosses, b: TextLosses) { a.counts &+= b.counts }
}
