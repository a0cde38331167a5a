import RealmModel
public import RealmStorage

/// The history of a synced realm on a client: what was exchanged with the server, and the local
/// changesets (chapter 4, section 2).
public struct ClientHistory: Sendable {
  /// Layouts of the root array, by history schema version (sections 2.1 and 2.9).
  private struct Layout {
    let slotCount: Int
    let changesets: Int
    let originFileIdents: Int
    let latestServerVersion: Int
    let downloadServerVersion: Int
    let downloadClientVersion: Int
    let uploadClientVersion: Int
    let downloadedBytes: Int
    let downloadableBytes: Int
    let uploadedBytes: Int
    let uploadableBytes: Int

    /// Schema versions 2, 10, 11 and 12.
    static let current = Layout(
      slotCount: 21, changesets: 13, originFileIdents: 16, latestServerVersion: 3,
      downloadServerVersion: 5, downloadClientVersion: 6, uploadClientVersion: 7,
      downloadedBytes: 9, downloadableBytes: 10, uploadedBytes: 11, uploadableBytes: 12)
    /// Schema versions 0 and 1.
    static let first = Layout(
      slotCount: 23, changesets: 0, originFileIdents: 3, latestServerVersion: 7,
      downloadServerVersion: 5, downloadClientVersion: 6, uploadClientVersion: 9,
      downloadedBytes: 14, downloadableBytes: 15, uploadedBytes: 16, uploadableBytes: 17)
  }

  /// The newest schema version, whose stored changesets are wrapped (section 2.4).
  static let newestSchemaVersion = 12

  public let schemaVersion: Int
  /// Identifier that the server gave to this file; 0: never connected.
  public let fileIdent: Int
  /// Version of the snapshot.
  public let version: Int
  /// Number of entries; entry k produced version ``baseVersion`` + k + 1.
  public let entryCount: Int
  /// Newest server version that the client knows.
  public let latestServerVersion: Int
  /// Server version that is integrated.
  public let downloadServerVersion: Int
  /// Last local version that the server had integrated at that time.
  public let downloadClientVersion: Int
  /// Local versions up to this one are acknowledged by the server.
  public let uploadClientVersion: Int
  public let downloadedByteCount: Int
  public let downloadableByteCount: Int
  public let uploadedByteCount: Int
  public let uploadableByteCount: Int
  /// Versions of the local changesets that the server has not acknowledged (section 2.7).
  public let pending: [PendingChangeset]

  /// Version of the snapshot before the first entry.
  public var baseVersion: Int { version - entryCount }

  /// A local changeset that is not uploaded.
  public struct PendingChangeset: Sendable {
    /// The version that it produced.
    public let version: Int
    /// Bytes of the changeset, uncompressed.
    public let byteCount: Int
  }

  /// Reads the history of `snapshot`; nil if it has another kind or is still empty.
  ///
  /// - Throws: `damaged` with a rule of group `history`.
  public init?(_ snapshot: Snapshot) throws(RealmFileError) {
    guard try HistoryKind(of: snapshot.top) == .syncClient, snapshot.top.history != 0 else {
      return nil
    }
    do throws(RealmFileError) {
      try self.init(top: snapshot.top, nodes: try snapshot.makeReader())
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  private init(top: TopArray, nodes: NodeReader) throws(RealmFileError) {
    let root = try nodes.node(at: top.history)
    let layout: Layout = top.historySchemaVersion < 2 ? .first : .current
    guard root.hasRefs, !root.isInner, root.count == layout.slotCount else {
      throw .damaged(.historyRoot, at: root.ref)
    }
    func integer(_ slot: Int) -> Int { root.slotInteger(at: slot) }
    schemaVersion = top.historySchemaVersion
    fileIdent = top.fileIdent
    version = top.version
    latestServerVersion = integer(layout.latestServerVersion)
    downloadServerVersion = integer(layout.downloadServerVersion)
    downloadClientVersion = integer(layout.downloadClientVersion)
    uploadClientVersion = integer(layout.uploadClientVersion)
    downloadedByteCount = integer(layout.downloadedBytes)
    downloadableByteCount = integer(layout.downloadableBytes)
    uploadedByteCount = integer(layout.uploadedBytes)
    uploadableByteCount = integer(layout.uploadableBytes)

    let origins = try root.ref(at: layout.originFileIdents)
    entryCount = try nodes.traversing { () throws(RealmFileError) in
      var idents = Integers(root: origins, nodes: nodes)
      return try idents.countRest()
    }
    guard entryCount < max(version, 1) || entryCount == 0 else {
      throw .damaged(.historyLengths, at: root.ref)
    }
    let base = version - entryCount
    pending = try ClientHistory.pending(
      changesets: root.ref(at: layout.changesets), origins: Integers(root: origins, nodes: nodes),
      base: base, acknowledged: uploadClientVersion,
      isWrapped: top.historySchemaVersion >= ClientHistory.newestSchemaVersion, nodes)
  }

  /// A column of integers, one for each entry, read a leaf at a time: a thousand zeros take eight bytes, so a
  /// file can have far more of them than memory.
  private struct Integers {
    private var leaves: BPlusTreeLeaves
    private var values: [Int64] = []
    private var position = 0

    init(root: Ref, nodes: NodeReader) { leaves = BPlusTreeLeaves(root: root, nodes: nodes) }

    private mutating func nextLeaf() throws(RealmFileError) -> Node? {
      guard let leaf = try leaves.next() else { return nil }
      guard leaf.isIntegers, leaf.count <= max(1000, leaf.header.nodeByteCount) else {
        throw .damaged(.historyColumn, at: leaf.ref)
      }
      return leaf
    }

    /// The next value; nil after the last one.
    mutating func next() throws(RealmFileError) -> Int64? {
      while position == values.count {
        guard let leaf = try nextLeaf() else { return nil }
        (values, position) = (leaf.integers(), 0)
      }
      defer { position += 1 }
      return values[position]
    }

    /// Number of values that ``next()`` has not returned yet.
    mutating func countRest() throws(RealmFileError) -> Int {
      var count = values.count - position
      while let leaf = try nextLeaf() { count += leaf.count }
      return count
    }
  }

  /// The test of section 2.7: made here, not acknowledged, not empty.
  private static func pending(
    changesets root: Ref, origins: Integers, base: Int, acknowledged: Int, isWrapped: Bool,
    _ nodes: NodeReader
  ) throws(RealmFileError) -> [PendingChangeset] {
    var pending: [PendingChangeset] = []
    var origins = origins
    var version = base
    var leaves = BinaryColumn(root: root, nodes: nodes)
    try nodes.traversing { () throws(RealmFileError) in
      while let values = try leaves.next() {
        for value in values {
          guard let origin = try origins.next() else { throw .damaged(.historyLengths, at: root) }
          // At most the version of the snapshot: there are as many origins as entries.
          version += 1
          guard version > acknowledged, origin == 0, let value, !value.isEmpty else { continue }
          pending.append(
            PendingChangeset(
              version: version,
              byteCount: isWrapped ? try unwrappedByteCount(of: value, at: root) : value.count))
        }
      }
    }
    guard try origins.next() == nil else { throw .damaged(.historyLengths, at: root) }
    return pending
  }

  /// The size in the wrapper of a stored changeset.
  private static func unwrappedByteCount(
    of value: ByteSlice, at root: Ref
  ) throws(RealmFileError) -> Int {
    do throws(StoredChangeset.Failure) {
      return try StoredChangeset(value).byteCount
    } catch {
      throw .damaged(.historyWrapper, at: root)
    }
  }
}
