package import RealmModel
package import RealmStorage
import Synchronization

/// Makes the history with which a realm that was never synced uploads its whole content: the schema first, then all
/// objects (chapter 4, section 4).
package final class UploadHistory: Sendable {
  private let source: RealmSource
  private let version: Int
  private let now: Int
  private let sizeLimit: Int
  private let state = Mutex(ChangesetRun.Report())

  /// - Parameters:
  ///   - version: the version before the first changeset; nil for the version of `realm`.
  ///   - now: seconds since 1970.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller limits.
  package init(
    _ realm: Realm, version: Int? = nil, now: Int, sizeLimit: Int = ChangesetRun.sizeLimit
  ) {
    source = RealmSource(realm)
    self.version = version ?? realm.snapshot.top.version
    (self.now, self.sizeLimit) = (now, sizeLimit)
  }

  /// The result of the last call of ``append(to:)``.
  package var report: ChangesetRun.Report { state.withLock { $0 } }

  /// Appends the history.
  ///
  /// - Throws: `damaged` and the errors of the source; `unsupported` if objects cannot be uploaded, once all have been read:
  ///   ``report`` names them.
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
      events: [ClientHistoryWriter.event(after: version, now: now)])
    return (
      root,
      RealmFileWriter.Facts(
        version: version + run.history.count, historyType: HistoryKind.syncClient.rawValue,
        historySchemaVersion: ClientHistory.newestSchemaVersion, fileIdent: 0)
    )
  }
}
