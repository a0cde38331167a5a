import RealmModel
import RealmStorage

extension StoredHistory {
  private typealias Slot = ClientHistoryLayout.Slot

  /// Appends all entries to `history`, with the wrappers of schema version 12. Holds one changeset at a time.
  ///
  /// - Parameter snapshot: the one of the history.
  /// - Throws: `damaged` with a rule of group `history`, `btree` or `leaf`; the errors of both files.
  func copyEntries(
    of snapshot: Snapshot, to history: inout ClientHistoryWriter
  ) throws(RealmFileError) {
    // Readers of their own: each column of binaries releases what was read before a value.
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

  /// The form of a stored value in schema version 12 that released libraries read.
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
