import RealmModel

/// A schema while steps change it. Classes keep their positions.
struct MigrationDraft {
  struct Property {
    var name: Name
    var type: PropertyType
    var isOptional: Bool
    var collection: CollectionKind?
    /// Position of the target class of links.
    var target: Int?
    var index: PropertyIndex?
    var hasIntegerKeys: Bool
    /// Position of the property in its class before the stage; nil if the values change.
    var source: Int?
  }

  struct Class {
    var name: Name
    var isInternal: Bool
    var kind: ObjectClass.Kind
    var properties: [Property]
    var primaryKey: Int?
  }

  /// The classes by position; nil for a removed class.
  var classes: [Class?]
  /// Positions of the classes of the app, in their order.
  private(set) var appClasses: [Int]

  init(_ schema: ObjectSchema) {
    appClasses = schema.appClasses
    classes = schema.classes.map { objectClass in
      Class(
        name: objectClass.name, isInternal: objectClass.isInternal, kind: objectClass.kind,
        properties: objectClass.properties.enumerated().map { position, property in
          Property(
            name: property.name, type: property.type, isOptional: property.isOptional,
            collection: property.collection, target: property.target, index: property.index,
            hasIntegerKeys: property.hasIntegerKeys, source: position)
        },
        primaryKey: objectClass.primaryKey)
    }
  }

  mutating func append(_ added: Class) {
    appClasses.append(classes.count)
    classes.append(added)
  }

  mutating func remove(_ position: Int) {
    classes[position] = nil
    appClasses.removeAll { $0 == position }
  }

  /// The schema with the positions of the draft. A removed class has no properties.
  var schema: ObjectSchema {
    ObjectSchema(
      classes: classes.map { draft in
        guard let draft else {
          return ObjectClass(name: Name(""), isInternal: true, properties: [])
        }
        return objectClass(draft) { $0 }
      },
      appClasses: appClasses)
  }

  /// The schema without removed classes, and the position of each class in it; nil for a removed class.
  var result: (schema: ObjectSchema, positions: [Int?]) {
    var (positions, next): ([Int?], Int) = ([], 0)
    for draft in classes {
      positions.append(draft == nil ? nil : next)
      if draft != nil { next += 1 }
    }
    let schema = ObjectSchema(
      classes: classes.compactMap { $0 }.map { objectClass($0) { positions[$0] } },
      appClasses: appClasses.compactMap { positions[$0] })
    return (schema, positions)
  }

  private func objectClass(_ draft: Class, _ position: (Int) -> Int?) -> ObjectClass {
    ObjectClass(
      name: draft.name, isInternal: draft.isInternal, kind: draft.kind,
      properties: draft.properties.map { property($0, position) }, primaryKey: draft.primaryKey)
  }

  private func property(_ draft: Property, _ position: (Int) -> Int?) -> RealmModel.Property {
    RealmModel.Property(
      name: draft.name, type: draft.type, isOptional: draft.isOptional,
      collection: draft.collection, target: draft.target.flatMap(position), index: draft.index,
      hasIntegerKeys: draft.hasIntegerKeys)
  }

  /// The property with the positions of the draft.
  func property(_ draft: Property) -> RealmModel.Property { property(draft) { $0 } }
}
