/// Compares the classes of two schemas by name. The order of classes and properties does not matter.
public struct SchemaComparison: Sendable {
  /// The changes that turn the first schema into the second: class by class in the order of the first schema,
  /// then the added classes in the order of the second. The properties of a class are ordered likewise.
  public let changes: [SchemaChange]

  public init(from old: ObjectSchema, to new: ObjectSchema) {
    var changes: [SchemaChange] = []
    let oldClasses = old.appClasses.map { old.classes[$0] }
    let newClasses = new.appClasses.map { new.classes[$0] }
    let newByName = Dictionary(newClasses.map { ($0.name, $0) }) { first, _ in first }
    for objectClass in oldClasses {
      guard let other = newByName[objectClass.name] else {
        changes.append(SchemaChange(objectClass.name, nil, .classRemoved))
        continue
      }
      changes += ClassComparison(old: (objectClass, old), new: (other, new)).changes
    }
    let known = Set(oldClasses.map(\.name))
    for added in newClasses where !known.contains(added.name) {
      changes.append(SchemaChange(added.name, nil, .classAdded))
    }
    self.changes = changes
  }
}

/// Compares two classes of the same name.
private struct ClassComparison {
  let old: (objectClass: ObjectClass, schema: ObjectSchema)
  let new: (objectClass: ObjectClass, schema: ObjectSchema)

  var changes: [SchemaChange] {
    let name = old.objectClass.name
    var changes: [SchemaChange] = []
    if old.objectClass.kind != new.objectClass.kind {
      let kind = SchemaChange.Kind.classKind(from: old.objectClass.kind, to: new.objectClass.kind)
      changes.append(SchemaChange(name, nil, kind))
    }
    let (oldKey, newKey) = (primaryKey(of: old.objectClass), primaryKey(of: new.objectClass))
    if oldKey != newKey {
      changes.append(SchemaChange(name, nil, .primaryKey(from: oldKey, to: newKey)))
    }
    let newByName = Dictionary(
      new.objectClass.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for property in old.objectClass.properties {
      let kinds = newByName[property.name].map { self.changes(of: property, to: $0) }
      changes += (kinds ?? [.propertyRemoved(property)]).map {
        SchemaChange(name, property.name, $0)
      }
    }
    let known = Set(old.objectClass.properties.map(\.name))
    for added in new.objectClass.properties where !known.contains(added.name) {
      changes.append(SchemaChange(name, added.name, .propertyAdded(added)))
    }
    return changes
  }

  private func primaryKey(of objectClass: ObjectClass) -> Name? {
    objectClass.primaryKey.map { objectClass.properties[$0].name }
  }

  private func changes(of from: Property, to: Property) -> [SchemaChange.Kind] {
    var kinds: [SchemaChange.Kind] = []
    let isSameType =
      from.type == to.type && from.collection == to.collection
      && from.hasIntegerKeys == to.hasIntegerKeys
      && old.schema.target(of: from)?.name == new.schema.target(of: to)?.name
    if !isSameType {
      kinds.append(.typeChanged(from: from, to: to))
    } else if from.type != .mixed, from.isOptional != to.isOptional {
      kinds.append(
        to.isOptional ? .madeOptional(from: from, to: to) : .madeRequired(from: from, to: to))
    }
    let (oldIndex, newIndex) = (index(of: from, old.objectClass), index(of: to, new.objectClass))
    if oldIndex != newIndex { kinds.append(.index(from: oldIndex, to: newIndex)) }
    return kinds
  }

  /// The index of a property; nil for the primary key, because the file format decides whether a primary key
  /// has an index.
  private func index(of property: Property, _ objectClass: ObjectClass) -> PropertyIndex? {
    let key = objectClass.primaryKey.map { objectClass.properties[$0].name }
    return property.name == key ? nil : property.index
  }
}
