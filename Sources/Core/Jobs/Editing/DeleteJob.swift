import RealmMigration
import RealmModel
public import RealmStorage

/// Deletes the objects that a query finds, as the SDKs do: the embedded objects in them go too, links to them become
/// null, and lists and sets lose them.
public struct DeleteJob: Sendable {
  private let editing: EditRun

  /// - Parameter key: key of the realm and of the result.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: EditRequest, isDryRun: Bool = false
  ) {
    editing = EditRun(
      rewrite: RealmRewrite(
        path: path, version: version, key: key, newKey: key, command: "delete",
        destination: destination, isDryRun: isDryRun), request: request)
  }

  /// - Parameter progress: receives the amount of work done and the total.
  /// - Throws: ``QueryTextError``; ``RequestError`` of kind `syncedTarget`, `cannotSync`, `oldSyncHistory`,
  ///   `oldSyncedFormat` or `serverRealm`; `legacyFormat`, `inUse`; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> EditReport {
    try editing.run(edit, progress: progress)
  }

  private func edit(_ realm: Realm, _ position: Int, _ found: KeyList) throws -> EditRun.Edit {
    let deletion = try DeletionSteps(of: [position: found], in: realm)
    return EditRun.Edit(
      steps: deletion.steps, found: found.keys.count, deleted: deletion.deleted)
  }
}
