import RealmBuilding
import RealmMigration
package import RealmModel
import RealmQuery
import RealmStorage

/// The objects that a query finds, for changes that are gathered in a draft and not written.
package struct ObjectsToEdit {
  package let realm: Realm
  package let classPosition: Int
  package let keys: [ObjectKey]
  private let request: EditRequest

  /// - Throws: ``QueryTextError``; `embeddedClass`; the errors of reading the realm.
  package init(_ request: EditRequest, in realm: Realm) throws {
    var query = QueryJob.Request(className: request.className)
    (query.text, query.arguments, query.answer) = (request.query, request.arguments, .nothing)
    let texts = try QueryTexts(query, realm)
    guard !texts.isEmbedded else { throw RequestError(.embeddedClass(request.className)) }
    (self.realm, self.request, classPosition) = (realm, request, texts.classPosition)
    keys = try texts.query.run(in: realm, jobs: request.jobs).keys
  }

  /// The positions of the properties that assignments set.
  ///
  /// - Parameter assignments: at least one `property = expression`.
  /// - Throws: ``QueryTextError``.
  package func properties(_ assignments: [String]) throws -> [Int] {
    try edit(assignments).properties
  }

  /// The realm after properties of the objects were set to the values of expressions, in an unlinked file.
  ///
  /// - Parameter assignments: at least one `property = expression`. Each expression sees the object as it is before.
  /// - Throws: ``QueryTextError``; ``MigrationError`` for objects that cannot get their value; the errors of reading the realm
  ///   and writing the file.
  package func updated(_ assignments: [String]) throws -> Realm {
    let edit = try edit(assignments)
    let snapshot = realm.snapshot
    var building = try RealmBuilder.Request(
      after: snapshot, realm, try FormatChoice().format(for: snapshot))
    (building.schemaVersion, building.jobs) = (try realm.schemaVersion(), request.jobs)
    let run = MigrationRun(edit.steps, StepTally(sampleLimit: 0), key: snapshot.key, building) {
      _ in nil
    }
    return try run.staged(realm) { _, _ in }
  }

  private func edit(_ assignments: [String]) throws -> EditRun.Edit {
    try UpdateJob.edit(assignments, realm, classPosition, KeyList(keys))
  }
}
