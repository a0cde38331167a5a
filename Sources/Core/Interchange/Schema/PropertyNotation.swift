package import RealmModel

/// The type of a property in the notation for users: `string?`, `int[]`, `string<>`, `mixed{}`, `Dog?`.
package struct PropertyNotation {
  /// Name of the type, `object` for a link.
  package let type: String
  /// The class that links refer to.
  package let objectType: Name?
  /// Whether values, or the elements of a collection, may be null.
  package let isOptional: Bool
  /// `list`, `set` or `dictionary`.
  package let collection: String?
  package let hasIntegerKeys: Bool
  /// Whether there is an index in addition to the one of a primary key.
  package let isIndexed: Bool
  package let isFulltextIndexed: Bool
  /// The type in one word; nil if that would be ambiguous.
  package let short: String?

  package init(_ property: Property, isPrimaryKey: Bool, _ schema: ObjectSchema) {
    self.init(
      type: property.type, isOptional: property.isOptional, collection: property.collection,
      target: schema.target(of: property)?.name, hasIntegerKeys: property.hasIntegerKeys,
      index: isPrimaryKey && property.index == .search ? nil : property.index)
  }

  /// - Parameters:
  ///   - target: name of the class that links refer to.
  ///   - index: the index in addition to the one of a primary key.
  package init(
    type valueType: PropertyType, isOptional isMarked: Bool, collection kind: CollectionKind?,
    target: Name?, hasIntegerKeys: Bool = false, index: PropertyIndex? = nil
  ) {
    type = PropertyNotation.name(of: valueType)
    objectType = valueType == .link ? target ?? Name("") : nil
    // A mixed value may always be null, so the mark would be redundant.
    isOptional = isMarked && valueType != .mixed
    self.hasIntegerKeys = hasIntegerKeys
    isIndexed = index == .search
    isFulltextIndexed = index == .fulltext
    let suffix: String
    switch kind {
    case .list: (collection, suffix) = ("list", "[]")
    case .set: (collection, suffix) = ("set", "<>")
    case .dictionary: (collection, suffix) = ("dictionary", "{}")
    case .none: (collection, suffix) = (nil, "")
    }
    let optional = isOptional ? "?" : ""
    if let objectType {
      short = PropertyNotation.isUnambiguous(objectType) ? objectType.text + optional + suffix : nil
    } else {
      short = hasIntegerKeys || valueType == .typedLink ? nil : type + optional + suffix
    }
  }

  /// The type in words for people, if there is no short notation.
  package var long: String {
    [collection.map { "\($0) of" }, isOptional ? "optional" : nil, type, objectType?.text]
      .compactMap { $0 }.joined(separator: " ")
  }

  /// Names of types; a class with such a name has no short notation.
  private static let reserved = Set(PropertyType.allCases.map { name(of: $0) } + ["linkingObjects"])

  private static func isUnambiguous(_ name: Name) -> Bool {
    name.isValid && !name.bytes.isEmpty && !reserved.contains(name.text)
      && !name.text.contains { "?[]<>{}".contains($0) }
  }

  /// The names of the types in the schema notation.
  package static func name(of type: PropertyType) -> String {
    switch type {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .binary: "data"
    case .mixed: "mixed"
    case .timestamp: "date"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .link: "object"
    case .objectId: "objectId"
    case .typedLink: "typedLink"
    case .uuid: "uuid"
    }
  }
}
