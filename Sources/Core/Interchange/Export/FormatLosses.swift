package import RealmModel

/// Counts the values that a format cannot represent exactly.
public struct FormatLosses: Sendable {
  /// The change to a value.
  public enum Kind: Int, Sendable, CaseIterable {
    /// Strings and keys that are not valid UTF-8: the invalid bytes became U+FFFD.
    case invalidText
    /// NaN and infinite numbers in a format without them: null.
    case notFiniteNumbers
    /// Dates with more digits than the format has, such as nanoseconds: the last ones are cut.
    case cutDates
    /// Dates outside the range of the format: null.
    case outlyingDates
    /// Links to objects that do not exist: null.
    case unresolvedLinks
    /// Links to objects with a null primary key: null, like no link.
    case linksToNull
    /// Links in mixed values, if the format does not name their class: only the identity.
    case linksWithoutClass
    /// Dictionary keys with characters that the format escapes in its own way.
    case changedKeys
    /// Names of classes and properties that are changed for the format.
    case changedNames
    /// Mixed values that look like another type, and would be read as that type.
    case ambiguousValues
    /// Strings with a character 0 in a format without it: it became U+FFFD.
    case zeroCharacters
  }

  /// A count for each kind.
  private var counts = SIMD16<Int>(repeating: 0)

  package init() {}

  /// The number of values of one kind.
  public subscript(kind: Kind) -> Int { counts[kind.rawValue] }

  /// Whether a value of an object is not as it was. Links to nothing do not count, nor do names.
  package var hasLostValues: Bool {
    Kind.allCases.contains { self[$0] > 0 && $0.isOfValues }
  }

  mutating func add(_ kind: Kind, count: Int = 1) { counts[kind.rawValue] &+= count }

  static func += (a: inout FormatLosses, b: FormatLosses) { a.counts &+= b.counts }
}

/// The result of an export.
package struct WrittenObjects: Sendable {
  /// Number of objects of each class, in the order of the document.
  package var counts: [(objectClass: ObjectClass, objects: Int)]
  /// The values that the format cannot represent exactly.
  package var losses: FormatLosses
}

extension FormatLosses.Kind {
  /// Whether it counts values of objects.
  package var isOfValues: Bool {
    switch self {
    case .invalidText, .notFiniteNumbers, .cutDates, .outlyingDates, .linksWithoutClass,
      .changedKeys, .ambiguousValues, .zeroCharacters:
      true
    case .unresolvedLinks, .linksToNull, .changedNames: false
    }
  }
}
