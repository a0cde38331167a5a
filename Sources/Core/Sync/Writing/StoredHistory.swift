import RealmStorage

/// The parts of a stored client history of schema version 11 or 12 that a new history takes over.
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

  /// The integers of the root by slot: identity, cursors and numbers of bytes.
  var integers: [Int: Int] {
    // They are between the logs and the columns.
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
