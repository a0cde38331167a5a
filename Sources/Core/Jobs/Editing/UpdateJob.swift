import RealmMigration
import RealmModel
import RealmQuery
public import RealmStorage

/// Sets properties of the objects that a query finds to the values of expressions. The values are checked as by a
/// migration; the schema and its version stay.
public struct UpdateJob: Sendable {
  private let editing: EditRun
  private let assignments: [String]

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - formats: whether the realm may be upgraded in place.
  ///   - assignments: at least one `property = expression`. Each expression sees the object as it was before.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: EditRequest, assignments: [String],
    formats: FormatChoice = FormatChoice(), isDryRun: Bool = false
  ) {
    var editing = EditRun(
      rewrite: RealmRewrite(
        path: path, version: version, key: key, newKey: key, command: "update",
        destination: destination, isDryRun: isDryRun), request: request)
    editing.rewrite.formats = formats
    self.editing = editing
    self.assignments = assignments
  }

  /// - Parameter progress: receives the amount of work done and the total.
  /// - Throws: ``QueryTextError`` for the query and the assignments; ``MigrationError`` for objects that cannot get
  ///   their value; ``RequestError`` of kind `syncedTarget`, `cannotSync`, `oldSyncHistory`, `oldSyncedFormat` or
  ///   `serverRealm`; `needsUpgrade`, `inUse`; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> EditReport {
    try editing.run(
      { try UpdateJob.edit(assignments, $0, $1, $2) }, progress: progress)
  }

  /// - Parameter assignments: each `property = expression`.
  static func edit(
    _ assignments: [String], _ realm: Realm, _ position: Int, _ found: KeyList
  ) throws -> EditRun.Edit {
    let schema = realm.schema.objects
    let objectClass = schema.classes[position]
    var parsed: [Assignment] = []
    for text in assignments {
      let assignment = try withText(text, of: .assignment) { (text) throws(QueryError) in
        let assignment = try Assignment(text, ofClass: position, in: schema)
        guard !parsed.contains(where: { $0.property == assignment.property }) else {
          throw QueryError(
            .value, "the property is set twice", at: 0..<0, hint: "leave out one of the assignments"
          )
        }
        return assignment
      }
      parsed.append(assignment)
    }
    let isAll = found.keys.count == realm.schema.tables[position].objectCount
    return EditRun.Edit(
      steps: [
        .setValues(
          of: objectClass.name, where: isAll ? .all : .keys(found),
          to: parsed.map { (objectClass.properties[$0.property].name.text, $0.expression) })
      ],
      found: found.keys.count, properties: parsed.map(\.property))
  }
}
