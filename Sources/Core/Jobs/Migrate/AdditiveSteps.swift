import RealmMigration
import RealmModel
import RealmStorage
import RealmSync

/// The steps that a synced realm allows: adding classes, properties and indexes (chapter 3, section 9.7). A server
/// accepts no other change, and other devices would not get it.
enum AdditiveSteps {
  /// The steps that an SDK takes for a new schema. Classes and properties that are not in the schema stay.
  ///
  /// - Parameter path: path of the realm.
  /// - Throws: `syncedMigration` with all changes that are not allowed; `rule` for a class that no step can add.
  static func steps(
    from old: ObjectSchema, to new: ObjectSchema, path: String
  ) throws -> [MigrationStep] {
    let changes = SchemaComparison(from: old, to: new).changes
    let refused = changes.filter { $0.synced == .impossible }.map(described)
    guard refused.isEmpty else {
      throw RequestError(.syncedMigration(refused), path: path)
    }
    let steps = SchemaSteps(
      from: old, to: new, changes: changes.filter { $0.synced == .additive }, .automatic)
    if let note = steps.notes.first { throw PlanError(.rule, note, at: .nowhere) }
    return steps.steps
  }

  private static func described(_ change: SchemaChange) -> String {
    let name = change.className.text + (change.property.map { ".\($0.text)" } ?? "")
    return switch change.kind {
    case .classKind(_, let kind): "make \(name) \(kind)"
    case .primaryKey: "change the primary key of \(name)"
    case .madeOptional: "make \(name) optional"
    case .madeRequired: "make \(name) required"
    default: "change the type of \(name)"
    }
  }

  /// Checks that steps only add.
  ///
  /// - Parameter path: path of the realm.
  /// - Throws: `syncedMigration` with all other steps.
  static func checkOnlyAdd(_ steps: [MigrationStep], path: String) throws {
    let refused = steps.compactMap { refusal(of: $0.action) }
    guard refused.isEmpty else {
      throw RequestError(.syncedMigration(refused), path: path)
    }
  }

  /// Checks that the classes and properties that steps added can be synced.
  ///
  /// - Parameters:
  ///   - old: the schema of the realm.
  ///   - new: the schema after the steps.
  ///   - path: path of the realm.
  /// - Throws: `cannotSync` with all obstacles.
  static func checkCanSync(
    _ new: ObjectSchema, after old: ObjectSchema, path: String
  ) throws {
    let known = SyncObstacle.find(in: old)
    let obstacles = SyncObstacle.find(in: new).filter { !known.contains($0) }
    guard obstacles.isEmpty else { throw RequestError.cannotSync(obstacles, path: path) }
  }

  /// What a step does besides adding; nil if it only adds.
  private static func refusal(of action: MigrationAction) -> String? {
    switch action {
    case .addClass, .addIndex, .removeIndex, .addProperty(_, _, value: nil): nil
    case .addProperty(let owner, let property, _):
      "compute values for \(owner.text).\(property.name.text)"
    default: "\(action.name.rawValue) \(action.subject)"
    }
  }
}
