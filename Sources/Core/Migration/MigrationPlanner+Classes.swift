import RealmBuilding
import RealmInterchange
import RealmModel
import RealmStorage

/// Steps about classes, and the rules of schemas (chapter 3, sections 8.4 and 9.5).
extension MigrationPlanner {
  mutating func addClass(_ planned: PlannedClass) throws(PlanError) {
    try checkIsFree(planned.name)
    // The properties may link to the class itself.
    let position = stage.draft.classes.count
    edit {
      $0.append(
        MigrationDraft.Class(
          name: Name(planned.name.text), isInternal: false,
          kind: planned.isEmbedded ? .embedded : .topLevel, properties: []))
    }
    for property in planned.properties {
      try checkIsFree(property.name, in: position)
      let drafted = try drafted(property)
      edit { $0.classes[position]?.properties.append(drafted) }
    }
    if let key = planned.primaryKey {
      let property = try property(key, of: position)
      edit {
        $0.classes[position]?.primaryKey = property
        $0.classes[position]?.properties[property].index = .search
      }
    }
  }

  mutating func removeClass(_ name: PlanText) throws(PlanError) {
    let position = try position(name)
    for (other, draft) in stage.draft.classes.enumerated() where other != position {
      guard let draft, let link = draft.properties.first(where: { $0.target == position }) else {
        continue
      }
      throw rule(
        "class \(name.text) is the target of \(draft.name.text).\(link.name.text)", at: name.place,
        hint: "remove that property first")
    }
    remove(position)
  }

  /// - Returns: false if the step does not go with the steps before.
  mutating func setEmbedded(_ name: PlanText) throws(PlanError) -> Bool {
    let position = try position(name)
    let draft = draft(position)
    guard draft.kind == .topLevel else {
      throw rule(
        draft.kind == .embedded
          ? "class \(name.text) is embedded already" : "class \(name.text) is asymmetric",
        at: name.place)
    }
    guard draft.primaryKey == nil else {
      throw rule(
        "class \(name.text) has a primary key, which embedded classes do not have", at: name.place,
        hint: "remove-primary-key comes first")
    }
    guard isEmpty else { return false }
    embed(position)
    return true
  }

  /// - Returns: false if the step does not go with the steps before.
  mutating func setTopLevel(_ name: PlanText) throws(PlanError) -> Bool {
    let position = try position(name)
    guard draft(position).kind == .embedded else {
      throw rule("class \(name.text) is not embedded", at: name.place)
    }
    guard !stage.canOrphan else { return false }
    edit { $0.classes[position]?.kind = .topLevel }
    return true
  }

  // MARK: Names

  /// A class that exists.
  func draft(_ position: Int) -> MigrationDraft.Class {
    stage.draft.classes[position]
      ?? MigrationDraft.Class(name: Name(""), isInternal: true, kind: .topLevel, properties: [])
  }

  /// Position of the class of the app with a name.
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

  /// Position of the property with a name in a class.
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

  /// Checks that a class can get a name.
  func checkIsFree(_ name: PlanText) throws(PlanError) {
    guard stage.draft.appClasses.contains(where: { draft($0).name == Name(name.text) }) else {
      return
    }
    throw rule("there is a class '\(name.text)' already", at: name.place)
  }

  /// Checks that a property of a class can get a name.
  func checkIsFree(_ name: PlanText, in position: Int) throws(PlanError) {
    let draft = draft(position)
    guard draft.properties.contains(where: { $0.name == Name(name.text) }) else { return }
    throw rule("\(draft.name.text) has a property '\(name.text)' already", at: name.place)
  }

  // MARK: Types

  func drafted(_ planned: PlannedProperty) throws(PlanError) -> MigrationDraft.Property {
    MigrationDraft.Property(
      name: Name(planned.name.text), type: planned.type.type, isOptional: planned.type.isOptional,
      collection: planned.type.collection, target: try target(of: planned.type),
      index: planned.index, hasIntegerKeys: false, source: nil)
  }

  /// Position of the class that links of a type lead to.
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

  /// Checks that a realm can have the schema after a step.
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
        at: place, hint: "a link to a class that is not embedded ends the cycle")
    }
  }

  /// The embedded classes whose objects can contain objects of the same class, and those between two such
  /// classes.
  var embeddedCycles: Set<Int> {
    let embedded = Set(stage.draft.appClasses.filter { draft($0).kind == .embedded })
    var (owned, owners): ([Int: [Int]], [Int: [Int]]) = ([:], [:])
    for owner in embedded {
      for target in Set(draft(owner).properties.compactMap(\.target)).intersection(embedded) {
        owned[owner, default: []].append(target)
        owners[target, default: []].append(owner)
      }
    }
    // Without the classes that lead to no cycle, and those to which none leads.
    return MigrationPlanner.trimmed(
      MigrationPlanner.trimmed(embedded, owned, owners), owners, owned)
  }

  /// The classes without those that no edges leave, and then without those whose edges all lead to such
  /// classes, and so on.
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
