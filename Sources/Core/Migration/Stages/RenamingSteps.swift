package import RealmModel
package import RealmStorage

/// Steps that only rename classes and properties, and so change no object.
package struct RenamingSteps {
  /// The renamed classes, in the order of the realm.
  private let classes: [MigrationDraft.Class?]

  /// - Returns: nil if a step does more than rename.
  /// - Throws: what is wrong with a step.
  package init?(_ steps: [MigrationStep], of schema: ObjectSchema) throws(PlanError) {
    let areRenamings = steps.allSatisfy {
      switch $0.action {
      case .renameClass, .renameProperty: true
      default: false
      }
    }
    guard areRenamings else { return nil }
    var planner = MigrationPlanner(from: schema)
    for (number, step) in steps.enumerated() { _ = try planner.add(step, number: number) }
    classes = planner.stage.draft.classes
  }

  /// The changes to the nodes of a realm with this schema.
  ///
  /// - Throws: `unsupported` if the realm has no schema version to change; `damaged`.
  package func edits(
    of realm: Realm, schemaVersion: UInt64
  ) throws(RealmFileError) -> SchemaEdits {
    var edits = try SchemaEdits(realm)
    for (table, renamed) in zip(realm.schema.tables, classes) {
      guard let renamed else { continue }
      if renamed.name != table.className { edits.rename(table, to: renamed.name) }
      for (column, property) in zip(table.columns, renamed.properties)
      where column.name != property.name {
        edits.rename(column, of: table, to: property.name)
      }
    }
    try edits.setSchemaVersion(schemaVersion)
    return edits
  }
}
