import RealmBuilding
import RealmModel
import RealmQuery
import RealmStorage
import RealmVerify

/// The steps of a migration that one pass over the objects applies.
struct MigrationStage {
  /// How the pass reads embedded objects.
  enum Reading {
    /// As objects of a class of their own, so that their keys stay.
    case flat
    /// Inside their owners, so that embedded objects without an owner are left out. The objects of the top-level class
    /// at the position become embedded in the objects that link to them.
    case nested(embedding: Int?)
  }

  var reading: Reading
  /// The schema of the result.
  var draft: MigrationDraft
  /// What to do with the objects of a class, by its position.
  var operations: [Int: [MigrationOperation]] = [:]
  /// The deletions, in the order of the steps.
  var deletions: [MigrationDeletion] = []
  /// The steps that remove classes, by position of the class.
  var removals: [Int: Int] = [:]
  /// Positions of the classes with another property as primary key, or with a key of another type.
  var replacedKeys: Set<Int> = []
  /// Whether embedded objects can lose their owners.
  var canOrphan = false
  /// Number of the step that embeds the objects of a class.
  var embeddingStep: Int?

  private var isFlat: Bool { if case .flat = reading { true } else { false } }

  /// Whether a further pass must remove embedded objects without an owner. A nested stage removes them itself.
  ///
  /// - Parameter hasUnowned: whether the realm before the stage has such objects.
  func needsCleaning(hasUnowned: Bool) -> Bool { isFlat && (canOrphan || hasUnowned) }

  init(from schema: ObjectSchema) {
    (reading, draft) = (.flat, MigrationDraft(schema))
  }

  /// The tables to copy; nil if all are built.
  ///
  /// - Parameter deleted: the keys of the objects that the deletions found, by number of the step.
  /// - Throws: the errors of reading the objects.
  func copiedTables(
    of realm: Realm, _ deleted: [Int: KeyList], _ format: FileFormat
  ) throws(RealmFileError) -> CopiedTables? {
    if let changed = try changedKeys(of: realm, deleted),
      let edited = try CopiedTables(editing: realm, changed, format)
    {
      return edited
    }
    return CopiedTables(of: realm, try changes(of: realm), format)
  }

  /// The position of each class of a realm in the result; nil for a class that is removed.
  func positions(in realm: Realm) -> [Int?] {
    Array(draft.result.positions.prefix(realm.schema.objects.classes.count))
  }

  /// The indexes to copy: those that the stage does not change, of classes whose tables are not copied.
  ///
  /// - Returns: nil if all indexes are built.
  /// - Throws: the errors of reading the objects.
  func keptIndexes(
    of realm: Realm, _ format: FileFormat, copied: CopiedTables?, jobs: Int
  ) throws(RealmFileError) -> KeptIndexes? {
    guard var kept = KeptIndexes(of: realm, format) else { return nil }
    let (schema, positions) = draft.result
    let changed = Set(deletions.map(\.classPosition)).union(replacedKeys)
    for (old, table) in zip(draft.classes, realm.schema.tables) {
      guard let old, let position = positions[table.position], !changed.contains(table.position),
        copied?.positions.contains(position) != true, !table.objectClass.isPrimaryKeyTable
      else { continue }
      for (i, property) in old.properties.enumerated() {
        guard let source = property.source, i != old.primaryKey else { continue }
        kept.add(
          source, of: table, as: schema.classes[position].properties[i], at: i, ofClass: position)
      }
    }
    try kept.remove { (table, positions) throws(RealmFileError) in
      try IndexComparison(table, positions, in: realm).wrong(jobs: jobs)
    }
    return kept
  }
}

extension MigrationStage {
  /// What the stage changes in the tables of a realm. Tables that it does not touch, or only renames, can be copied.
  ///
  /// - Throws: the errors of reading the objects.
  func changes(of realm: Realm) throws(RealmFileError) -> TableChanges {
    let old = realm.schema.objects.classes
    let deleting = Set(deletions.map(\.classPosition))
    let draft = draft
    var changes = TableChanges(positions: positions(in: realm)) {
      position, property in
      guard !deleting.contains(position) else { return nil }
      return draft.classes[position]?.properties.firstIndex { $0.source == property }
    }
    let edits = valueEdits(of: realm)
    changes.losing = deleting.union(removals.keys)
    changes.changed = changes.losing
    // A mixed property can get any link that the realm has.
    let targets = Set(realm.schema.tables.filter { !$0.backlinkColumns.isEmpty }.map(\.position))
    for (position, objectClass) in draft.classes.enumerated() {
      guard let objectClass else { continue }
      let newTargets = objectClass.properties.filter { $0.source == nil }.compactMap(\.target)
        .filter { $0 < old.count }
      guard position < old.count else {
        // The targets get columns for the backlinks of the new class.
        changes.changed.formUnion(newTargets)
        continue
      }
      let operations = operations[position] ?? []
      if let edit = edits[position], try keepsClusters(ofClass: position, edit, in: realm) {
        changes.replaced[position] = edit.written
      } else if !operations.isEmpty || !objectClass.keepsTable(of: old[position]) {
        changes.changed.insert(position)
      }
      changes.newTargets[position] = Set(newTargets)
      if operations.contains(where: \.givesMixedValues) {
        changes.newTargets[position]?.formUnion(targets)
      }
    }
    return changes
  }
}

/// A change to the objects of a class.
struct MigrationOperation {
  enum Change {
    /// Adds a last property, with default values if there is no expression.
    case add(Property, Formula?)
    case remove(Int)
    /// Gives a property new values.
    case replace(Int, Formula, Property)
    /// Converts the values to another type.
    case convert(Int, from: Property, to: Property)
    /// Gives values instead of nulls; without an expression, nulls are errors.
    case fill(Int, Formula?, Property)
    case set(where: ObjectChoice<Formula>, [(position: Int, formula: Formula, property: Property)])
    /// Removes the objects that a pass before found.
    case delete
    /// Removes the objects that do not meet the condition.
    case keep(Formula)
  }

  let change: Change
  /// Number of the step.
  let step: Int
  /// The names of the class and of its properties before the operation.
  let className: String
  let names: [String]
  /// The property for errors.
  let property: String?
  /// Position of the primary key, by which errors and samples name objects.
  let primaryKey: Int?
}

extension MigrationOperation {
  /// The operation that finds the objects of this deletion.
  func keeping(_ condition: Formula) -> MigrationOperation {
    MigrationOperation(
      change: .keep(condition), step: step, className: className, names: names, property: property,
      primaryKey: primaryKey)
  }
}

/// A step that deletes objects.
struct MigrationDeletion {
  let classPosition: Int
  let choice: ObjectChoice<Formula>
  let step: Int
  /// Number of operations on the class before the deletion.
  let operationCount: Int
}

extension MigrationDraft.Class {
  /// Whether the table of the class differs from its table before in names and in the values of some properties only.
  ///
  /// - Parameter changed: positions of the properties with new values.
  func keepsTable(of old: ObjectClass, changing changed: Set<Int> = []) -> Bool {
    kind == old.kind && primaryKey == old.primaryKey && properties.count == old.properties.count
      && zip(properties, old.properties).enumerated().allSatisfy { position, pair in
        let (property, oldProperty) = pair
        return (property.source == position || changed.contains(position))
          && property.isOptional == oldProperty.isOptional && property.index == oldProperty.index
      }
  }
}

extension MigrationOperation {
  /// Whether the operation gives mixed properties new values.
  var givesMixedValues: Bool {
    switch change {
    case .add(let property, let formula): formula != nil && property.type == .mixed
    case .replace(_, _, let property), .fill(_, _, let property), .convert(_, _, to: let property):
      property.type == .mixed
    case .set(_, let values): values.contains { $0.property.type == .mixed }
    case .remove, .delete, .keep: false
    }
  }
}
