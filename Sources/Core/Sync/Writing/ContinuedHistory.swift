package import RealmBuilding
package import RealmModel
package import RealmStorage
import Synchronization

/// Makes the history of a new realm that replaces a synced one. The identity of the file, the cursors and all entries
/// stay (chapter 4, section 2.9); the changes in the new realm are appended, for a client to upload.
package final class ContinuedHistory: Sendable {
  /// Changes in the new realm.
  package enum Changes: Sendable {
    /// New classes and properties. All old classes have the same positions in both schemas.
    case schema(from: ObjectSchema, to: ObjectSchema)
    /// The added objects of a merge. All classes that are not embedded must have primary keys.
    case objects(MergedSource)
    /// Changed and deleted objects, of classes with primary keys.
    case edits(ObjectEdits)
  }

  private typealias Slot = ClientHistoryLayout.Slot

  private let snapshot: Snapshot
  private let changes: [Changes]
  private let now: Int
  private let sizeLimit: Int
  private let state = Mutex(ChangesetRun.Report())

  /// - Parameters:
  ///   - snapshot: the realm of a sync client, with a history of schema version 11 or 12.
  ///   - changes: in the order in which they were made.
  ///   - now: the time of the changes and of an upgrade, in seconds since 1970.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller limits.
  package init(
    _ snapshot: Snapshot, _ changes: [Changes] = [], now: Int,
    sizeLimit: Int = ChangesetRun.sizeLimit
  ) {
    (self.snapshot, self.changes) = (snapshot, changes)
    (self.now, self.sizeLimit) = (now, sizeLimit)
  }

  /// The result of the last call of ``append(to:)``.
  package var report: ChangesetRun.Report { state.withLock { $0 } }

  /// Appends the history. Schema version 11 is upgraded to 12: changesets get wrappers, and the upgrade becomes a
  /// version with an empty entry.
  ///
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of both files; `unsupported` if
  ///   objects cannot be uploaded, once all have been read: ``report`` names them.
  package func append(
    to writer: RealmFileWriter
  ) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts) {
    let top = snapshot.top
    var facts = RealmFileWriter.Facts(
      version: top.version, historyType: HistoryKind.syncClient.rawValue,
      historySchemaVersion: ClientHistory.newestSchemaVersion, fileIdent: top.fileIdent)
    let stored = top.history == 0 ? nil : try StoredHistory(snapshot)
    var history = ClientHistoryWriter(writer)
    if let stored {
      try stored.copyEntries(of: snapshot, to: &history)
      guard history.count < max(top.version, 1) || history.count == 0 else {
        throw .damaged(
          .historyLengths, at: stored.root.ref,
          "\(history.count) entries at version \(top.version), expected at most \(top.version - 1)")
      }
    }
    let storedCount = history.count
    var integers = stored?.integers ?? [:]
    var events = try stored?.events() ?? []
    let remoteVersion = Int64(integers[Slot.downloadServerVersion] ?? 0)
    if stored == nil || top.historySchemaVersion < ClientHistory.newestSchemaVersion {
      events.append(ClientHistoryWriter.event(after: top.version, now: now))
    }
    if stored != nil, top.historySchemaVersion < ClientHistory.newestSchemaVersion {
      try history.append(
        ClientHistoryWriter.Entry(
          remoteVersion: remoteVersion, timestamp: ClientHistoryWriter.timestamp(now)))
    }
    let report = try appendChanges(to: &history, remoteVersion)
    state.withLock { $0 = report }
    try report.checkFits()
    // A history that was never stored is not created without an entry.
    guard stored != nil || history.count > 0 else { return (0, facts) }
    facts.version = top.version.saturatingSum(history.count - storedCount)
    integers[Slot.uploadableBytes] = (integers[Slot.uploadableBytes] ?? 0)
      .saturatingSum(report.byteCount)
    return (try history.finish(integers: integers, events: events), facts)
  }

  private func appendChanges(
    to history: inout ClientHistoryWriter, _ remoteVersion: Int64
  ) throws(RealmFileError) -> ChangesetRun.Report {
    func begin(_ schema: ObjectSchema) -> ChangesetRun {
      ChangesetRun(
        history, ObjectInstructions(schema), now: now,
        remoteVersion: remoteVersion, sizeLimit: sizeLimit)
    }
    var report = ChangesetRun.Report()
    for change in changes {
      var run: ChangesetRun
      switch change {
      case .schema(let old, let new):
        run = begin(new)
        try run.addSchema(beyond: old)
      case .objects(let source):
        run = begin(source.schema)
        try source.forEachAdded { (objects) throws(RealmFileError) in
          for row in 0..<objects.batch.count { try run.add(ChangedObject(objects, row: row)) }
        }
        try run.endObjects()
      case .edits(let edits):
        run = begin(edits.after.schema.objects)
        try edits.record(in: &run)
      }
      history = run.history
      report.add(run.report)
    }
    return report
  }
}
