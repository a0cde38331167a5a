import RealmBuilding
import RealmInterchange
import RealmModel
import RealmStorage

/// Looks up names, and checks the rules of schemas (chapter 3, sections 8.4 and 9.5).
extension MigrationPlanner {
  // MARK: Names

  /// The class at a position, which must exist.
  func draft(_ position: Int) -> MigrationDraft.Class {
    stage.draft.classes[position]
      ?? MigrationDraft.Class(name: Name(""), isInternal: true, kind: .topLevel, properties: [])
  }

  /// Finds the class of the app with a name.
  func position(_ name: PlanText) throws(PlanError) -> Int {
    let found = stage.draft.appClasses.first { draft($0).name == Name(name.text) }
    guard let found else {
      let names = stage.draft.appClasses.map { draft($0).name.text }
      throw PlanError(
        .unknownName, "there is no class '\(name.text)'", at: name.place,
        hint: NearestName.suggestion(name.text, names, of: "the classes are"))
    }
    return found
  }

  /// Finds the property with a name in a class.
  func property(_ name: PlanText, of position: Int) throws(PlanError) -> Int {
    let draft = draft(position)
    guard let found = draft.properties.firstIndex(where: { $0.name == Name(name.text) }) else {
      throw PlanError(
        .unknownName, "\(draft.name.text) has no property '\(name.text)'", at: name.place,
        hint: NearestName.suggestion(
          name.text, draft.properties.map(\.name.text), of: "the properties are"))
    }
    return found
  }

  /// Checks that no class of the app has a name.
  func checkIsFree(_ name: PlanText) throws(PlanError) {
    guard stage.draft.appClasses.contains(where: { draft($0).name == Name(name.text) }) else {
      return
    }
    throw rule("there is already a class '\(name.text)'", at: name.place)
  }

  /// Checks that no property of a class has a name.
  func checkIsFree(_ name: PlanText, in position: Int) throws(PlanError) {
    let draft = draft(position)
    guard draft.properties.contains(where: { $0.name == Name(name.text) }) else { return }
    throw rule("\(draft.name.text) already has a property '\(name.text)'", at: name.place)
  }

  // MARK: Types

  func drafted(_ planned: PlannedProperty) throws(PlanError) -> MigrationDraft.Property {
    MigrationDraft.Property(
      name: Name(planned.name.text), type: planned.type.type, isOptional: planned.type.isOptional,
      collection: planned.type.collection, target: try target(of: planned.type),
      index: planned.index, hasIntegerKeys: false, source: nil)
  }

  /// Finds the target class of links; nil for other types.
  func target(of type: PlannedType) throws(PlanError) -> Int? {
    guard let name = type.target else { return nil }
    if let found = stage.draft.appClasses.first(where: { draft($0).name == Name(name.text) }) {
      return found
    }
    let names = TypeNotation.typeNames + stage.draft.appClasses.map { draft($0).name.text }
    throw PlanError(
      .unknownName, "there is no type and no class named '\(name.text)'", at: name.place,
      hint: NearestName.suggestion(name.text, names, of: "there are", limit: 30))
  }

  func notation(_ property: Property) -> String {
    let notation = PropertyNotation(property, isPrimaryKey: false, stage.draft.schema)
    return notation.short ?? notation.long
  }

  // MARK: Rules

  func rule(_ message: String, at place: PlanPlace, hint: String? = nil) -> PlanError {
    PlanError(.rule, message, at: place, hint: hint)
  }

  /// Checks that a realm can have the schema.
  func checkRules(at place: PlanPlace) throws(PlanError) {
    do throws(BuildError) {
      try stage.draft.schema.checkIsBuildable()
    } catch {
      throw rule(error.description, at: place)
    }
    for position in stage.draft.appClasses {
      let draft = draft(position)
      if draft.name.bytes.isEmpty { throw rule("the name of a class is empty", at: place) }
      if draft.properties.contains(where: { $0.name.bytes.isEmpty }) {
        throw rule("class \(draft.name.text): the name of a property is empty", at: place)
      }
    }
    if let position = embeddedCycles.subtracting(oldCycles).min() {
      throw rule(
        "objects of the embedded class \(draft(position).name.text) would contain themselves",
        at: place, hint: "use a link to a class that is not embedded")
    }
  }

  /// The embedded classes whose objects can contain objects of the same class, and the classes between two of them.
  var embeddedCycles: Set<Int> {
    let embedded = Set(stage.draft.appClasses.filter { draft($0).kind == .embedded })
    var (owned, owners): ([Int: [Int]], [Int: [Int]]) = ([:], [:])
    for owner in embedded {
      for target in Set(draft(owner).properties.compactMap(\.target)).intersection(embedded) {
        owned[owner, default: []].append(target)
        owners[target, default: []].append(owner)
      }
    }
    // Remove the classes from which no cycle can be reached, then those that no cycle reaches.
    return MigrationPlanner.trimmed(
      MigrationPlanner.trimmed(embedded, owned, owners), owners, owned)
  }

  /// Removes the classes without outgoing edges, then the classes whose edges all end at removed classes, and so on.
  private static func trimmed(
    _ classes: Set<Int>, _ edges: [Int: [Int]], _ reversed: [Int: [Int]]
  ) -> Set<Int> {
    var left = classes
    var counts = edges.mapValues { $0.count(where: classes.contains) }
    var ends = classes.filter { counts[$0, default: 0] == 0 }
    while let end = ends.popFirst() {
      left.remove(end)
      for start in reversed[end] ?? [] where left.contains(start) {
        counts[start, default: 0] -= 1
        if counts[start] == 0 { ends.insert(start) }
      }
    }
    return left
  }
}
