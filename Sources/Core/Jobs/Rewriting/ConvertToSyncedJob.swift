import RealmBuilding
import RealmModel
public import RealmStorage
import RealmSync

/// Converts a local realm to a synced one: keeps the objects, and gives the file the history of a new
/// client that uploads all of them when an SDK first opens it (chapter 4, section 4).
public struct ConvertToSyncedJob: Sendable {
  public struct Report: Sendable {
    public var rewrite: RewriteReport
    /// Objects that will be uploaded.
    public var objectCount: Int
    /// Changesets with content, and their bytes.
    public var changesetCount: Int
    public var changesetByteCount: Int
    /// Internal tables of sync from an earlier life of the realm, which were left out.
    public var droppedTables: [String]
  }

  private let rewrite: RealmRewrite
  private let sizeLimit: Int
  private let now: Int

  /// - Parameter key: key of the realm and of the result.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, isDryRun: Bool = false
  ) {
    self.init(
      path: path, version: version, key: key, destination: destination, isDryRun: isDryRun,
      sizeLimit: ChangesetRun.sizeLimit, now: UTCTime.now.seconds)
  }

  /// - Parameters:
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  ///   - now: seconds since 1970, the time of the changes.
  package init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, isDryRun: Bool = false, sizeLimit: Int, now: Int
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "convert",
      destination: destination, isDryRun: isDryRun)
    (self.sizeLimit, self.now) = (sizeLimit, now)
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `cannotSync` with all obstacles; `alreadySynced`, `serverRealm`, `oldFormatToSync`; `inUse`;
  ///   the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    var histories: [UploadHistory] = []
    do {
      return try rewrite.run(
        plan: { (snapshot) in
          try plan(snapshot) { histories.append($0) }
        }, progress: progress)
    } catch {
      // The history is complete only after all objects were read.
      guard let obstacles = histories.last?.report.obstacles, !obstacles.isEmpty else {
        throw error
      }
      throw RequestError.cannotSync(obstacles, path: rewrite.path)
    }
  }

  private func plan(
    _ snapshot: Snapshot, _ made: (UploadHistory) -> Void
  ) throws -> RealmRewrite.Plan<Report> {
    func refuse(_ kind: RequestError.Kind) -> RequestError {
      RequestError(kind, path: snapshot.path)
    }
    guard !snapshot.isLegacy else { throw refuse(.oldFormatToSync(snapshot.format)) }
    switch try HistoryKind(of: snapshot.top) {
    case .none, .inRealm: break
    case .syncClient: throw refuse(.alreadySynced)
    case .syncServer: throw refuse(.serverRealm)
    case .outOfRealm: throw refuse(.outOfRealmHistory)
    }
    guard snapshot.format == 0 || snapshot.format == RealmBuilder.format else {
      throw refuse(.oldFormatToSync(snapshot.format))
    }
    let realm = try Realm(snapshot)
    let obstacles = SyncObstacle.find(in: realm.schema.objects)
    guard obstacles.isEmpty else {
      throw RequestError.cannotSync(obstacles, path: snapshot.path)
    }
    do {
      var edits = try SchemaEdits(realm)
      let dropped = edits.drop(realm.schema.tables.filter(InternalTables.belongsToSync))
      let history = UploadHistory(realm, now: now, sizeLimit: sizeLimit)
      made(history)
      let append: HistoryMaker = { (writer) throws(RealmFileError) in
        try history.append(to: writer)
      }
      let nodeEdits = try edits.nodeEdits()
      var plan = RealmRewrite.Plan(
        top: FileBuilder.Top(of: snapshot), edits: nodeEdits, history: append
      ) { rewritten in
        let report = history.report
        return Report(
          rewrite: rewritten, objectCount: report.objectCount,
          changesetCount: report.changesetCount, changesetByteCount: report.byteCount,
          droppedTables: dropped.map(\.name.text))
      }
      plan.canRefuse = true
      return plan
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }
}
