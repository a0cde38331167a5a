import RealmInterchange
import RealmModel
import RealmQuery
import RealmStorage

/// Checks the steps of a plan and joins them to a stage.
///
/// A stage takes as many steps as one pass over the objects can do. A step begins a new stage if it needs the result
/// of earlier steps: values of linked objects that these change, the links that remain after a deletion, or the
/// embedded objects that still have an owner.
struct MigrationPlanner {
  private(set) var stage: MigrationStage
  /// Whether the stage has no step yet.
  private(set) var isEmpty = true
  /// Number of the step that is being added.
  private var number = 0

  /// The embedded classes that contain themselves already, which only files from other tools have.
  private(set) var oldCycles: Set<Int> = []

  init(from schema: ObjectSchema) {
    stage = MigrationStage(from: schema)
    oldCycles = embeddedCycles
  }

  /// Adds a step.
  ///
  /// - Parameter number: number of the step among all steps.
  /// - Returns: false if the step must begin a new stage.
  /// - Throws: what is wrong with the step.
  mutating func add(_ step: MigrationStep, number: Int) throws(PlanError) -> Bool {
    let before = self
    self.number = number
    guard try apply(step.action) else {
      self = before
      return false
    }
    isEmpty = false
    try checkRules(at: step.place)
    return true
  }

  /// - Returns: false if the step must begin a new stage.
  private mutating func apply(_ action: MigrationAction) throws(PlanError) -> Bool {
    if case .nested = stage.reading, !action.isSchemaOnly { return false }
    switch action {
    case .addProperty(let owner, let planned, let value):
      return try addProperty(planned, to: try position(owner), value)
    case .removeProperty(let owner, let name):
      return try removeProperty(name, of: try position(owner))
    case .renameProperty(let owner, let from, let to):
      let position = try position(owner)
      let property = try self.property(from, of: position)
      try checkIsFree(to, in: position)
      stage.draft.classes[position]?.properties[property].name = Name(to.text)
    case .changeType(let owner, let name, let type, let value):
      return try changeType(name, of: try position(owner), type, value)
    case .setOptional(let owner, let name):
      let position = try position(owner)
      let property = try self.property(name, of: position)
      guard !draft(position).properties[property].isOptional else {
        throw rule("\(owner.text).\(name.text) is already optional", at: name.place)
      }
      stage.draft.classes[position]?.properties[property].isOptional = true
    case .setRequired(let owner, let name, let value):
      return try setRequired(name, of: try position(owner), value)
    case .setPrimaryKey(let owner, let name): try setPrimaryKey(name, of: try position(owner))
    case .removePrimaryKey(let owner): try removePrimaryKey(owner)
    case .addIndex(let owner, let name, let index): try addIndex(index, to: name, of: owner)
    case .removeIndex(let owner, let name): try removeIndex(of: name, of: owner)
    case .addClass(let planned): try addClass(planned)
    case .removeClass(let name): try removeClass(name)
    case .renameClass(let from, let to):
      let position = try position(from)
      try checkIsFree(to)
      stage.draft.classes[position]?.name = Name(to.text)
    case .setEmbedded(let name): return try setEmbedded(name)
    case .setTopLevel(let name): return try setTopLevel(name)
    case .setValues(let owner, let condition, let values):
      return try setValues(values, where: condition, of: try position(owner))
    case .deleteObjects(let owner, let condition):
      return try deleteObjects(of: try position(owner), where: condition)
    }
    return true
  }

  // MARK: Values

  private mutating func addProperty(
    _ planned: PlannedProperty, to position: Int, _ value: PlanText?
  ) throws(PlanError) -> Bool {
    guard !isAfterOrphans(position) else { return false }
    try checkIsFree(planned.name, in: position)
    let added = try drafted(planned)
    let property = stage.draft.property(added)
    var formula: Formula?
    if let value {
      try checkIsSingle(
        property, at: value.place, hint: "leave out 'value': the collection is empty at first")
      formula = try self.formula(value, of: position, for: property)
      if let formula, needsNewStage(formula, of: position) { return false }
    }
    append(.add(property, formula), to: position, about: planned.name.text)
    stage.draft.classes[position]?.properties.append(added)
    return true
  }

  private mutating func removeProperty(
    _ name: PlanText, of position: Int
  ) throws(PlanError) -> Bool {
    let property = try self.property(name, of: position)
    let draft = draft(position)
    guard draft.primaryKey != property else {
      throw rule(
        "\(draft.name.text).\(name.text) is the primary key", at: name.place,
        hint: "choose another one with set-primary-key, or none with remove-primary-key")
    }
    if isOwner(draft.properties[property]) { stage.canOrphan = true }
    append(.remove(property), to: position, about: name.text)
    stage.draft.classes[position]?.properties.remove(at: property)
    if let key = draft.primaryKey, key > property {
      stage.draft.classes[position]?.primaryKey = key - 1
    }
    return true
  }

  private mutating func changeType(
    _ name: PlanText, of position: Int, _ type: PlannedType, _ value: PlanText?
  ) throws(PlanError) -> Bool {
    guard !isAfterOrphans(position) else { return false }
    let number = try self.property(name, of: position)
    let old = draft(position).properties[number]
    var changed = old
    changed.source = nil
    (changed.type, changed.isOptional) = (type.type, type.isOptional)
    (changed.collection, changed.target) = (type.collection, try target(of: type))
    changed.hasIntegerKeys = changed.hasIntegerKeys && changed.collection == .dictionary
    let property = stage.draft.property(changed)
    if let value {
      try checkIsSingle(property, at: value.place, hint: MigrationPlanner.collectionHint)
      let formula = try self.formula(value, of: position, for: property)
      guard !needsNewStage(formula, of: position) else { return false }
      append(.replace(number, formula, property), to: position, about: name.text)
    } else {
      let before = stage.draft.property(old)
      guard Formula.canConvert(from: before, to: property) else {
        throw rule(
          "values of type \(notation(before)) do not convert to \(notation(property))",
          at: type.place,
          hint: property.collection == nil
            ? "give the new values with 'value'" : MigrationPlanner.collectionHint)
      }
      append(.convert(number, from: before, to: property), to: position, about: name.text)
    }
    if isOwner(old) { stage.canOrphan = true }
    if draft(position).primaryKey == number { noteReplacedKey(of: position) }
    stage.draft.classes[position]?.properties[number] = changed
    return true
  }

  /// What to do where no step can make the collections of a property.
  private static let collectionHint =
    "export the values, make the property anew with remove-property and add-property, and import the "
    + "values"

  /// Checks that the property of a step with 'value' is no collection: an expression gives single values.
  private func checkIsSingle(
    _ property: Property, at place: PlanPlace, hint: String
  ) throws(PlanError) {
    guard property.collection != nil else { return }
    throw rule(
      "\(property.name.text) is of type \(notation(property)), but an expression gives single values",
      at: place, hint: hint)
  }

  private mutating func setRequired(
    _ name: PlanText, of position: Int, _ value: PlanText?
  ) throws(PlanError) -> Bool {
    guard !isAfterOrphans(position) else { return false }
    let number = try self.property(name, of: position)
    var changed = draft(position).properties[number]
    guard changed.isOptional else {
      throw rule("\(draft(position).name.text).\(name.text) is already required", at: name.place)
    }
    changed.isOptional = false
    if value != nil { changed.source = nil }
    let property = stage.draft.property(changed)
    var formula: Formula?
    if let value {
      formula = try self.formula(value, of: position, for: property, isElement: true)
      if let formula, needsNewStage(formula, of: position) { return false }
    }
    append(.fill(number, formula, property), to: position, about: name.text)
    if draft(position).primaryKey == number { noteReplacedKey(of: position) }
    stage.draft.classes[position]?.properties[number] = changed
    return true
  }

  private mutating func setValues(
    _ values: [(name: PlanText, value: PlanText)], where choice: ObjectChoice<PlanText>,
    of position: Int
  ) throws(PlanError) -> Bool {
    guard !isAfterOrphans(position) else { return false }
    var set: [(position: Int, formula: Formula, property: Property)] = []
    let choice = try choice.map { (test) throws(PlanError) in
      try condition(test, of: position)
    }
    if let test = choice.condition, needsNewStage(test, of: position) { return false }
    for (name, value) in values {
      let number = try property(name, of: position)
      let property = stage.draft.property(draft(position).properties[number])
      let formula = try self.formula(value, of: position, for: property)
      guard !needsNewStage(formula, of: position) else { return false }
      set.append((number, formula, property))
    }
    for (number, _, _) in set {
      if isOwner(draft(position).properties[number]) { stage.canOrphan = true }
      stage.draft.classes[position]?.properties[number].source = nil
    }
    append(.set(where: choice, set), to: position, about: nil)
    return true
  }

  private mutating func deleteObjects(
    of position: Int, where choice: ObjectChoice<PlanText>
  ) throws(PlanError) -> Bool {
    let choice = try choice.map { (test) throws(PlanError) in
      try condition(test, of: position)
    }
    let operations = stage.operations[position] ?? []
    if let test = choice.condition, needsNewStage(test, of: position) { return false }
    guard !isAfterOrphans(position),
      !operations.contains(where: \.isRandom)
    else { return false }
    stage.deletions.append(
      MigrationDeletion(
        classPosition: position, choice: choice, step: number,
        operationCount: operations.count))
    append(.delete, to: position, about: nil)
    if case .keys = choice { return true }
    if draft(position).properties.contains(where: isOwner) { stage.canOrphan = true }
    return true
  }

  // MARK: Formulas

  private func formula(
    _ value: PlanText, of position: Int, for property: Property, isElement: Bool = false
  ) throws(PlanError) -> Formula {
    do throws(QueryError) {
      let formula = try Formula(value.text, ofClass: position, in: stage.draft.schema)
      try formula.check(fits: property, isElement: isElement, in: stage.draft.schema)
      return formula
    } catch {
      throw PlanError(error, in: value)
    }
  }

  private func condition(_ test: PlanText, of position: Int) throws(PlanError) -> Formula {
    do throws(QueryError) {
      let formula = try Formula(test.text, ofClass: position, in: stage.draft.schema)
      try formula.checkIsCondition(in: stage.draft.schema)
      return formula
    } catch {
      throw PlanError(error, in: test)
    }
  }

  /// Whether an expression needs the result of this stage. It reads linked objects as they were before the stage, so it
  /// needs the result for properties of linked objects that the stage changes or moves, and for links after a deletion.
  private func needsNewStage(_ formula: Formula, of position: Int) -> Bool {
    let readsLinks = formula.properties.contains {
      [.link, .mixed].contains(draft(position).properties[$0].type)
    }
    if readsLinks, !stage.deletions.isEmpty || !stage.removals.isEmpty { return true }
    return formula.linked.contains { place in
      draft(place.classPosition).properties[place.property].source != place.property
    }
  }

  /// Whether objects of the class can lose their owners in this stage.
  private func isAfterOrphans(_ position: Int) -> Bool {
    stage.canOrphan && draft(position).kind == .embedded
  }

  /// Whether the values of a property are embedded objects.
  private func isOwner(_ property: MigrationDraft.Property) -> Bool {
    property.target.map { stage.draft.classes[$0]?.kind == .embedded } ?? false
  }

  private mutating func append(
    _ change: MigrationOperation.Change, to position: Int, about property: String?
  ) {
    stage.operations[position, default: []].append(
      MigrationOperation(
        change: change, step: number, className: draft(position).name.text,
        names: draft(position).properties.map(\.name.text), property: property,
        primaryKey: draft(position).primaryKey))
  }

  // MARK: Changes of the draft

  mutating func edit(_ change: (inout MigrationDraft) -> Void) { change(&stage.draft) }

  /// Notes that another property becomes the primary key of a class, or that the key gets another type.
  mutating func noteReplacedKey(of position: Int) { stage.replacedKeys.insert(position) }

  /// Removes a class with its objects.
  mutating func remove(_ position: Int) {
    if draft(position).properties.contains(where: isOwner) { stage.canOrphan = true }
    stage.removals[position] = number
    stage.draft.remove(position)
  }

  /// Embeds the objects of a class in the objects that link to them, which takes a stage of its own.
  mutating func embed(_ position: Int) {
    stage.reading = .nested(embedding: position)
    stage.embeddingStep = number
    stage.draft.classes[position]?.kind = .embedded
  }
}

extension MigrationOperation {
  /// Whether the operation gives other values each time.
  var isRandom: Bool {
    switch change {
    case .add(_, let formula), .fill(_, let formula, _): formula?.isRandom ?? false
    case .replace(_, let formula, _): formula.isRandom
    case .set(let condition, let values):
      condition.condition?.isRandom ?? false || values.contains { $0.formula.isRandom }
    case .remove, .convert, .delete, .keep: false
    }
  }
}

extension MigrationAction {
  /// Whether the step changes neither objects nor links to deleted objects.
  fileprivate var isSchemaOnly: Bool {
    switch self {
    case .renameProperty, .renameClass, .setOptional, .removePrimaryKey, .addIndex, .removeIndex:
      true
    default: false
    }
  }
}
