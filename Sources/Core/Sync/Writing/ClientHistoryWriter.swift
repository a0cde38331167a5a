import RealmBuilding
import RealmModel
import RealmStorage

/// Writes a client history of schema version 12 (chapter 4, section 2.1).
package struct ClientHistoryWriter {
  typealias Slot = ClientHistoryLayout.Slot

  /// An entry of the history.
  struct Entry {
    /// The wrapped changeset; nil for none.
    var changeset: [UInt8]?
    /// The wrapped changeset that replaces it when changes are merged.
    var transform: [UInt8]?
    var remoteVersion: Int64 = 0
    /// 0 for a change of this client.
    var origin: Int64 = 0
    /// Milliseconds since 2015.
    var timestamp: Int64
  }

  /// The version of the library that writes such histories.
  static let library = Array("14.14.0".utf8)
  /// Milliseconds from 1970 to 2015-01-01T00:00:00Z, from which the timestamps of entries count.
  package static let epoch: Int64 = 1_420_070_400_000

  /// The timestamp of an entry.
  ///
  /// - Parameter now: seconds since 1970.
  static func timestamp(_ now: Int) -> Int64 { Int64(now) * 1000 - epoch }

  /// The creation of a history, or its upgrade to schema version 12.
  ///
  /// - Parameters:
  ///   - version: the version of the realm before the event.
  ///   - now: seconds since 1970.
  static func event(after version: Int, now: Int) -> HistoryEvents.Event {
    HistoryEvents.Event(
      schemaVersion: Int64(ClientHistory.newestSchemaVersion), library: library,
      baseVersion: Int64(version), time: Int64(now))
  }

  private let nodes: FileNodes
  private var changesets: BinaryColumnWriter
  private var transforms: BinaryColumnWriter
  private var remoteVersions: IntegerColumnWriter
  private var origins: IntegerColumnWriter
  private var timestamps: IntegerColumnWriter
  /// Number of entries so far.
  private(set) var count = 0

  init(_ writer: RealmFileWriter) {
    nodes = FileNodes(writer)
    changesets = BinaryColumnWriter(into: nodes)
    transforms = BinaryColumnWriter(into: nodes)
    remoteVersions = IntegerColumnWriter(into: nodes)
    origins = IntegerColumnWriter(into: nodes)
    timestamps = IntegerColumnWriter(into: nodes)
  }

  mutating func append(_ entry: Entry) throws(RealmFileError) {
    try changesets.append(entry.changeset)
    try transforms.append(entry.transform)
    try remoteVersions.append(entry.remoteVersion)
    try origins.append(entry.origin)
    try timestamps.append(entry.timestamp)
    count += 1
  }

  /// Appends the rest of the history and writes all nodes to the file.
  ///
  /// - Parameters:
  ///   - integers: the integers in slots of the root; 0 for slots without one.
  ///   - events: the events of the history, the oldest first.
  /// - Returns: the root.
  mutating func finish(
    integers: [Int: Int], events: [HistoryEvents.Event]
  ) throws(RealmFileError) -> Ref {
    // The log for running readers, which needs one entry.
    var logs = BinaryColumnWriter(into: nodes)
    try logs.append([])
    var slots = [Int64](repeating: 0, count: Slot.count)
    for (slot, value) in integers where value != 0 {
      slots[slot] = Int64(bitPattern: UInt64(bitPattern: Int64(value)) << 1 | 1)
    }
    slots[Slot.logs] = Int64(try logs.finish())
    slots[Slot.changesets] = Int64(try changesets.finish())
    slots[Slot.transforms] = Int64(try transforms.finish())
    slots[Slot.remoteVersions] = Int64(try remoteVersions.finish())
    slots[Slot.origins] = Int64(try origins.finish())
    slots[Slot.timestamps] = Int64(try timestamps.finish())
    slots[Slot.schemaVersions] = Int64(HistoryEvents.encode(events, into: nodes.buffer))
    let root = nodes.buffer.append(refs: slots)
    try nodes.flush()
    return root
  }
}
