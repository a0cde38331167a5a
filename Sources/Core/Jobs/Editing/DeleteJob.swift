import RealmMigration
import RealmModel
public import RealmStorage

/// Deletes the objects that a query finds, as the SDKs do: the embedded objects in them go too, links to them become
/// null, and lists and sets lose them.
public struct DeleteJob: Sendable {
  private let editing: EditRun

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - formats: whether the realm may be upgraded in place.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: EditRequest, formats: FormatChoice = FormatChoice(),
    isDryRun: Bool = false
  ) {
    var editing = EditRun(
      rewrite: RealmRewrite(
        path: path, version: version, key: key, newKey: key, command: "delete",
        destination: destination, isDryRun: isDryRun), request: request)
    editing.rewrite.formats = formats
    self.editing = editing
  }

  /// - Parameter progress: receives the amount of work done and the total.
  /// - Throws: ``QueryTextError``; ``RequestError`` of kind `syncedTarget`, `cannotSync`, `oldSyncHistory`,
  ///   `oldSyncedFormat` or `serverRealm`; `needsUpgrade`, `inUse`; the errors of reading and writing a realm.
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
