package import RealmModel
package import RealmStorage
import Synchronization

/// Makes the history with which a realm that never was synced uploads its whole content (chapter 4, section
/// 4): the schema first, then all objects.
package final class UploadHistory: Sendable {
  private let source: RealmSource
  private let version: Int
  private let now: Int
  private let sizeLimit: Int
  private let state = Mutex(ChangesetRun.Report())

  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  package init(_ realm: Realm, now: Int, sizeLimit: Int = ChangesetRun.sizeLimit) {
    source = RealmSource(realm)
    version = realm.snapshot.top.version
    (self.now, self.sizeLimit) = (now, sizeLimit)
  }

  /// What was made last.
  package var report: ChangesetRun.Report { state.withLock { $0 } }

  /// Appends the history.
  ///
  /// - Throws: `damaged` and the errors of the source; `unsupported` if an object is too large, after all
  ///   objects were read: ``report`` names them.
  package func append(
    to writer: RealmFileWriter
  ) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts) {
    let instructions = ObjectInstructions(source.schema)
    var run = ChangesetRun(
      ClientHistoryWriter(writer), instructions, now: now, remoteVersion: 0, sizeLimit: sizeLimit)
    try run.addSchema(beyond: nil)
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count { try run.add(ChangedObject(batch, row: row)) }
      }
      try source.accept(cursor.close(), of: part)
    }
    try run.endChangeset()
    let report = run.report
    state.withLock { $0 = report }
    try report.checkFits()
    let root = try run.history.finish(
      integers: [ClientHistoryLayout.Slot.uploadableBytes: report.byteCount],
      events: [
        HistoryEvents.Event(
          schemaVersion: Int64(ClientHistory.newestSchemaVersion),
          library: ClientHistoryWriter.library, baseVersion: Int64(version), time: Int64(now))
      ])
    return (
      root,
      RealmFileWriter.Facts(
        version: version + run.history.count, historyType: HistoryKind.syncClient.rawValue,
        historySchemaVersion: ClientHistory.newestSchemaVersion, fileIdent: 0)
    )
  }
}
