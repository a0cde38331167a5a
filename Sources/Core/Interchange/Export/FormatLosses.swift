/// What a format could not hold of the values that it was given, counted.
public struct FormatLosses: Sendable {
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
    /// Names of classes and properties that the format cannot have as they are.
    case changedNames
  }

  /// A count for each kind.
  private var counts = SIMD16<Int>(repeating: 0)

  package init() {}

  /// Values of one kind.
  public subscript(kind: Kind) -> Int { counts[kind.rawValue] }

  mutating func add(_ kind: Kind, count: Int = 1) { counts[kind.rawValue] &+= count }

  static func += (a: inout FormatLosses, b: FormatLosses) { a.counts &+= b.counts }
}
