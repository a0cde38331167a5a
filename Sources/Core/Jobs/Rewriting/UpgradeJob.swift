import RealmBuilding
import RealmLegacy
import RealmModel
public import RealmStorage
import RealmSync
import Synchronization

/// Writes a realm in another file format: an older one in the current format, or any one in a format that its app can open
/// (chapter 3, section 10; for formats 2 to 9 chapter 5, section 11).
///
/// The objects take the object road into a new realm: sets and dictionaries get the order of the format, indexes and backlinks are rebuilt, and every primary key gets its index. Object keys, links,
/// links to deleted objects and the schema version stay. The history of a local realm starts over. A synced
/// realm keeps its history, its identity and the keys of its tables.
public struct UpgradeJob: Sendable {
  /// The result of the job.
  public struct Report: Sendable {
    /// The file format of the realm before.
    public var formatBefore: Int
    /// The file format of the result.
    public var formatAfter: Int
    /// Nil if nothing was written: in place, for a realm of the wanted format.
    public var rewrite: RewriteReport?
    /// Whether the realm had the wanted format already, so that a new file is a copy.
    public var isCurrent: Bool { formatBefore == formatAfter }
    /// Members of sets that were left out because they equal another member.
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
  private let allowsOlder: Bool

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - format: the number of the file format of the result; nil for the current one.
  ///   - allowsOlder: whether the result may have an older format than the realm, as for `convert`.
  ///   - jobs: number of threads.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, format: Int? = nil, allowsOlder: Bool = false,
    jobs: Int = 1, isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key,
      command: allowsOlder ? "convert" : "upgrade", destination: destination, isDryRun: isDryRun)
    rewrite.formats = FormatChoice(number: format ?? FileFormat.current.number)
    (self.jobs, self.allowsOlder) = (jobs, allowsOlder)
  }

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: `formatNotWritten`; `olderFormat`; `oldSyncHistory`, `historyTooNew` and `serverRealm` for formats from 10
  ///   on; `halfUpgraded`; `inUse`; ``RebuildError`` for objects that no realm of the format can hold; the errors of reading and
  ///   writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let wanted = try rewrite.formats.format(for: nil)
    let format = try Snapshot.withBriefSnapshot(
      path: rewrite.path, key: rewrite.key, version: rewrite.version
    ) {
      $0.format
    }
    guard format != wanted.number else {
      return try rewrite.unchanged(progress: progress) {
        Report(formatBefore: format, formatAfter: format, rewrite: $0)
      }
    }
    guard format < wanted.number || allowsOlder else {
      throw RequestError(.olderFormat(format, wanted: wanted.number), path: rewrite.path)
    }
    return try rewrite.run(plan: plan, progress: progress)
  }

  private func plan(_ snapshot: Snapshot) throws -> RealmRewrite.Plan<Report> {
    if snapshot.isLegacy {
      let building = try rewrite.building(snapshot, nil)
      let rebuild = try LegacyRebuild(LegacyRealm(snapshot), building, jobs: jobs)
      var plan = RealmRewrite.Plan(objects: rebuild.objects, building.format) {
        Report(
          formatBefore: snapshot.format, formatAfter: building.format.number, rewrite: $0,
          legacy: rebuild.losses)
      }
      plan.canRefuse = building.format != .current
      return plan
    }
    let kind = try HistoryKind(of: snapshot.top)
    if try SyncedTarget.isSynced(kind, path: snapshot.path) {
      try SyncedTarget.checkHistory(of: snapshot)
    }
    let realm = try Realm(snapshot)
    var building = try rewrite.building(snapshot, realm)
    let format = building.format
    if kind == .syncClient, format.clientHistorySchemaVersion < ClientHistory.newestSchemaVersion {
      throw RequestError(
        .historyTooNew(
          schemaVersion: ClientHistory.newestSchemaVersion, format: format.number),
        path: snapshot.path)
    }
    let schema = realm.schema.objects
    // From such formats, the reference deletes the objects of asymmetric classes: they were uploaded, or never will be.
    let dropped = schema.classes.indices.filter {
      schema.classes[$0].kind == .asymmetric && !schema.classes[$0].isInternal
        && !snapshot.fileFormat.keepsAsymmetricObjects && format.keepsAsymmetricObjects
    }
    let source = RealmSource(
      realm, .forRebuild,
      classes: schema.topLevelClasses.filter { !dropped.contains($0) }
        + schema.keptInternalClasses())
    building.schemaVersion = try realm.schemaVersion()
    building.jobs = jobs
    if kind == .syncClient {
      building.tables = try KeptTables(of: realm)
      let history = ContinuedHistory(snapshot, now: UTCTime.now.seconds)
      building.history = { (writer) throws(RealmFileError) in try history.append(to: writer) }
    }
    var report = Report(
      formatBefore: snapshot.format, formatAfter: format.number, rewrite: nil)
    report.asymmetricObjects = dropped.reduce(0) { $0 + realm.schema.tables[$1].objectCount }
    // A plan that can refuse is built twice, and the source counts on.
    let found = Mutex((unowned: 0, duplicates: 0, earlier: 0))
    let rebuild = ObjectRebuild(from: source, building) { built in
      let owned = built.counts.filter { $0.objectClass.kind == .embedded }.reduce(0) {
        $0 + $1.objects
      }
      let stored = schema.appClasses.filter { schema.classes[$0].kind == .embedded }.reduce(0) {
        $0 + realm.schema.tables[$1].objectCount
      }
      found.withLock {
        $0.unowned = stored - owned
        $0.duplicates = source.duplicateMembers - $0.earlier
        $0.earlier = source.duplicateMembers
      }
    }
    var plan = RealmRewrite.Plan(objects: rebuild, format) { rewritten in
      var report = report
      report.rewrite = rewritten
      (report.unownedObjects, report.duplicateMembers, _) = found.withLock { $0 }
      return report
    }
    plan.canRefuse = !snapshot.fileFormat.contents.isSubset(of: format.contents)
    return plan
  }
}
