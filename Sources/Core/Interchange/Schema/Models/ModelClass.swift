import RealmModel

/// A class as a model class in an app's source.
struct ModelClass {
  let objectClass: ObjectClass
  let identifier: String
  let properties: [ModelProperty]
  /// The properties that link to the class, as `Class.property`.
  let origins: [String]

  /// The classes of the app, in document order.
  static func all(of schema: ObjectSchema, _ names: ModelNames) -> [ModelClass] {
    var taken: Set<String> = []
    var identifiers: [Int: String] = [:]
    for position in schema.appClasses {
      identifiers[position] = names.identifier(
        ofClass: schema.classes[position].name, taken: &taken)
    }
    return schema.appClasses.map { position in
      let objectClass = schema.classes[position]
      var taken: Set<String> = []
      return ModelClass(
        objectClass: objectClass, identifier: identifiers[position] ?? "",
        properties: objectClass.properties.enumerated().map { i, property in
          ModelProperty(
            property: property,
            identifier: names.identifier(ofProperty: property.name, taken: &taken),
            isPrimaryKey: i == objectClass.primaryKey,
            target: property.target.flatMap { identifiers[$0] },
            notation: PropertyNotation(
              property, isPrimaryKey: i == objectClass.primaryKey, schema))
        },
        origins: origins(of: position, in: schema))
    }
  }

  private static func origins(of position: Int, in schema: ObjectSchema) -> [String] {
    schema.appClasses.flatMap { origin in
      schema.classes[origin].properties.filter { $0.target == position }.map {
        "\(schema.classes[origin].name.text).\($0.name.text)"
      }
    }
  }

  /// The properties whose identifier differs from their name.
  var renamed: [ModelProperty] { properties.filter { $0.identifier != $0.property.name.text } }
}

/// A property of a model class.
struct ModelProperty {
  let property: Property
  let identifier: String
  let isPrimaryKey: Bool
  /// Identifier of the class that links refer to; nil for other types.
  let target: String?
  let notation: PropertyNotation

  /// Whether the SDKs have a type for the property.
  var isUsual: Bool {
    property.type != .typedLink && !property.hasIntegerKeys
      && (property.type != .link || target != nil)
  }

  /// Whether a value, or an element of a collection, may be null. Links in a list or a set never are; for a
  /// mixed value, null is a value like others.
  var mayBeNull: Bool {
    guard property.type == .link else { return notation.isOptional }
    return property.collection == nil || property.collection == .dictionary
  }

  /// The type for a comment.
  var typeText: String { notation.short ?? notation.long }
}
