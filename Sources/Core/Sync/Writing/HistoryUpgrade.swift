import RealmModel
package import RealmStorage

/// Carries the history of a synced realm over into a new realm with the same tables: the identity of the file,
/// the cursors and all entries stay (chapter 4, section 2.9).
package struct HistoryUpgrade: Sendable {
  private let snapshot: Snapshot
  private let now: Int

  /// - Parameters:
  ///   - snapshot: of a sync client, whose history has schema version 11 or 12.
  ///   - now: seconds since 1970, the time of the upgrade.
  package init(_ snapshot: Snapshot, now: Int) { (self.snapshot, self.now) = (snapshot, now) }

  /// Appends the history. One of schema version 11 becomes one of 12: its changesets are wrapped, and the
  /// upgrade is a version of its own with an empty entry.
  ///
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of both files.
  package func append(
    to writer: RealmFileWriter
  ) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts) {
    let top = snapshot.top
    var facts = RealmFileWriter.Facts(
      version: top.version, historyType: HistoryKind.syncClient.rawValue,
      historySchemaVersion: ClientHistory.newestSchemaVersion, fileIdent: top.fileIdent)
    guard top.history != 0 else { return (0, facts) }
    let stored = try StoredHistory(snapshot)
    let root = stored.root
    var history = ClientHistoryWriter(writer)
    try stored.copyEntries(of: snapshot, to: &history)
    guard history.count < max(top.version, 1) || history.count == 0 else {
      throw .damaged(
        .historyLengths, at: root.ref,
        "\(history.count) entries at version \(top.version), expected at most \(top.version - 1)")
    }
    typealias Slot = ClientHistoryLayout.Slot
    var events = try stored.events()
    if top.historySchemaVersion < ClientHistory.newestSchemaVersion {
      try history.append(
        ClientHistoryWriter.Entry(
          remoteVersion: Int64(root.slotInteger(at: Slot.downloadServerVersion)),
          timestamp: Int64(now) * 1000 - ClientHistoryWriter.epoch))
      events.append(
        ClientHistoryWriter.SchemaEvent(
          schemaVersion: Int64(ClientHistory.newestSchemaVersion),
          library: ClientHistoryWriter.library, baseVersion: Int64(top.version), time: Int64(now)))
      facts.version += 1
    }
    return (try history.finish(integers: stored.integers, events: events), facts)
  }
}
