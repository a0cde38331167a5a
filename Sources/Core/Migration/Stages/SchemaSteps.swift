package import RealmModel
import RealmQuery

/// The steps that turn one schema into another.
package struct SchemaSteps {
  /// What happens to values that cannot stay as they are.
  package enum Policy {
    /// They become default values, as with an SDK; removed classes stay.
    case automatic
    /// They are converted where possible; removed classes are removed.
    case converting
  }

  private let from: ObjectSchema
  private let to: ObjectSchema
  private let changes: [SchemaChange]
  private let policy: Policy

  /// The steps in three groups: first classes and keys, then properties, then steps that need these.
  private var start: [MigrationAction] = []
  private var middle: [MigrationAction] = []
  private var end: [MigrationAction] = []
  /// The changes that no step can make, as sentences.
  package private(set) var notes: [String] = []

  /// - Parameter changes: the changes to make, some or all of the differences between the schemas.
  package init(from: ObjectSchema, to: ObjectSchema, changes: [SchemaChange], _ policy: Policy) {
    (self.from, self.to, self.changes, self.policy) = (from, to, changes, policy)
    addClasses()
    for change in changes { add(change) }
    if policy == .converting { removeClasses() }
  }

  package var steps: [MigrationStep] {
    (start + middle + end).map { MigrationStep(action: $0, place: .nowhere) }
  }

  // MARK: Classes

  /// Adds the classes with properties that link to no class or to an existing one, then the other properties.
  private mutating func addClasses() {
    var known = Set(from.appClasses.map { from.classes[$0].name })
    var later: [MigrationAction] = []
    for change in changes {
      guard case .classAdded = change.kind, let added = to.objectClass(named: change.className.text)
      else { continue }
      guard added.kind != .asymmetric else {
        notes.append("class \(added.name) is asymmetric, which needs a synced realm")
        continue
      }
      known.insert(added.name)
      let properties = added.properties.filter { hasNotation($0, of: added.name) }
      let (now, rest) = properties.partitioned { (property: Property) in
        to.target(of: property).map { known.contains($0.name) } ?? true
      }
      start.append(
        .addClass(
          PlannedClass(
            name: text(added.name),
            primaryKey: added.primaryKey.map { text(added.properties[$0].name) },
            isEmbedded: added.kind == .embedded, properties: now.map(planned))))
      later += rest.map { .addProperty(class: text(added.name), planned($0), value: nil) }
    }
    start += later
  }

  private mutating func removeClasses() {
    let removed = changes.compactMap { change -> ObjectClass? in
      guard case .classRemoved = change.kind else { return nil }
      return from.objectClass(named: change.className.text)
    }
    let names = Set(removed.map(\.name))
    for objectClass in removed {
      for property in objectClass.properties {
        guard let target = from.target(of: property)?.name, target != objectClass.name,
          names.contains(target)
        else { continue }
        end.append(.removeProperty(class: text(objectClass.name), name: text(property.name)))
      }
    }
    end += removed.map { .removeClass(text($0.name)) }
  }

  // MARK: Changes

  private mutating func add(_ change: SchemaChange) {
    let owner = text(change.className)
    let name = change.property.map { text($0) } ?? text(Name(""))
    switch change.kind {
    case .classAdded, .classRemoved: return
    case .classKind(let old, let new):
      guard old != .asymmetric, new != .asymmetric else {
        notes.append("class \(owner.text) cannot become or stop being asymmetric")
        return
      }
      end.insert(new == .embedded ? .setEmbedded(owner) : .setTopLevel(owner), at: 0)
    case .primaryKey(let old, let new):
      // The new key may be a property that is added, and the old one may be removed.
      if old != nil { start.append(.removePrimaryKey(class: owner)) }
      if let new { end.append(.setPrimaryKey(class: owner, name: text(new))) }
    case .propertyAdded(let property):
      guard hasNotation(property, of: change.className) else { return }
      middle.append(.addProperty(class: owner, planned(property), value: nil))
    case .propertyRemoved: middle.append(.removeProperty(class: owner, name: name))
    case .typeChanged(_, let new):
      guard hasNotation(new, of: change.className) else { return }
      if isNewColumn(change) {
        replace(name, of: owner, by: new)
      } else {
        middle.append(.changeType(class: owner, name: name, planned(new).type, value: nil))
      }
    case .madeOptional: middle.append(.setOptional(class: owner, name: name))
    case .madeRequired(_, let new):
      if isNewColumn(change) {
        replace(name, of: owner, by: new)
      } else {
        middle.append(
          .setRequired(
            class: owner, name: name, value: new.type.defaultExpression.map { PlanText($0) }))
      }
    case .index(let old, let new):
      let isNew = changes.contains {
        $0.className == change.className && $0.property == change.property && isNewColumn($0)
      }
      guard !isNew else { return }
      // Before the type changes, because the new type may not allow the index.
      if old != nil { start.append(.removeIndex(class: owner, name: name)) }
      if let new { end.append(.addIndex(class: owner, name: name, new)) }
    }
  }

  /// Whether the property is removed and added with default values.
  private func isNewColumn(_ change: SchemaChange) -> Bool {
    switch change.kind {
    case .typeChanged(let old, let new):
      policy == .automatic || !Formula.canConvert(from: old, to: new)
    case .madeRequired: policy == .automatic
    default: false
    }
  }

  private mutating func replace(_ name: PlanText, of owner: PlanText, by property: Property) {
    let isKey = isPrimaryKey(name, of: owner)
    if isKey { middle.append(.removePrimaryKey(class: owner)) }
    middle.append(.removeProperty(class: owner, name: name))
    middle.append(.addProperty(class: owner, planned(property), value: nil))
    if isKey { end.append(.setPrimaryKey(class: owner, name: name)) }
  }

  /// Whether a property is the primary key in both schemas.
  private func isPrimaryKey(_ name: PlanText, of owner: PlanText) -> Bool {
    [from, to].allSatisfy { schema in
      let objectClass = schema.objectClass(named: owner.text)
      return objectClass.flatMap { found in
        found.primaryKey.map { found.properties[$0].name == Name(name.text) }
      } ?? false
    }
  }

  // MARK: Properties

  private func text(_ name: Name) -> PlanText { PlanText(name.text) }

  /// Whether a plan can add the property. If not, adds a note.
  private mutating func hasNotation(_ property: Property, of owner: Name) -> Bool {
    guard property.hasIntegerKeys else { return true }
    notes.append(
      "\(owner).\(property.name) is a dictionary with integer keys, which no step can add")
    return false
  }

  private func planned(_ property: Property) -> PlannedProperty {
    PlannedProperty(
      name: text(property.name),
      type: PlannedType(
        type: property.type, isOptional: property.isOptional, collection: property.collection,
        target: to.target(of: property).map { text($0.name) }, place: .nowhere),
      // A primary key always has an index.
      index: to.classes.contains { owner in
        owner.primaryKey.map { owner.properties[$0] === property } ?? false
      } ? nil : property.index)
  }
}

extension SchemaSteps {
  /// The steps that an SDK takes for a new schema without a migration block (chapter 3, section 9.3).
  ///
  /// Properties of another type, and properties that are no longer optional, are removed and added, so their values
  /// become default values. Classes that the new schema does not have stay.
  ///
  /// - Throws: `dataLoss` if values would be lost and `allowsDataLoss` is false; `rule` for a change that no SDK makes.
  package static func automatic(
    from: ObjectSchema, to: ObjectSchema, allowsDataLoss: Bool
  ) throws(PlanError) -> [MigrationStep] {
    let changes = SchemaComparison(from: from, to: to).changes
    let lossy = changes.filter(\.losesValues)
    if !lossy.isEmpty, !allowsDataLoss {
      let names = lossy.map { "\($0.className).\($0.property?.text ?? "") (\($0.loss))" }
      throw PlanError(
        .dataLoss, "the values of these properties would be lost: \(names.joined(separator: ", "))",
        at: .nowhere)
    }
    let steps = SchemaSteps(from: from, to: to, changes: changes, .automatic)
    if let note = steps.notes.first { throw PlanError(.rule, note, at: .nowhere) }
    return steps.steps
  }
}

extension SchemaChange {
  /// Why the values of the property are lost.
  fileprivate var loss: String {
    switch kind {
    case .propertyRemoved: "removed"
    case .typeChanged: "another type"
    default: "no longer optional"
    }
  }
}

extension PropertyType {
  /// The default value as an expression; nil for types without one.
  fileprivate var defaultExpression: String? {
    switch self {
    case .int, .decimal: "0"
    case .bool: "false"
    case .string: "''"
    case .binary: "binary('')"
    case .float, .double: "0.0"
    case .timestamp: "T0:0"
    case .objectId: "oid(000000000000000000000000)"
    case .uuid: "uuid(00000000-0000-0000-0000-000000000000)"
    case .mixed, .link, .typedLink: nil
    }
  }
}

extension Sequence {
  /// The elements that meet a condition, and the others.
  fileprivate func partitioned(
    _ condition: (Element) -> Bool
  ) -> (matching: [Element], others: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
