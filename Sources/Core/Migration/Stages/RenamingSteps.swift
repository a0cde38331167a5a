package import RealmModel
import RealmStorage

/// Steps that only give classes and properties other names, and so change no object.
package struct RenamingSteps {
  /// The classes of the result, in the order of the realm's.
  private let classes: [MigrationDraft.Class?]

  /// - Returns: nil if a step does something else.
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

  /// The changes to the nodes of a realm with the schema.
  ///
  /// - Throws: `unsupported` if the realm has no schema version to change; `damaged`.
  package func edits(of realm: Realm, schemaVersion: UInt64) throws -> SchemaEdits {
    var edits = try SchemaEdits(realm)
    for (table, renamed) in zip(realm.schema.tables, classes) {
      guard let renamed else { continue }
      if renamed.name != table.className { edits.rename(table, to: renamed.name) }
      for (column, property) in zip(table.columns, renamed.properties)
      where column.name != property.name {
        edits.rename(column, of: table, to: property.name)
      }
    }
    do throws(RealmFileError) {
      try edits.setSchemaVersion(schemaVersion)
    } catch {
      throw error
    }
    return edits
  }
}
