import RealmModel
package import RealmStorage

/// The record of the creation and the upgrades of a client history: four arrays with one element per event, the
/// oldest first (chapter 4, section 2.3).
package struct HistoryEvents {
  /// A creation or an upgrade.
  package struct Event {
    var schemaVersion: Int64
    /// The version of the library, in ASCII; nil if it is unknown.
    var library: [UInt8]?
    /// The version of the realm before the event.
    var baseVersion: Int64
    /// Seconds since 1970.
    var time: Int64
  }

  /// Maximum number of events; there is one for each upgrade of the history.
  private static let limit = 500
  /// Maximum bytes of the version of a library.
  private static let libraryLimit = 64

  private enum Slot {
    static let schemaVersions = 0
    static let libraries = 1
    static let baseVersions = 2
    static let times = 3
    static let count = 4
  }

  private let arrays: [Node]
  private let nodes: NodeReader

  /// - Throws: `damaged` with rule `history.root`; the errors of opening a node.
  package init(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) {
    let record = try nodes.lookUp(ref)
    guard record.hasRefs, record.count == Slot.count else {
      throw .damaged(
        .historyRoot, at: ref,
        "the record has \(record.form), expected \(Slot.count) refs")
    }
    var arrays: [Node] = []
    for slot in 0..<record.count { arrays.append(try nodes.lookUp(try record.ref(at: slot))) }
    let count = arrays[0].count
    guard arrays.allSatisfy({ $0.count == count }),
      arrays[Slot.libraries].hasRefs || count == 0,
      [Slot.schemaVersions, Slot.baseVersions, Slot.times].allSatisfy({ arrays[$0].isIntegers })
    else {
      throw .damaged(
        .historyRoot, at: ref,
        "found \(arrays.map(\.header.form).joined(separator: ", ")) in the record, expected equally many integers, refs, "
          + "integers and integers")
    }
    guard count <= HistoryEvents.limit else {
      throw .damaged(
        .historyRoot, at: ref,
        "the record has \(count) events, expected up to \(HistoryEvents.limit)")
    }
    (self.arrays, self.nodes) = (arrays, nodes)
  }

  /// Number of events.
  package var count: Int { arrays[Slot.schemaVersions].count }

  /// The schema version of the last event; 0 if there is none.
  package var lastSchemaVersion: Int64 {
    count > 0 ? arrays[Slot.schemaVersions].integer(at: count - 1) : 0
  }

  /// Event `i`, which must be below ``count``.
  ///
  /// - Throws: `damaged` with rule `history.root`; the errors of opening a node.
  package func event(_ i: Int) throws(RealmFileError) -> Event {
    Event(
      schemaVersion: arrays[Slot.schemaVersions].integer(at: i), library: try library(of: i),
      baseVersion: arrays[Slot.baseVersions].integer(at: i),
      time: arrays[Slot.times].integer(at: i))
  }

  private func library(of event: Int) throws(RealmFileError) -> [UInt8]? {
    let ref = try arrays[Slot.libraries].ref(at: event)
    guard ref != 0 else { return nil }
    let name = try nodes.lookUp(ref)
    guard name.isIntegers, name.count <= HistoryEvents.libraryLimit else {
      throw .damaged(
        .historyRoot, at: ref,
        "the version of the library of event \(event) has \(name.form), expected up to "
          + "\(HistoryEvents.libraryLimit) integers")
    }
    return name.integers().map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Appends a record.
  ///
  /// - Returns: the ref of the record.
  static func encode(_ events: [Event], into nodes: NodeBuffer) -> Ref {
    let libraries = events.map { event in
      event.library.map { Int64(nodes.append(integers: $0.map { Int64($0) })) } ?? 0
    }
    return nodes.append(refs: [
      Int64(nodes.append(integers: events.map(\.schemaVersion))),
      Int64(nodes.append(refs: libraries)),
      Int64(nodes.append(integers: events.map(\.baseVersion))),
      Int64(nodes.append(integers: events.map(\.time))),
    ])
  }
}
