package import RealmModel

/// A type in one word, as in schemas and migration plans: `string`, `int?[]`, `Dog<>`.
package struct TypeNotation {
  /// The kind of the values.
  package enum Kind {
    /// Any type except links.
    case type(PropertyType)
    /// Links to objects of the class with this name, or embedded objects of it.
    case objects([UInt8])
  }

  package let kind: Kind
  /// Whether the type has a `?`.
  package let isOptional: Bool
  package let collection: CollectionKind?

  /// Reads a type; any other word is the name of a class.
  package init(_ text: [UInt8]) {
    var rest = text[...]
    var (collection, isOptional): (CollectionKind?, Bool) = (nil, false)
    for (suffix, kind) in [("[]", CollectionKind.list), ("<>", .set), ("{}", .dictionary)]
    where rest.suffix(2).elementsEqual(suffix.utf8) {
      collection = kind
      rest = rest.dropLast(2)
      break
    }
    if rest.last == UInt8(ascii: "?") {
      isOptional = true
      rest = rest.dropLast()
    }
    (self.collection, self.isOptional) = (collection, isOptional)
    kind = TypeNotation.types[Array(rest)].map { .type($0) } ?? .objects(Array(rest))
  }

  private static let types: [[UInt8]: PropertyType] = Dictionary(
    uniqueKeysWithValues: PropertyType.allCases.filter { $0 != .link }.map {
      (Array(PropertyNotation.name(of: $0).utf8), $0)
    })

  /// The names of the types except links.
  package static let typeNames = PropertyType.allCases.filter { $0 != .link && $0 != .typedLink }
    .map { PropertyNotation.name(of: $0) }

  /// Whether values of a type are optional even without a `?`: a single link and a mixed value may always be
  /// null.
  package static func isAlwaysOptional(
    _ type: PropertyType, _ collection: CollectionKind?
  ) -> Bool {
    type == .mixed || type == .link && (collection == nil || collection == .dictionary)
  }
}
