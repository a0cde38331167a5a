import RealmModel

/// What values at a place of an object can be.
struct ValueKind {
  let property: Property
  /// Whether the values are elements of the property's collection.
  let isElement: Bool
  /// Whether the values are embedded objects.
  let isEmbedded: Bool

  init(_ property: Property, isElement: Bool = false, in schema: ObjectSchema) {
    (self.property, self.isElement) = (property, isElement)
    isEmbedded = property.type == .link && schema.target(of: property)?.kind == .embedded
  }

  private init(elementsOf kind: ValueKind) {
    (property, isElement, isEmbedded) = (kind.property, true, kind.isEmbedded)
  }

  /// The elements of a collection of this kind. Those of a collection in a mixed value are mixed, too.
  var element: ValueKind { ValueKind(elementsOf: self) }

  /// The kind of collection that the values are; nil for single values.
  var collection: CollectionKind? { isElement ? nil : property.collection }

  /// Whether a value may be null.
  var allowsNull: Bool {
    guard collection == nil else { return false }
    return property.isOptional || property.type == .mixed
      || property.type == .link && property.collection == nil
  }
}

extension ValueKind {
  /// The kind of the value at a path in objects of a class; nil if there can be none.
  init?(at path: ValuePath, ofClassAt position: Int, in schema: ObjectSchema) {
    let properties = schema.classes[position].properties
    guard let first = path.steps.first, properties.indices.contains(first) else { return nil }
    self.init(properties[first], in: schema)
    for step in path.steps.dropFirst() {
      if collection == nil, isEmbedded {
        guard let owner = schema.target(of: property), owner.properties.indices.contains(step)
        else { return nil }
        self.init(owner.properties[step], in: schema)
      } else {
        guard collection != nil || property.type == .mixed else { return nil }
        self = element
      }
    }
  }
}
