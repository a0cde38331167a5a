import RealmBuilding
import RealmLegacy
import RealmModel
public import RealmStorage
import RealmSync
import Synchronization

/// Writes a realm of an older file format as one of the current format (chapter 3, section 10; for formats
/// 2 to 9 chapter 5, section 11).
///
/// The objects take the object road into a new realm: sets and dictionaries get the order of format 24,
/// indexes and backlinks are rebuilt, and every primary key gets its index. Object keys, links,
/// links to deleted objects and the schema version stay. The history of a local realm starts over. A synced
/// realm keeps its history, its identity and the keys of its tables.
public struct UpgradeJob: Sendable {
  /// From realms of this format, the reference implementation deletes the objects of asymmetric classes: they
  /// were uploaded, or never will be.
  private static let formatWithAsymmetricRemains = 22

  /// The result of the job.
  public struct Report: Sendable {
    /// The file format of the realm before.
    public var formatBefore: Int
    /// Nil if nothing was written: in place, for a realm of the current format.
    public var rewrite: RewriteReport?
    /// Whether the realm had the current format already, so that a new file is a copy.
    public var isCurrent: Bool { formatBefore >= RealmBuilder.format }
    /// Members of sets that were left out because they equal another member in the current format.
    public var duplicateMembers = 0
    /// Objects of asymmetric classes, which were left out.
    public var asymmetricObjects = 0
    /// Embedded objects without an owner, which were left out.
    public var unownedObjects = 0
    /// The parts of a realm of formats 2 to 9 that the result lacks; nil for later formats.
    public var legacy: LegacyLosses?
  }

  package var rewrite: RealmRewrite
  private let jobs: Int

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - jobs: number of threads.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, jobs: Int = 1, isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "upgrade",
      destination: destination, isDryRun: isDryRun)
    self.jobs = jobs
  }

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: `oldSyncHistory` and `serverRealm` for formats from 10 on; `halfUpgraded`; `inUse`;
  ///   ``RebuildError`` for objects that no realm of the current format can hold; the errors of reading and
  ///   writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let format = try Snapshot.withBriefSnapshot(
      path: rewrite.path, key: rewrite.key, version: rewrite.version
    ) {
      $0.format
    }
    guard format < RealmBuilder.format else {
      return try rewrite.unchanged(progress: progress) {
        Report(formatBefore: format, rewrite: $0)
      }
    }
    return try rewrite.run(plan: plan, progress: progress)
  }

  private func plan(_ snapshot: Snapshot) throws -> RealmRewrite.Plan<Report> {
    if snapshot.isLegacy {
      let rebuild = try LegacyRebuild(LegacyRealm(snapshot), jobs: jobs)
      return RealmRewrite.Plan(objects: rebuild.objects) {
        Report(formatBefore: snapshot.format, rewrite: $0, legacy: rebuild.losses)
      }
    }
    let kind = try HistoryKind(of: snapshot.top)
    if try SyncedTarget.isSynced(kind, path: snapshot.path) {
      try SyncedTarget.checkHistory(of: snapshot)
    }
    let realm = try Realm(snapshot)
    let schema = realm.schema.objects
    let dropped = schema.classes.indices.filter {
      schema.classes[$0].kind == .asymmetric && !schema.classes[$0].isInternal
        && snapshot.format == UpgradeJob.formatWithAsymmetricRemains
    }
    let source = RealmSource(
      realm, .forRebuild,
      classes: schema.topLevelClasses.filter { !dropped.contains($0) }
        + schema.keptInternalClasses())
    var building = RealmBuilder.Request()
    building.schemaVersion = try realm.schemaVersion()
    building.jobs = jobs
    if kind == .syncClient {
      building.tables = try KeptTables(of: realm)
      let history = ContinuedHistory(snapshot, now: UTCTime.now.seconds)
      building.history = { (writer) throws(RealmFileError) in try history.append(to: writer) }
    }
    var report = Report(formatBefore: snapshot.format, rewrite: nil)
    report.asymmetricObjects = dropped.reduce(0) { $0 + realm.schema.tables[$1].objectCount }
    let unowned = Mutex(0)
    let rebuild = ObjectRebuild(from: source, building) { built in
      let owned = built.counts.filter { $0.objectClass.kind == .embedded }.reduce(0) {
        $0 + $1.objects
      }
      let stored = schema.appClasses.filter { schema.classes[$0].kind == .embedded }.reduce(0) {
        $0 + realm.schema.tables[$1].objectCount
      }
      unowned.withLock { $0 = stored - owned }
    }
    return RealmRewrite.Plan(objects: rebuild) { rewritten in
      var report = report
      report.rewrite = rewritten
      report.duplicateMembers = source.duplicateMembers
      report.unownedObjects = unowned.withLock { $0 }
      return report
    }
  }
}
