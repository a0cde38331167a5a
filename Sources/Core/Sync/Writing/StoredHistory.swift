import RealmModel
import RealmStorage

/// A stored client history of schema version 11 or 12, as far as a new history takes it over.
struct StoredHistory {
  private typealias Slot = ClientHistoryLayout.Slot

  let root: Node
  let nodes: NodeReader

  /// - Throws: `damaged` with rule `history.root`.
  init(_ snapshot: Snapshot) throws(RealmFileError) {
    nodes = try snapshot.makeReader()
    root = try nodes.node(at: snapshot.top.history)
    guard root.hasRefs, !root.isInner, root.count == Slot.count else {
      throw .damaged(
        .historyRoot, at: root.ref, "the root has \(root.form), expected \(Slot.count)")
    }
  }

  /// The integers of the root by slot: identity, cursors and byte counts.
  var integers: [Int: Int] {
    // Their slots are between the logs and the columns.
    Dictionary(
      uniqueKeysWithValues: (Slot.logs + 1..<Slot.changesets).map { ($0, root.slotInteger(at: $0)) }
    )
  }

  /// The creations and upgrades of the history.
  ///
  /// - Throws: `damaged` with rule `history.root`; the errors of opening a node.
  func events() throws(RealmFileError) -> [HistoryEvents.Event] {
    let record = try HistoryEvents(at: try root.ref(at: Slot.schemaVersions), nodes)
    var events: [HistoryEvents.Event] = []
    for i in 0..<record.count { events.append(try record.event(i)) }
    return events
  }
}

extension StoredHistory {
  /// Appends all entries to `history`, with wrappers as in schema version 12. One changeset is in memory at a time.
  ///
  /// - Parameter snapshot: the snapshot of this history.
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of both files.
  func copyEntries(
    of snapshot: Snapshot, to history: inout ClientHistoryWriter
  ) throws(RealmFileError) {
    // Each column of binaries needs its own reader, because it releases what was read before a value.
    let (own, other) = (try snapshot.makeReader(), try snapshot.makeReader())
    let version = snapshot.top.historySchemaVersion
    try own.traversing { () throws(RealmFileError) in
      try other.traversing { () throws(RealmFileError) in
        var changesets = BinaryValues(root: try root.ref(at: Slot.changesets), nodes: own)
        var transforms = BinaryValues(root: try root.ref(at: Slot.transforms), nodes: other)
        try copyEntries(to: &history) { (count) throws(RealmFileError) in
          guard let changeset = try changesets.next() else { return nil }
          guard let transform = try transforms.next() else { throw unequalColumns }
          return (
            try wrapped(HistoryValue(changeset, schemaVersion: version), count, Slot.changesets),
            try wrapped(HistoryValue(transform, schemaVersion: version), count, Slot.transforms)
          )
        }
        guard try transforms.next() == nil else { throw unequalColumns }
      }
    }
  }

  /// Appends all entries to `history`.
  ///
  /// - Parameter next: returns the two binaries of an entry; nil after the last entry.
  private func copyEntries(
    to history: inout ClientHistoryWriter,
    next: (Int) throws(RealmFileError) -> (changeset: [UInt8]?, transform: [UInt8]?)?
  ) throws(RealmFileError) {
    try nodes.traversing { () throws(RealmFileError) in
      func column(_ slot: Int) throws(RealmFileError) -> HistoryColumn {
        HistoryColumn(root: try root.ref(at: slot), nodes: nodes)
      }
      var remoteVersions = try column(Slot.remoteVersions)
      var origins = try column(Slot.origins)
      var timestamps = try column(Slot.timestamps)
      while let (changeset, transform) = try next(history.count) {
        guard let remoteVersion = try remoteVersions.next(), let origin = try origins.next(),
          let timestamp = try timestamps.next()
        else { throw unequalColumns }
        try history.append(
          ClientHistoryWriter.Entry(
            changeset: changeset, transform: transform, remoteVersion: remoteVersion,
            origin: origin, timestamp: timestamp))
      }
      guard try remoteVersions.next() == nil, try origins.next() == nil,
        try timestamps.next() == nil
      else { throw unequalColumns }
    }
  }

  private var unequalColumns: RealmFileError {
    .damaged(
      .historyLengths, at: root.ref,
      "the columns have different numbers of entries, expected equal ones")
  }

  /// A stored value in the form of schema version 12 that released libraries read.
  private func wrapped(
    _ stored: HistoryValue, _ entry: Int, _ slot: Int
  ) throws(RealmFileError) -> [UInt8]? {
    guard let size = try stored.byteCount() else { return nil }
    let bytes = try stored.value.bytes() ?? .empty
    guard stored.isWrapped else { return StoredChangeset.wrap(bytes.bytes) }
    do throws(StoredChangeset.Failure) {
      _ = try size.get()
      let changeset = try StoredChangeset(bytes)
      return changeset.isEarly ? StoredChangeset.wrap(try changeset.unwrapped()) : bytes.bytes
    } catch {
      switch error {
      case .damaged(let why):
        throw .damaged(
          .historyWrapper, at: try root.ref(at: slot), "the changeset of entry \(entry): \(why)")
      case .unsupported(let why): throw RealmFileError(.unsupported(why))
      }
    }
  }
}
