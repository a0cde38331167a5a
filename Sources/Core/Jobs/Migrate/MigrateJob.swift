import RealmBuilding
import RealmInterchange
import RealmLegacy
public import RealmMigration
package import RealmModel
public import RealmStorage
import RealmSync

/// Migrates a realm to a higher schema version: applies the steps of a plan, or makes the changes that an SDK makes
/// by itself for a new schema (chapter 3, section 9).
///
/// The objects are written to a new realm of the current file format. Object keys and links stay; the history is
/// empty. A synced realm allows only additions, which are appended to its history. A realm of formats 2 to 9 is
/// upgraded as well.
public struct MigrateJob: Sendable {
  /// The source of the steps.
  public enum Source: Sendable {
    /// A plan in YAML or JSON.
    ///
    /// - Parameter to: the schema version to stop at; nil for the last version in the plan.
    case plan(path: String, to: UInt64?)
    /// The text of a plan, up to its last version.
    ///
    /// - Parameter name: what errors call the plan.
    case text(String, name: String)
    /// A schema as `schema show --format json` prints it.
    case schema(path: String, to: UInt64, allowsDataLoss: Bool)
  }

  /// The result of the job.
  public struct Report: Sendable {
    /// What a step did.
    public struct Step: Sendable {
      /// The schema version of the step.
      public var version: UInt64
      /// The name of the step in a plan.
      public var name: String
      /// The class or property that the step is about.
      public var subject: String
      /// Objects whose values the step set, converted or removed.
      public var changedObjects: Int
      public var deletedObjects: Int
      /// Copies of objects with several links.
      public var copiedObjects: Int
      public var samples: [MigrationSample]
    }

    /// Path of the realm.
    public var path: String
    /// The schema version before; nil if the realm has none.
    public var versionBefore: UInt64?
    public var versionAfter: UInt64
    public var steps: [Step]
    /// Nil if nothing was written: in place, for a realm that already had the version. A new file is a copy then.
    public var rewrite: RewriteReport?
    /// Whether the realm already had the version, and nothing had to change.
    public var isCurrent: Bool { versionBefore == versionAfter && steps.isEmpty }
    /// Number of changesets that the client of a synced realm uploads for the new schema; nil for other realms.
    public var changesets: Int?
    /// What the upgrade of a realm of formats 2 to 9 left out; nil for later formats.
    public var legacy: LegacyLosses?
  }

  package var rewrite: RealmRewrite
  private let source: Source
  private let sampleCount: Int
  private let jobs: Int

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  ///   - formats: the file format of the result.
  ///   - sampleCount: the most objects to show for each step in the report.
  ///   - jobs: number of threads.
  ///   - command: the command that a kept original is named after.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, source: Source, formats: FormatChoice = FormatChoice(),
    sampleCount: Int = 0, jobs: Int = 1, command: String = "migrate", isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: command,
      destination: destination, isDryRun: isDryRun)
    rewrite.formats = formats
    (self.source, self.sampleCount, self.jobs) = (source, sampleCount, jobs)
  }

  /// Migrates the realm.
  ///
  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: ``PlanError`` for the steps; ``MigrationError`` for objects that the steps cannot change;
  ///   ``RebuildError`` for objects of formats 2 to 9 that no realm of the current format can hold;
  ///   ``RequestError`` of kind `syncedMigration`, `cannotSync`, `oldSyncHistory`, `oldSyncedFormat`, `serverRealm`,
  ///   `versionNotHigher`, `halfUpgraded` or `inUse`; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let steps = try MigrationSteps(source)
    let (schema, before, kind, format) = try Snapshot.withBriefSnapshot(
      path: rewrite.path, key: rewrite.key, version: rewrite.version
    ) {
      (snapshot) throws(RealmFileError) in
      let realm = try ReadableRealm(snapshot)
      return (
        realm.schema, try realm.schemaVersion(), try MigrateJob.historyKind(of: snapshot),
        snapshot.fileFormat
      )
    }
    let selected = try steps.selected(
      for: schema, from: before,
      isSynced: try SyncedTarget.isSynced(kind, path: rewrite.path), path: rewrite.path)
    guard
      before != selected.version || !selected.steps.isEmpty
        || rewrite.formats.number.map({ $0 != format.number }) ?? false
    else {
      return try rewrite.unchanged(progress: progress) {
        Report(
          path: rewrite.path, versionBefore: before, versionAfter: selected.version, steps: [],
          rewrite: $0)
      }
    }
    return try rewrite.run(
      plan: { (snapshot) in try plan(snapshot, steps) }, progress: progress)
  }

  /// What a plan makes of a realm, as far as the schema shows it.
  package struct Preview: Sendable {
    package let steps: [MigrationStep]
    /// The schema after the steps.
    package let schema: ObjectSchema
    /// Whether the realm is synced, and so allows only additions.
    package let isSynced: Bool
  }

  /// Checks steps without reading objects.
  ///
  /// - Throws: what ``run(progress:)`` throws for the steps.
  package static func preview(_ source: Source, of realm: ReadableRealm) throws -> Preview {
    let path = realm.snapshot.path
    let isSynced = try SyncedTarget.isSynced(try historyKind(of: realm.snapshot), path: path)
    let selected = try MigrationSteps(source).selected(
      for: realm.schema, from: try realm.schemaVersion(), isSynced: isSynced, path: path)
    return Preview(
      steps: selected.steps.map(\.step), schema: selected.schema, isSynced: isSynced)
  }

  /// The kind of history of a realm; none for formats 2 to 9, because the upgrade makes a local realm.
  private static func historyKind(of snapshot: Snapshot) throws(RealmFileError) -> HistoryKind {
    snapshot.isLegacy ? .none : try HistoryKind(of: snapshot.top)
  }

  private func plan(
    _ snapshot: Snapshot, _ steps: MigrationSteps
  ) throws -> RealmRewrite.Plan<Report> {
    let realm: Realm
    switch try ReadableRealm(snapshot) {
    case .current(let current): realm = current
    case .legacy(let legacy): return try upgrading(legacy, steps)
    }
    let isSynced = try SyncedTarget.takesChanges(snapshot)
    let before = try realm.schemaVersion()
    let selected = try steps.selected(
      for: realm.schema.objects, from: before, isSynced: isSynced, path: rewrite.path)
    if !isSynced, let plan = try renaming(realm, selected, from: before) { return plan }
    var building = try rewrite.building(snapshot, realm)
    building.schemaVersion = selected.version
    building.jobs = jobs
    var history: ContinuedHistory?
    if isSynced {
      let continued = ContinuedHistory(
        snapshot, [.schema(from: realm.schema.objects, to: selected.schema)],
        now: UTCTime.now.seconds)
      building.tables = try KeptTables(of: realm)
      building.history = { (writer) throws(RealmFileError) in try continued.append(to: writer) }
      history = continued
    }
    let (run, tally) = migration(selected, building)
    let rebuild = ObjectRebuild { (output, progress) in
      try run.write(realm, into: output, progress)
    }
    return RealmRewrite.Plan(objects: rebuild, building.format) { [history] in
      var report = report($0, selected, from: before, tally)
      report.changesets = history?.report.changesetCount
      return report
    }
  }

  /// The plan for a realm of formats 2 to 9, which is first upgraded into an unlinked file.
  private func upgrading(
    _ realm: LegacyRealm, _ steps: MigrationSteps
  ) throws -> RealmRewrite.Plan<Report> {
    let upgrade = try LegacyRebuild(realm, jobs: jobs)
    let before = upgrade.schemaVersion
    let selected = try steps.selected(
      for: realm.schema, from: before, isSynced: false, path: rewrite.path)
    var building = try rewrite.building(realm.snapshot, nil)
    building.schemaVersion = selected.version
    building.jobs = jobs
    let (run, tally) = migration(selected, building)
    let rebuild = ObjectRebuild { (output, progress) in
      let upgraded = try upgrade.staged(key: rewrite.key) { progress($0, 2 * $1) }
      return try run.write(upgraded, into: output) { progress($0 + $1, 2 * $1) }
    }
    return RealmRewrite.Plan(objects: rebuild, building.format) {
      var report = report($0, selected, from: before, tally)
      report.legacy = upgrade.losses
      return report
    }
  }

  /// Makes the run of the steps, and the tally of what they do.
  ///
  /// - Parameter building: the options of the result.
  private func migration(
    _ selected: MigrationSteps.Selection, _ building: RealmBuilder.Request
  ) -> (run: MigrationRun, tally: StepTally) {
    let tally = StepTally(sampleLimit: sampleCount)
    let numbered = selected.steps
    let run = MigrationRun(numbered.map(\.step), tally, key: rewrite.key, building) {
      "version \(numbered[$0].version), \(numbered[$0].step.action.name.rawValue) "
        + numbered[$0].step.action.subject
    }
    return (run, tally)
  }

  /// The plan for steps that only rename: a copy of the nodes.
  ///
  /// - Returns: nil for other steps, and for a realm that needs further changes.
  private func renaming(
    _ realm: Realm, _ selected: MigrationSteps.Selection, from before: UInt64?
  ) throws -> RealmRewrite.Plan<Report>? {
    guard before != nil,
      try rewrite.building(realm.snapshot, nil).format == realm.snapshot.fileFormat
    else { return nil }
    let steps = selected.steps.map(\.step)
    let renamings = try RenamingSteps(steps, of: realm.schema.objects)
    guard let edits = try renamings?.edits(of: realm, schemaVersion: selected.version) else {
      return nil
    }
    return RealmRewrite.Plan(
      top: FileBuilder.Top(localCopyOf: realm.snapshot), edits: try edits.nodeEdits()
    ) {
      report($0, selected, from: before, StepTally(sampleLimit: 0))
    }
  }

  private func report(
    _ rewritten: RewriteReport, _ selected: MigrationSteps.Selection, from before: UInt64?,
    _ tally: StepTally
  ) -> Report {
    Report(
      path: rewrite.path, versionBefore: before, versionAfter: selected.version,
      steps: selected.steps.enumerated().map { number, entry in
        let count = tally.count(of: number)
        return Report.Step(
          version: entry.version, name: entry.step.action.name.rawValue,
          subject: entry.step.action.subject, changedObjects: count.changed,
          deletedObjects: count.deleted, copiedObjects: count.copied,
          samples: count.samples.map(\.sample))
      },
      rewrite: rewritten)
  }
}
