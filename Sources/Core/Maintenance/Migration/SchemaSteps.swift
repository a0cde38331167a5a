import RealmInterchange
import RealmModel
import RealmQuery

/// Steps that turn one schema into another.
struct SchemaSteps {
  private let from: ObjectSchema
  private let to: ObjectSchema
  private let changes: [SchemaChange]

  /// - Parameter changes: the differences of the two.
  init(from: ObjectSchema, to: ObjectSchema, changes: [SchemaChange]) {
    (self.from, self.to, self.changes) = (from, to, changes)
  }

  /// - Parameter isAutomatic: whether values get lost where an SDK loses them, and removed classes stay; else
  ///   values are converted, and classes are removed.
  func steps(isAutomatic: Bool) -> [MigrationStep] {
    var (start, middle, end): ([MigrationAction], [MigrationAction], [MigrationAction]) = ([], [], [])
    // Classes come first, because properties can link to them; their properties may link to each other.
    let added = changes.compactMap { change -> ObjectClass? in
      if case .classAdded = change.kind { to.objectClass(named: change.className.text) } else { nil }
    }
    for objectClass in added {
      start.append(
        .addClass(
          PlannedClass(
            name: text(objectClass.name), primaryKey: nil,
            isEmbedded: objectClass.kind == .embedded, properties: [])))
    }
    for objectClass in added {
      for property in objectClass.properties {
        start.append(.addProperty(class: text(objectClass.name), planned(property), value: nil))
      }
      if let key = objectClass.primaryKey {
        start.append(
          .setPrimaryKey(
            class: text(objectClass.name), name: text(objectClass.properties[key].name)))
      }
    }
    for change in changes {
      let owner = text(change.className)
      let name = change.property.map { text($0) } ?? text(Name(""))
      switch change.kind {
      case .classAdded: continue
      case .classRemoved:
        // Links to the class are removed before.
        if !isAutomatic { end.append(.removeClass(owner)) }
      case .classKind(_, let kind):
        end.insert(kind == .embedded ? .setEmbedded(owner) : .setTopLevel(owner), at: 0)
      case .primaryKey(let old, let new):
        // The new key may be a property that is added, and the old one may be removed.
        if old != nil { start.append(.removePrimaryKey(class: owner)) }
        if let new { end.append(.setPrimaryKey(class: owner, name: text(new))) }
      case .propertyAdded(let property):
        middle.append(.addProperty(class: owner, planned(property), value: nil))
      case .propertyRemoved: middle.append(.removeProperty(class: owner, name: name))
      case .typeChanged(let old, let new):
        let isKey = isPrimaryKey(old, of: change.className)
        if isAutomatic || !Formula.canConvert(from: old, to: new) {
          if isKey { middle.append(.removePrimaryKey(class: owner)) }
          middle.append(.removeProperty(class: owner, name: name))
          middle.append(.addProperty(class: owner, planned(new), value: nil))
          if isKey { end.append(.setPrimaryKey(class: owner, name: name)) }
        } else {
          middle.append(.changeType(class: owner, name: name, planned(new).type, value: nil))
        }
      case .madeOptional: middle.append(.setOptional(class: owner, name: name))
      case .madeRequired(let old, let new):
        if isAutomatic {
          let isKey = isPrimaryKey(old, of: change.className)
          if isKey { middle.append(.removePrimaryKey(class: owner)) }
          middle.append(.removeProperty(class: owner, name: name))
          middle.append(.addProperty(class: owner, planned(new), value: nil))
          if isKey { end.append(.setPrimaryKey(class: owner, name: name)) }
        } else {
          middle.append(.setRequired(class: owner, name: name, value: nil))
        }
      case .index(let old, let new):
        if old != nil { middle.append(.removeIndex(class: owner, name: name)) }
        if let new { middle.append(.addIndex(class: owner, name: name, new)) }
      }
    }
    return (start + middle + end).map { MigrationStep(action: $0, place: .nowhere) }
  }

  private func text(_ name: Name) -> PlanText { PlanText(name.text) }

  /// Whether a property is the primary key before and after.
  private func isPrimaryKey(_ property: Property, of className: Name) -> Bool {
    func key(_ schema: ObjectSchema) -> Name? {
      schema.objectClass(named: className.text).flatMap { objectClass in
        objectClass.primaryKey.map { objectClass.properties[$0].name }
      }
    }
    return key(from) == property.name && key(to) == property.name
  }

  private func planned(_ property: Property) -> PlannedProperty {
    PlannedProperty(
      name: text(property.name),
      type: PlannedType(
        type: property.type, isOptional: property.isOptional, collection: property.collection,
        target: to.target(of: property).map { text($0.name) }, place: .nowhere),
      index: property.index)
  }
}
