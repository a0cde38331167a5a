import RealmModel
package import RealmStorage

/// Makes the history of a copy of a synced realm for another user (chapter 4, section 6.3). It has no entries, and no
/// identity of the file, so that the server assigns a new one; the position in the history of the server stays.
package struct EmptiedHistory: Sendable {
  private let snapshot: Snapshot

  /// - Parameter snapshot: the realm of a sync client, with a history of schema version 11 or 12.
  package init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Appends the history.
  ///
  /// - Throws: `damaged` with a rule of group `history`; the errors of both files.
  package func append(
    to writer: RealmFileWriter
  ) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts) {
    let top = snapshot.top
    let facts = RealmFileWriter.Facts(
      version: top.version, historyType: HistoryKind.syncClient.rawValue,
      historySchemaVersion: top.historySchemaVersion, fileIdent: 0)
    guard top.history != 0 else { return (0, facts) }
    typealias Slot = ClientHistoryLayout.Slot
    let stored = try StoredHistory(snapshot)
    var integers = stored.integers
    for slot in [Slot.identSalt, Slot.downloadClientVersion, Slot.uploadClientVersion] {
      integers[slot] = 0
    }
    // Changes that were not uploaded never will be.
    integers[Slot.uploadableBytes] = integers[Slot.uploadedBytes]
    var history = ClientHistoryWriter(writer)
    return (try history.finish(integers: integers, events: try stored.events()), facts)
  }
}
