import RealmModel
public import RealmStorage
public import RealmSync

/// Copies a realm at one consistent version, even while other processes write to it. The copy has the key of
/// the realm.
///
/// A copy of a synced realm is for another user or device: the server gives it an identity of its own when an
/// app first opens it, and sends what changed since (chapter 4, section 6.3).
public struct CopyJob: Sendable {
  public struct Report: Sendable {
    public var rewrite: RewriteReport
    /// Nil for a local realm.
    public var sync: Sync?

    /// The effect on the state of sync.
    public struct Sync: Sendable {
      /// Changesets that were not uploaded, and never will be from the copy.
      public var discardedChangesets: Int
      /// The changes in them.
      public var discarded: UnsyncedChanges
      /// Whether queries of flexible sync, or a download for them, were not applied yet.
      public var isUnfinished: Bool
    }
  }

  private let rewrite: RealmRewrite
  private let discardsUnsynced: Bool

  /// - Parameter discardsUnsynced: whether to copy a realm with changes that were not uploaded: the copy has
  ///   them, but never uploads them.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, discardsUnsynced: Bool = false, isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "copy",
      destination: destination,
      isDryRun: isDryRun)
    self.discardsUnsynced = discardsUnsynced
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `outOfRealmHistory`; `wouldNotUpload` if changes are not uploaded; `oldSyncHistory`,
  ///   `serverRealm`; `inUse` for a target that is in use; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    try rewrite.run(
      plan: { (snapshot) in
        switch try HistoryKind(of: snapshot.top) {
        case .none, .inRealm:
          return RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: snapshot)) {
            Report(rewrite: $0, sync: nil)
          }
        case .syncClient: return try syncedPlan(snapshot)
        case .syncServer: throw RequestError(.serverRealm, path: snapshot.path)
        case .outOfRealm: throw RequestError(.outOfRealmHistory, path: snapshot.path)
        }
      }, progress: progress)
  }

  private func syncedPlan(_ snapshot: Snapshot) throws -> RealmRewrite.Plan<Report> {
    let version = snapshot.top.historySchemaVersion
    if snapshot.top.history == 0, snapshot.isLegacy {
      return RealmRewrite.Plan(top: FileBuilder.Top(of: snapshot)) {
        Report(rewrite: $0, sync: nil)
      }
    }
    guard
      !snapshot.isLegacy,
      snapshot.top.history == 0 || version >= ClientHistory.oldestDecodedSchemaVersion
    else {
      throw RequestError(.oldSyncHistory(version), path: snapshot.path)
    }
    do {
      let sync = try sync(snapshot)
      let emptied = EmptiedHistory(snapshot)
      let append: HistoryMaker = { (writer) throws(RealmFileError) in
        try emptied.append(to: writer)
      }
      return RealmRewrite.Plan(top: FileBuilder.Top(of: snapshot), history: append) {
        Report(rewrite: $0, sync: sync)
      }
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// - Returns: nil for a realm without a history.
  private func sync(_ snapshot: Snapshot) throws -> Report.Sync? {
    guard let history = try ClientHistory(snapshot) else { return nil }
    let discarded = try UnsyncedChanges(history, of: snapshot)
    guard history.pending.isEmpty || discardsUnsynced else {
      throw RequestError(
        .wouldNotUpload(changesets: history.pending.count, discarded.classes),
        path: snapshot.path)
    }
    return Report.Sync(
      discardedChangesets: history.pending.count, discarded: discarded,
      isUnfinished: try SyncTables.isUnfinished(try Realm(snapshot)))
  }
}
