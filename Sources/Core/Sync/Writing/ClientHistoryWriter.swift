import RealmStorage

/// Writes a client history of schema version 12 (chapter 4, section 2.1). The log for running readers has one
/// empty entry.
struct ClientHistoryWriter {
  typealias Slot = ClientHistoryLayout.Slot

  /// An entry of the history.
  struct Entry {
    /// The wrapped changeset; nil for none.
    var changeset: [UInt8]?
    /// The wrapped changeset that replaces it for merging.
    var transform: [UInt8]?
    var remoteVersion: Int64 = 0
    /// 0 for a change of this client.
    var origin: Int64 = 0
    /// Milliseconds since 2015.
    var timestamp: Int64
  }

  /// A creation or an upgrade of the history (section 2.3).
  struct SchemaEvent {
    var schemaVersion: Int64
    /// The version of the library, in ASCII; nil if it is unknown.
    var library: [UInt8]?
    /// Version of the snapshot before.
    var baseVersion: Int64
    /// Seconds since 1970.
    var time: Int64
  }

  /// Name and schema version of the library whose histories these are.
  static let library = Array("14.14.0".utf8)
  /// Timestamps of entries count from 2015-01-01T00:00:00Z, in milliseconds.
  static let epoch: Int64 = 1_420_070_400_000

  private let writer: RealmFileWriter
  private var changesets: BinaryColumnWriter
  private var transforms: BinaryColumnWriter
  private var remoteVersions: IntegerColumnWriter
  private var origins: IntegerColumnWriter
  private var timestamps: IntegerColumnWriter
  /// Number of entries so far.
  private(set) var count = 0

  init(_ writer: RealmFileWriter) {
    self.writer = writer
    changesets = BinaryColumnWriter(writer)
    transforms = BinaryColumnWriter(writer)
    remoteVersions = IntegerColumnWriter(writer)
    origins = IntegerColumnWriter(writer)
    timestamps = IntegerColumnWriter(writer)
  }

  mutating func append(_ entry: Entry) throws(RealmFileError) {
    try changesets.append(entry.changeset)
    try transforms.append(entry.transform)
    try remoteVersions.append(entry.remoteVersion)
    try origins.append(entry.origin)
    try timestamps.append(entry.timestamp)
    count += 1
  }

  /// Appends the rest of the history.
  ///
  /// - Parameters:
  ///   - integers: the slots of the root that hold integers; all others are 0.
  ///   - events: in the order of their time.
  /// - Returns: the root.
  mutating func finish(
    integers: [Int: Int], events: [SchemaEvent]
  ) throws(RealmFileError) -> Ref {
    var logs = BinaryColumnWriter(writer)
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
    slots[Slot.schemaVersions] = Int64(try append(events))
    return try writer.append(NodeEncoder.integers(kind: NodeEncoder.hasRefs, slots))
  }

  private func append(_ events: [SchemaEvent]) throws(RealmFileError) -> Ref {
    var libraries: [Int64] = []
    for event in events {
      let library = event.library.map { NodeEncoder.integers($0.map { Int64($0) }) }
      libraries.append(
        try library.map { (node) throws(RealmFileError) in
          Int64(try writer.append(node))
        } ?? 0)
    }
    let slots = [
      Int64(try writer.append(NodeEncoder.integers(events.map(\.schemaVersion)))),
      Int64(try writer.append(NodeEncoder.integers(kind: NodeEncoder.hasRefs, libraries))),
      Int64(try writer.append(NodeEncoder.integers(events.map(\.baseVersion)))),
      Int64(try writer.append(NodeEncoder.integers(events.map(\.time)))),
    ]
    return try writer.append(NodeEncoder.integers(kind: NodeEncoder.hasRefs, slots))
  }
}

extension StoredChangeset {
  /// The stored form of a changeset, uncompressed, which clients on all systems can read; nil for an empty
  /// one.
  static func wrap(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var size: [UInt8] = []
    var rest = bytes.count
    while rest > 0 {
      size.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    return [UInt8(size.count)] + size + bytes
  }
}
