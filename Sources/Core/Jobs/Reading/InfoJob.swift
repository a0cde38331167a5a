public import RealmModel
public import RealmStorage
public import RealmSync

/// Collects the facts about a realm from a few of its nodes, independent of its size.
public struct InfoJob: Sendable {
  /// The facts about a realm.
  public struct Report: Sendable {
    public var path: String
    /// Bytes on disk.
    public var fileByteCount: Int
    /// 2 to 24; 0 for a realm without any commit.
    public var fileFormat: Int
    public var isEncrypted: Bool
    /// True if the file was written by a copy or compaction and not yet opened by an app.
    public var isStreamingForm: Bool
    public var version: Int
    /// Versions behind the header of a realm without any commit; nil if there are none.
    public var olderData: OlderData?
    /// Bytes that belong to the version.
    public var logicalByteCount: Int
    /// Number of these bytes that no node uses.
    public var freeByteCount: Int
    /// Nil if the app set none.
    public var schemaVersion: UInt64?
    public var historyKind: HistoryKind
    public var historySchemaVersion: Int
    /// Whether the history of a sync client or server is a local one, by its root.
    public var isHistoryLocal = false
    /// Nil for a realm without the history of a sync client.
    public var sync: ClientHistory?
    public var isFlexibleSync: Bool
    /// The state of sync in detail, if it was requested; nil for a realm without the history of a sync client.
    public var detail: SyncDetail?
    /// Number of entries of the history; nil for a kind whose entries cannot be read.
    public var historyEntryCount: Int?
    public var use: RealmUse.State
    public var holders: [RealmUse.Holder]
    public var auxiliaryFiles: [AuxiliaryFile]
    /// The classes of the app, in ascending table key.
    public var classes: [Class]
    /// Tables that Realm uses internally.
    public var internalTables: [Class]

    /// Versions that the header does not refer to.
    public struct OlderData: Sendable {
      /// Number of versions.
      public var count: Int
      /// The newest one.
      public var version: Int
      /// Byte offset of its root.
      public var offset: Int
    }

    /// The state of sync according to the history and the internal tables.
    public struct SyncDetail: Sendable {
      public var unsynced: UnsyncedChanges
      public var tables: SyncTables
    }

    /// A class and the number of its objects.
    public struct Class: Sendable {
      public var name: String
      public var kind: ObjectClass.Kind
      /// Live objects. 0 for an embedded class of formats 2 to 9, whose objects are not counted.
      public var objectCount: Int
    }
  }

  private let path: String
  private let key: RealmKey?
  private let version: Snapshot.Version
  private let cacheByteCount: Int
  private let withDetail: Bool

  /// - Parameters:
  ///   - cacheByteCount: maximum bytes of decrypted pages of an encrypted realm that are cached.
  ///   - withDetail: whether the pending changesets and the internal tables of a synced realm are read, which
  ///     takes longer the more there is in them.
  public init(
    path: String, key: RealmKey?, version: Snapshot.Version = .latest,
    cacheByteCount: Int = Snapshot.usualCacheByteCount, withDetail: Bool = false
  ) {
    (self.path, self.key, self.version) = (path, key, version)
    (self.cacheByteCount, self.withDetail) = (cacheByteCount, withDetail)
  }

  /// - Throws: the errors of opening a realm; `damaged` if one of the nodes read is damaged;
  ///   `changedWhileReading`.
  public func run() throws -> Report { try report() }

  private func report() throws(RealmFileError) -> Report {
    try Snapshot.withBriefSnapshot(
      path: path, key: key, version: version, cacheByteCount: cacheByteCount
    ) {
      (snapshot) throws(RealmFileError) in
      try report(on: snapshot)
    }
  }

  private func report(on snapshot: Snapshot) throws(RealmFileError) -> Report {
    let realm = try ReadableRealm(snapshot)
    let schema = realm.schema
    let kind = try HistoryKind(of: snapshot.top)
    let isLocal = try HistoryKind.isLocal(snapshot.top, try snapshot.makeReader())
    let history = isLocal ? nil : try clientHistory(of: snapshot)
    let detail =
      withDetail
      ? try history.map { (history) throws(RealmFileError) in
        Report.SyncDetail(
          unsynced: try UnsyncedChanges(history, of: snapshot),
          tables: try syncTables(of: realm))
      } : nil
    func describe(_ position: Int) -> Report.Class {
      Report.Class(
        name: schema.classes[position].name.text, kind: schema.classes[position].kind,
        objectCount: realm.objectCount(position) ?? 0)
    }
    return Report(
      path: path, fileByteCount: snapshot.fileByteCount, fileFormat: snapshot.format,
      isEncrypted: snapshot.isEncrypted, isStreamingForm: snapshot.header.isStreaming,
      version: snapshot.top.version,
      olderData: try snapshot.forgottenRoots().map {
        Report.OlderData(count: $0.count, version: $0.newest.version, offset: $0.newest.ref)
      }, logicalByteCount: snapshot.top.logicalSize,
      freeByteCount: try FreeList.byteCount(snapshot.top, nodes: try snapshot.makeReader()),
      schemaVersion: try realm.schemaVersion(), historyKind: kind,
      historySchemaVersion: snapshot.top.historySchemaVersion, isHistoryLocal: isLocal,
      sync: history,
      isFlexibleSync: kind == .syncClient && realm.isFlexibleSync,
      detail: detail,
      historyEntryCount: try entryCount(of: snapshot, isLocal ? .inRealm : kind, history),
      use: snapshot.use,
      holders: snapshot.isInUse ? RealmUse.holders(ofRealmAt: path) : [],
      auxiliaryFiles: AuxiliaryFiles.list(forRealmAt: path),
      classes: schema.appClasses.map(describe),
      internalTables: schema.classes.indices.filter { schema.classes[$0].isInternal }.map(describe))
  }

  /// The history of a sync client; nil for other realms. In formats 2 to 9, also nil if the history is
  /// damaged or has a root of unknown form: nothing else in such a realm depends on it.
  private func clientHistory(of snapshot: Snapshot) throws(RealmFileError) -> ClientHistory? {
    do throws(RealmFileError) {
      return try ClientHistory(snapshot)
    } catch {
      guard snapshot.isLegacy, case .damaged = error.kind else { throw error }
      return nil
    }
  }

  private func syncTables(of realm: ReadableRealm) throws(RealmFileError) -> SyncTables {
    switch realm {
    case .current(let realm): try SyncTables(realm)
    case .legacy:
      try SyncTables(
        permissionsOf: realm.schema, objectCount: { realm.objectCount($0) ?? 0 },
        source: { realm.source($0, classes: [$1]) })
    }
  }

  /// Number of entries of the history; nil for a kind, or a format, whose entries cannot be read.
  private func entryCount(
    of snapshot: Snapshot, _ kind: HistoryKind, _ history: ClientHistory?
  ) throws(RealmFileError) -> Int? {
    switch kind {
    case .none: 0
    case .inRealm:
      try BinaryColumn.count(root: snapshot.top.history, nodes: try snapshot.makeReader())
    case .syncClient where snapshot.top.history == 0: 0
    case .syncClient: history?.entryCount
    case .outOfRealm, .syncServer: nil
    }
  }
}
