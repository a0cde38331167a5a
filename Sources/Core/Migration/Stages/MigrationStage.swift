import RealmBuilding
import RealmModel
import RealmQuery
import RealmStorage
import RealmVerify

/// A part of a migration that one pass over the objects does.
struct MigrationStage {
  /// How the pass reads embedded objects.
  enum Reading {
    /// As objects of a class of their own, so that their keys stay.
    case flat
    /// Inside their owners: embedded objects without an owner are left out. The objects of the class at the
    /// position, which are top-level objects before, become embedded in the objects that link to them.
    case nested(embedding: Int?)
  }

  var reading: Reading
  /// The schema of the result.
  var draft: MigrationDraft
  /// What is done to the objects of a class, by its position.
  var operations: [Int: [MigrationOperation]] = [:]
  /// The deletions, in the order of the steps.
  var deletions: [MigrationDeletion] = []
  /// Positions of the classes that are removed, with their steps.
  var removals: [Int: Int] = [:]
  /// Positions of the classes whose primary key becomes another property, or gets another type.
  var replacedKeys: Set<Int> = []
  /// Whether embedded objects can lose their owners.
  var canOrphan = false
  /// Numbers of the steps whose class becomes embedded.
  var embeddingStep: Int?

  private var isFlat: Bool { if case .flat = reading { true } else { false } }

  /// Whether a further pass has to leave out embedded objects without an owner. A nested stage does it itself.
  ///
  /// - Parameter hasUnowned: whether the realm before the stage has such objects.
  func needsCleaning(hasUnowned: Bool) -> Bool { isFlat && (canOrphan || hasUnowned) }

  init(from schema: ObjectSchema) {
    (reading, draft) = (.flat, MigrationDraft(schema))
  }

  /// The indexes that a flat stage leaves as they are, of those classes whose tables are not copied.
  ///
  /// - Returns: nil if all are built.
  /// - Throws: the errors of reading the objects.
  func keptIndexes(
    of realm: Realm, copied: CopiedTables?, jobs: Int
  ) throws(RealmFileError) -> KeptIndexes? {
    guard var kept = KeptIndexes(of: realm) else { return nil }
    let (schema, positions) = draft.result
    let changed = Set(deletions.map(\.classPosition)).union(replacedKeys)
    for (old, table) in zip(draft.classes, realm.schema.tables) {
      guard let old, let position = positions[table.position], !changed.contains(table.position),
        copied?.positions.contains(position) != true, !table.objectClass.isPrimaryKeyTable
      else { continue }
      for (i, property) in old.properties.enumerated() {
        guard let source = property.source else { continue }
        guard i != old.primaryKey else { continue }
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

/// A change of the objects of a class.
struct MigrationOperation {
  enum Change {
    /// A new last property; without an expression, it has its default value.
    case add(Property, Formula?)
    case remove(Int)
    /// Other values for a property.
    case replace(Int, Formula, Property)
    /// The same values with another type.
    case convert(Int, from: Property, to: Property)
    /// Values instead of nulls; without an expression, nulls are errors.
    case fill(Int, Formula?, Property)
    case set(where: Formula?, [(position: Int, formula: Formula, property: Property)])
    /// Leaves out the objects that were found before the pass.
    case delete
    /// Leaves out all other objects.
    case keep(Formula)
  }

  let change: Change
  /// Number of the step.
  let step: Int
  /// The names of the class and of its properties before the operation.
  let className: String
  let names: [String]
  /// The property that an error is about.
  let property: String?
  /// Position of the primary key, which names objects in errors.
  let primaryKey: Int?
}

extension MigrationOperation {
  /// The operation that finds the objects of a deletion.
  func keeping(_ condition: Formula) -> MigrationOperation {
    MigrationOperation(
      change: .keep(condition), step: step, className: className, names: names, property: property,
      primaryKey: primaryKey)
  }
}

/// Which objects a step deletes.
struct MigrationDeletion {
  let classPosition: Int
  let condition: Formula
  let step: Int
  /// Number of operations of the class before the deletion.
  let operationCount: Int
}
