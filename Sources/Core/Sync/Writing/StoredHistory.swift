import RealmStorage

/// The parts of a stored client history of schema version 11 or 12 that a new history takes over.
struct StoredHistory {
  private typealias Slot = ClientHistoryLayout.Slot

  /// Maximum number of recorded events: there is one for each library that changed the form of the history.
  static let eventLimit = 500
  /// Maximum length of the version of a library.
  static let libraryLimit = 64
  /// Number of arrays of the record of events.
  static let eventSlotCount = 4

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
  /// - Throws: `damaged` with rule `history.root`.
  func events() throws(RealmFileError) -> [ClientHistoryWriter.SchemaEvent] {
    let ref = try root.ref(at: Slot.schemaVersions)
    let record = try nodes.lookUp(ref)
    guard record.hasRefs, record.count == StoredHistory.eventSlotCount else {
      throw .damaged(
        .historyRoot, at: ref,
        "the record has \(record.form), expected \(StoredHistory.eventSlotCount) refs")
    }
    var arrays: [Node] = []
    for slot in 0..<record.count { arrays.append(try nodes.lookUp(try record.ref(at: slot))) }
    let count = arrays[0].count
    guard count <= StoredHistory.eventLimit, arrays.allSatisfy({ $0.count == count }),
      arrays[0].isIntegers, arrays[2].isIntegers, arrays[3].isIntegers,
      arrays[1].hasRefs || count == 0
    else {
      throw .damaged(
        .historyRoot, at: ref,
        "the arrays of the record have \(arrays.map(\.count)) elements, expected up to "
          + "\(StoredHistory.eventLimit) each")
    }
    var events: [ClientHistoryWriter.SchemaEvent] = []
    for i in 0..<count {
      let name = try arrays[1].ref(at: i)
      let library = name == 0 ? nil : try self.library(at: name)
      events.append(
        ClientHistoryWriter.SchemaEvent(
          schemaVersion: arrays[0].integer(at: i),
          library: library,
          baseVersion: arrays[2].integer(at: i), time: arrays[3].integer(at: i)))
    }
    return events
  }

  /// The version of a library, in ASCII.
  private func library(at ref: Ref) throws(RealmFileError) -> [UInt8] {
    let node = try nodes.lookUp(ref)
    guard node.isIntegers, node.count <= StoredHistory.libraryLimit else {
      throw .damaged(
        .historyRoot, at: ref,
        "the version of a library has \(node.form), expected up to \(StoredHistory.libraryLimit) "
          + "integers")
    }
    return node.integers().map { UInt8(truncatingIfNeeded: $0) }
  }
}
