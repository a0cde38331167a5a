import RealmBuilding
package import RealmMigration
import RealmModel
public import RealmStorage
import RealmSync

/// Converts a local realm to a synced one: keeps the objects, and gives the file the history of a new
/// client that uploads all of them when an SDK first opens it (chapter 4, section 4).
///
/// With `addsPrimaryKeys`, classes without the primary key `_id` get it. Then the realm is first migrated into an
/// unlinked file, which keeps object keys and links.
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
    /// The classes that got the primary key `_id`, in the order of the realm.
    public var primaryKeys: [SyncedKeyChange]
    /// Embedded objects without an owner, which were left out when primary keys were added.
    public var unownedObjects: Int
  }

  private let rewrite: RealmRewrite
  private let addsPrimaryKeys: Bool
  private let sizeLimit: Int
  private let now: Int
  private let clock: MigrationClock

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - addsPrimaryKeys: whether classes without the primary key `_id` get it.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, addsPrimaryKeys: Bool = false, isDryRun: Bool = false
  ) {
    let now = UTCTime.now.seconds
    self.init(
      path: path, version: version, key: key, destination: destination,
      addsPrimaryKeys: addsPrimaryKeys, isDryRun: isDryRun, sizeLimit: ChangesetRun.sizeLimit,
      now: now, clock: MigrationClock(seconds: now))
  }

  /// - Parameters:
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  ///   - now: seconds since 1970, the time of the changes.
  ///   - clock: the source of new ObjectIds.
  package init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, addsPrimaryKeys: Bool = false, isDryRun: Bool = false,
    sizeLimit: Int, now: Int, clock: MigrationClock = MigrationClock()
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "convert",
      destination: destination, isDryRun: isDryRun)
    (self.addsPrimaryKeys, self.sizeLimit) = (addsPrimaryKeys, sizeLimit)
    (self.now, self.clock) = (now, clock)
  }

  /// - Parameter progress: receives the number of bytes done and the total; of objects while the realm is migrated.
  /// - Throws: `cannotSync` with all obstacles; `alreadySynced`, `serverRealm`, `oldFormatToSync`; `inUse`;
  ///   the errors of reading and writing a realm; with `addsPrimaryKeys` also ``PlanError`` and ``MigrationError``
  ///   for a realm that no library can have written.
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
    _ snapshot: Snapshot, _ made: @escaping (UploadHistory) -> Void
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
    guard
      snapshot.fileFormat.clientHistorySchemaVersion >= ClientHistory.newestSchemaVersion,
      snapshot.fileFormat == .none || snapshot.fileFormat.isBuilt
    else {
      throw refuse(.oldFormatToSync(snapshot.format))
    }
    let realm = try Realm(snapshot)
    let keys = addsPrimaryKeys ? try SyncedKeys(for: realm) : nil
    let obstacles = keys?.obstacles ?? SyncObstacle.find(in: realm.schema.objects)
    guard obstacles.isEmpty else {
      throw RequestError.cannotSync(obstacles, path: snapshot.path)
    }
    var plan =
      try keys.flatMap { $0.changes.isEmpty ? nil : try adding($0, to: realm, made) }
      ?? keeping(realm, made)
    plan.canRefuse = true
    return plan
  }

  /// The plan for a realm whose classes have their primary keys.
  private func keeping(
    _ realm: Realm, _ made: (UploadHistory) -> Void
  ) throws -> RealmRewrite.Plan<Report> {
    let conversion = try conversion(of: realm, from: realm.snapshot)
    made(conversion.history)
    return RealmRewrite.Plan(
      top: conversion.top, edits: conversion.edits, history: conversion.append
    ) {
      Report($0, conversion.history, droppedTables: conversion.droppedTables)
    }
  }

  /// The plan for a realm whose classes first get primary keys.
  private func adding(
    _ keys: SyncedKeys, to realm: Realm, _ made: @escaping (UploadHistory) -> Void
  ) throws -> RealmRewrite.Plan<Report> {
    var building = try rewrite.building(realm.snapshot, realm)
    building.schemaVersion = try realm.schemaVersion()
    let run = MigrationRun(
      keys.steps, StepTally(sampleLimit: 0), key: rewrite.key, building, clock: clock
    ) { [steps = keys.steps] in
      "\(steps[$0].action.name.rawValue) \(steps[$0].action.subject)"
    }
    var written: (conversion: Conversion, unowned: Int)?
    let rebuild = ObjectRebuild { (output, progress) in
      let migrated = try run.staged(realm) { progress($0, 2 * $1) }
      let conversion = try conversion(of: migrated, from: realm.snapshot)
      made(conversion.history)
      written = (conversion, realm.embeddedObjectCount - migrated.embeddedObjectCount)
      let total = migrated.snapshot.top.logicalSize
      return try FileBuilder(
        migrated.snapshot, top: conversion.top, edits: conversion.edits,
        history: conversion.append, into: output
      ).write { progress(total + $0, 2 * total) }
    }
    return RealmRewrite.Plan(objects: rebuild, building.format) {
      var report = Report(
        $0, written?.conversion.history, droppedTables: written?.conversion.droppedTables ?? [])
      report.primaryKeys = keys.changes
      report.unownedObjects = written?.unowned ?? 0
      return report
    }
  }

  /// What turns a realm with all primary keys into a synced one.
  private struct Conversion {
    let top: FileBuilder.Top
    let edits: NodeEdits
    let history: UploadHistory
    let droppedTables: [String]

    var append: HistoryMaker {
      { [history] (writer) throws(RealmFileError) in try history.append(to: writer) }
    }
  }

  /// - Parameter source: the version that the user converts.
  private func conversion(of realm: Realm, from source: Snapshot) throws -> Conversion {
    do {
      var edits = try SchemaEdits(realm)
      let dropped = edits.drop(realm.schema.tables.filter(InternalTables.belongsToSync))
      return Conversion(
        top: FileBuilder.Top(of: realm.snapshot), edits: try edits.nodeEdits(),
        history: UploadHistory(
          realm, version: source.top.version, now: now, sizeLimit: sizeLimit),
        droppedTables: dropped.map(\.name.text))
    } catch {
      throw error.adding(path: source.path)
    }
  }
}

extension ConvertToSyncedJob.Report {
  /// - Parameter history: the history that was written; nil if there is none.
  fileprivate init(
    _ rewrite: RewriteReport, _ history: UploadHistory?, droppedTables: [String]
  ) {
    let changes = history?.report ?? ChangesetRun.Report()
    self.init(
      rewrite: rewrite, objectCount: changes.objectCount, changesetCount: changes.changesetCount,
      changesetByteCount: changes.byteCount, droppedTables: droppedTables, primaryKeys: [],
      unownedObjects: 0)
  }
}

extension Realm {
  /// Number of objects of the embedded classes.
  fileprivate var embeddedObjectCount: Int {
    schema.classes.filter { $0.kind == .embedded }.reduce(0) { $0 + $1.objectCount }
  }
}
