import RealmModel
public import RealmStorage
import RealmSync

/// Makes a synced realm from a local one: it keeps the objects, and gives the file the history of a new
/// client that uploads all of them when an SDK first opens it (chapter 4, section 4).
public struct ConvertToSyncedJob: Sendable {
  public struct Report: Sendable {
    public var rewrite: RewriteReport
    /// Objects that will be uploaded.
    public var objectCount: Int
    /// Changesets with content, and their bytes.
    public var changesetCount: Int
    public var changesetByteCount: Int
    /// Internal tables of sync, left by an earlier life of the realm, that were left out.
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
      destination: destination, isDryRun: isDryRun, operations: .system)
    (self.sizeLimit, self.now) = (sizeLimit, now)
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `cannotSync` with all obstacles; `alreadySynced`, `serverRealm`, `oldFormatToSync`; `inUse`;
  ///   the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(JobError) -> Report {
    var histories: [UploadHistory] = []
    do throws(JobError) {
      return try rewrite.run(
        plan: { (snapshot) throws(JobError) in
          try plan(snapshot) { histories.append($0) }
        }, progress: progress)
    } catch {
      // The history is complete only after all objects were read.
      guard let obstacles = histories.last?.report.obstacles, !obstacles.isEmpty else {
        throw error
      }
      throw .cannotSync(obstacles, path: rewrite.path)
    }
  }

  private func plan(
    _ snapshot: Snapshot, _ made: (UploadHistory) -> Void
  ) throws(JobError) -> RealmRewrite.Plan<Report> {
    func refuse(_ kind: RequestError.Kind) -> JobError {
      .request(RequestError(kind, path: snapshot.path))
    }
    guard !snapshot.isLegacy else { throw refuse(.oldFormatToSync(snapshot.format)) }
    switch try inJob(HistoryKind(of: snapshot.top)) {
    case .none, .inRealm: break
    case .syncClient: throw refuse(.alreadySynced)
    case .syncServer, .outOfRealm: throw refuse(.serverRealm)
    }
    guard snapshot.format == 0 || snapshot.format == RealmBuilder.format else {
      throw refuse(.oldFormatToSync(snapshot.format))
    }
    let realm = try inJob(Realm(snapshot))
    let obstacles = SyncObstacle.find(in: realm.schema.objects)
    guard obstacles.isEmpty else {
      throw .cannotSync(obstacles, path: snapshot.path)
    }
    do throws(JobError) {
      var edits = try inJob(SchemaEdits(realm))
      let dropped = edits.drop(realm.schema.tables.filter(InternalTables.belongsToSync))
      let history = UploadHistory(realm, now: now, sizeLimit: sizeLimit)
      made(history)
      let append: HistoryMaker = { (writer) throws(RealmFileError) in
        try history.append(to: writer)
      }
      let nodeEdits = try inJob(edits.nodeEdits())
      return RealmRewrite.Plan(
        top: FileBuilder.Top(of: snapshot), edits: nodeEdits, history: append
      ) { rewritten in
        let report = history.report
        return Report(
          rewrite: rewritten, objectCount: report.objectCount,
          changesetCount: report.changesetCount, changesetByteCount: report.byteCount,
          droppedTables: dropped.map(\.name.text))
      }
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }
}
