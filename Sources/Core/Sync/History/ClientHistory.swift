import RealmModel
public import RealmStorage

/// The history of a synced realm on a client: how far the exchange with the server has come, and the changesets
/// (chapter 4, section 2).
public struct ClientHistory: Sendable {
  /// The newest schema version, in which stored changesets are wrapped (section 2.4).
  package static let newestSchemaVersion = 12

  /// The schema versions that libraries wrote (section 2.9).
  private static let schemaVersions: Set<Int> = [0, 1, 2, 10, 11, 12]
  /// The schema versions that libraries wrote, in words.
  package static let knownSchemaVersions = "0 to 2 and 10 to 12"

  /// The schema version of the history of a sync client, if it is not one of the known ones; otherwise nil.
  package static func unknownSchemaVersion(of top: TopArray) -> Int? {
    guard top.historyType == HistoryKind.syncClient.rawValue, top.history != 0,
      !schemaVersions.contains(top.historySchemaVersion)
    else { return nil }
    return top.historySchemaVersion
  }

  public let schemaVersion: Int
  /// The identifier that the server assigned to this file; 0 if the file never connected.
  public let fileIdent: Int
  /// The version of the snapshot.
  public let version: Int
  /// Number of entries; entry k produced version ``baseVersion`` + k + 1.
  public let entryCount: Int
  /// The newest known server version.
  public let latestServerVersion: Int
  /// The server version up to which changes were downloaded and integrated.
  public let downloadServerVersion: Int
  /// The last local version that the server had integrated by then.
  public let downloadClientVersion: Int
  /// The server has acknowledged local versions up to this one.
  public let uploadClientVersion: Int
  public let downloadedByteCount: Int
  /// The server's estimate of the bytes still to be sent; with flexible sync, the progress in ten thousandths.
  /// Schema version 0 stores another count.
  public let downloadableByteCount: Int
  public let uploadedByteCount: Int
  public let uploadableByteCount: Int
  /// Number of entries with a changeset that is not empty.
  public let changesetCount: Int
  /// Uncompressed bytes of these changesets, without those that have no valid wrapper.
  public let changesetByteCount: Int
  /// The local changesets that the server has not acknowledged (section 2.7).
  public let pending: [PendingChangeset]

  /// The version before the first entry.
  public var baseVersion: Int { version - entryCount }

  /// A local changeset that the server has not acknowledged.
  public struct PendingChangeset: Sendable {
    /// The version that the changeset produced.
    public let version: Int
    /// Uncompressed bytes of the changeset; nil if it cannot be decoded.
    public let byteCount: Int?
  }

  /// Reads the history of `snapshot`; nil if the history has another kind or was never stored.
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
        .historyRoot, at: root.ref,
        "the root has \(root.form), expected \(layout.slotCount) slots in schema version "
          + "\(top.historySchemaVersion)")
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
      size = size.saturatingSum(byteCount ?? 0)
      guard changeset.isPending else { return }
      pending.append(PendingChangeset(version: changeset.version, byteCount: byteCount))
    }
    (self.pending, changesetCount, changesetByteCount) = (pending, count, size)
  }
}
