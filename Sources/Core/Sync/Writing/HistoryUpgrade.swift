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
    let (root, nodes) = (stored.root, stored.nodes)
    var history = ClientHistoryWriter(writer)
    try nodes.traversing { () throws(RealmFileError) in try copyEntries(of: root, nodes, &history) }
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

  // MARK: Entries

  private func copyEntries(
    of root: Node, _ nodes: NodeReader, _ history: inout ClientHistoryWriter
  ) throws(RealmFileError) {
    typealias Slot = ClientHistoryLayout.Slot
    func column(_ slot: Int) throws(RealmFileError) -> HistoryColumn {
      HistoryColumn(root: try root.ref(at: slot), nodes: nodes)
    }
    var remoteVersions = try column(Slot.remoteVersions)
    var origins = try column(Slot.origins)
    var timestamps = try column(Slot.timestamps)
    var transforms = StoredValues(root: try root.ref(at: Slot.transforms), nodes)
    var changesets = StoredValues(root: try root.ref(at: Slot.changesets), nodes)
    while let changeset = try changesets.next() {
      guard let transform = try transforms.next(), let remoteVersion = try remoteVersions.next(),
        let origin = try origins.next(), let timestamp = try timestamps.next()
      else { throw unequalColumns(root) }
      try history.append(
        ClientHistoryWriter.Entry(
          changeset: try wrapped(changeset, at: root.ref),
          transform: try wrapped(transform, at: root.ref),
          remoteVersion: remoteVersion, origin: origin, timestamp: timestamp))
    }
    guard try transforms.next() == nil, try remoteVersions.next() == nil,
      try origins.next() == nil, try timestamps.next() == nil
    else { throw unequalColumns(root) }
  }

  private func unequalColumns(_ root: Node) -> RealmFileError {
    .damaged(
      .historyLengths, at: root.ref,
      "the columns have different numbers of entries, expected equal ones")
  }

  /// A column of binaries, value by value.
  private struct StoredValues {
    private var leaves: BinaryColumn
    private var values: [ByteSlice?] = []
    private var position = 0

    init(root: Ref, _ nodes: NodeReader) { leaves = BinaryColumn(root: root, nodes: nodes) }

    /// The next value, itself nil for null; nil after the last one.
    mutating func next() throws(RealmFileError) -> ByteSlice?? {
      while position == values.count {
        guard let leaf = try leaves.next() else { return nil }
        (values, position) = (Array(leaf), 0)
      }
      defer { position += 1 }
      return .some(values[position])
    }
  }

  /// The form of a stored value in schema version 12 that released libraries read.
  private func wrapped(
    _ value: ByteSlice?, at root: Ref
  ) throws(RealmFileError) -> [UInt8]? {
    guard let value, !value.isEmpty else { return nil }
    guard snapshot.top.historySchemaVersion >= ClientHistory.newestSchemaVersion else {
      return StoredChangeset.wrap(value.bytes)
    }
    do throws(StoredChangeset.Failure) {
      let stored = try StoredChangeset(value)
      return stored.isEarly ? StoredChangeset.wrap(try stored.unwrapped()) : value.bytes
    } catch {
      throw .damaged(.historyWrapper, at: root)
    }
  }
}
