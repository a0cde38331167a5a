import RealmModel
public import RealmStorage

/// The history of a synced realm on a client: the state of the exchange with the server, and the
/// local changesets (chapter 4, section 2).
public struct ClientHistory: Sendable {
  /// The newest schema version, whose stored changesets are wrapped (section 2.4).
  static let newestSchemaVersion = 12

  public let schemaVersion: Int
  /// Identifier of this file assigned by the server; 0 if it never connected.
  public let fileIdent: Int
  /// Version of the snapshot.
  public let version: Int
  /// Number of entries; entry k produced version ``baseVersion`` + k + 1.
  public let entryCount: Int
  /// Newest known server version.
  public let latestServerVersion: Int
  /// Server version that is integrated.
  public let downloadServerVersion: Int
  /// Last local version that the server had integrated at the download cursor.
  public let downloadClientVersion: Int
  /// Local versions up to this one are acknowledged by the server.
  public let uploadClientVersion: Int
  public let downloadedByteCount: Int
  /// What the server has still to send: its estimate in bytes; with flexible sync, the part that is done in
  /// ten thousandths. Schema version 0 uses another count.
  public let downloadableByteCount: Int
  public let uploadedByteCount: Int
  public let uploadableByteCount: Int
  /// Number of entries with a changeset that is not empty.
  public let changesetCount: Int
  /// Bytes of these changesets, uncompressed, as far as their wrappers state them.
  public let changesetByteCount: Int
  /// Versions of the local changesets that the server has not acknowledged (section 2.7).
  public let pending: [PendingChangeset]

  /// Version of the snapshot before the first entry.
  public var baseVersion: Int { version - entryCount }

  /// A local changeset that is not uploaded.
  public struct PendingChangeset: Sendable {
    /// The version that it produced.
    public let version: Int
    /// Bytes of the changeset, uncompressed; nil if it cannot be decoded.
    public let byteCount: Int?
  }

  /// Reads the history of `snapshot`; nil if it is of another kind or still empty.
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
    let layout = ClientHistoryLayout(schemaVersion: top.historySchemaVersion)
    guard root.hasRefs, !root.isInner, root.count == layout.slotCount else {
      throw .damaged(
        .historyRoot, at: root.ref, "the root has \(root.form), expected \(layout.slotCount)")
    }
    func integer(_ slot: Int) -> Int { root.slotInteger(at: slot) }
    schemaVersion = top.historySchemaVersion
    fileIdent = layout.fileIdent.map(integer) ?? top.fileIdent
    version = top.version
    latestServerVersion = integer(layout.latestServerVersion)
    downloadServerVersion = integer(layout.downloadServerVersion)
    downloadClientVersion = integer(layout.downloadClientVersion)
    uploadClientVersion = integer(layout.uploadClientVersion)
    downloadedByteCount = integer(layout.downloadedBytes)
    downloadableByteCount = integer(layout.downloadableBytes)
    uploadedByteCount = integer(layout.uploadedBytes)
    uploadableByteCount = integer(layout.uploadableBytes)

    let origins = try root.ref(at: layout.origins)
    entryCount = try nodes.traversing { () throws(RealmFileError) in
      var idents = HistoryColumn(root: origins, nodes: nodes)
      return try idents.countRest()
    }
    guard entryCount < max(version, 1) || entryCount == 0 else {
      throw .damaged(
        .historyLengths, at: root.ref,
        "\(entryCount) entries at version \(version), expected at most \(max(0, version - 1))")
    }
    let base = version - entryCount
    var pending: [PendingChangeset] = []
    var (count, size) = (0, 0)
    try ClientHistory.forEachChangeset(
      changesets: root.ref(at: layout.changesets), origins: origins, base: base,
      acknowledged: uploadClientVersion, schemaVersion: schemaVersion, nodes
    ) { (changeset) throws(RealmFileError) in
      let byteCount = try changeset.byteCount()
      count += 1
      // A wrapper can state any size.
      size = size.addingReportingOverflow(byteCount ?? 0).overflow ? .max : size + (byteCount ?? 0)
      guard changeset.isPending else { return }
      pending.append(PendingChangeset(version: changeset.version, byteCount: byteCount))
    }
    (self.pending, changesetCount, changesetByteCount) = (pending, count, size)
  }
}
