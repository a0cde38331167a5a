package import RealmBuilding
package import RealmModel
package import RealmStorage
import Synchronization

/// The history of a new realm that takes the place of a synced one: the identity of the file, the cursors and
/// all entries stay (chapter 4, section 2.9), and changes that the new realm contains are appended, which a
/// client uploads.
package final class ContinuedHistory: Sendable {
  /// What changed in the new realm.
  package enum Changes: Sendable {
    case none
    /// Classes and properties that `old` does not have. All other classes have the same positions in both.
    case schema(from: ObjectSchema, to: ObjectSchema)
    /// The added objects of a merge. All classes that are not embedded have primary keys.
    case objects(MergedSource)
  }

  private typealias Slot = ClientHistoryLayout.Slot

  private let snapshot: Snapshot
  private let changes: Changes
  private let now: Int
  private let sizeLimit: Int
  private let state = Mutex(ChangesetRun.Report())

  /// - Parameters:
  ///   - snapshot: of a sync client, whose history has schema version 11 or 12.
  ///   - now: seconds since 1970, the time of the changes and of an upgrade.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  package init(
    _ snapshot: Snapshot, _ changes: Changes = .none, now: Int,
    sizeLimit: Int = ChangesetRun.sizeLimit
  ) {
    (self.snapshot, self.changes) = (snapshot, changes)
    (self.now, self.sizeLimit) = (now, sizeLimit)
  }

  /// What was appended last.
  package var report: ChangesetRun.Report { state.withLock { $0 } }

  /// Appends the history. One of schema version 11 becomes one of 12: its changesets are wrapped, and the
  /// upgrade is a version of its own with an empty entry.
  ///
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of both files;
  ///   `unsupported` if an object is too large, after all objects were read: ``report`` names them.
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
      events.append(
        HistoryEvents.Event(
          schemaVersion: Int64(ClientHistory.newestSchemaVersion),
          library: ClientHistoryWriter.library, baseVersion: Int64(top.version), time: Int64(now)))
    }
    if stored != nil, top.historySchemaVersion < ClientHistory.newestSchemaVersion {
      try history.append(
        ClientHistoryWriter.Entry(
          remoteVersion: remoteVersion, timestamp: Int64(now) * 1000 - ClientHistoryWriter.epoch))
    }
    let report = try appendChanges(to: &history, remoteVersion)
    state.withLock { $0 = report }
    try report.checkFits()
    // Without an entry, a history that was never stored stays so.
    guard stored != nil || history.count > 0 else { return (0, facts) }
    facts.version = top.version.saturatingSum(history.count - storedCount)
    integers[Slot.uploadableBytes] = (integers[Slot.uploadableBytes] ?? 0)
      .saturatingSum(report.byteCount)
    return (try history.finish(integers: integers, events: events), facts)
  }

  private func appendChanges(
    to history: inout ClientHistoryWriter, _ remoteVersion: Int64
  ) throws(RealmFileError) -> ChangesetRun.Report {
    let schema: ObjectSchema
    switch changes {
    case .none: return ChangesetRun.Report()
    case .schema(_, let new): schema = new
    case .objects(let source): schema = source.schema
    }
    var run = ChangesetRun(
      history, ObjectInstructions(schema, sendsUnresolved: true), now: now,
      remoteVersion: remoteVersion, sizeLimit: sizeLimit)
    switch changes {
    case .none: break
    case .schema(let old, _): try run.addSchema(beyond: old)
    case .objects(let source):
      try source.forEachAdded { (objects) throws(RealmFileError) in
        for row in 0..<objects.batch.count { try run.add(ChangedObject(objects, row: row)) }
      }
      try run.endObjects()
    }
    history = run.history
    return run.report
  }
}
