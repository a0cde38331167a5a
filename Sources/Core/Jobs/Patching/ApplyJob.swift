import RealmBuilding
import RealmInterchange
import RealmMigration
package import RealmModel
public import RealmStorage
import RealmSync

/// Makes the changes of a patch in a realm (docs/patch.md). A synced realm gets the changes in its history, for its
/// client to upload.
///
/// All old values are checked first. The objects that the patch removes are deleted, then the others are merged into the
/// realm, as an import does.
public struct ApplyJob: Sendable {
  public struct Request: Sendable {
    public var resolution = PatchResolution.fail
    /// Number of threads.
    public var jobs = 1
    /// Maximum bytes of links, index entries and records in memory; the rest goes to unlinked files.
    public var memoryByteCount = MemoryBudget.usualLimit

    public init() {}
  }

  /// The result, or what it would be without a dry run.
  public struct Report: Sendable {
    /// Numbers of objects of a class.
    public struct Counts: Sendable {
      public var className: String
      public var added: Int
      public var removed: Int
      public var changed: Int
      /// Objects that were as the patch makes them already, or that keep the values of the realm.
      public var equal: Int
      /// Objects that the patch changes, and that the realm does not have.
      public var skipped: Int
    }

    /// Path of the realm.
    public var path: String
    public var counts: [Counts] = []
    public var conflicts: [PatchConflict] = []
    /// Number of steps that change the schema.
    public var schemaSteps = 0
    /// Number of changesets that the client of a synced realm uploads; nil for other realms.
    public var changesets: Int?
    public var isDryRun: Bool
    /// Whether conflicts keep the result from being written.
    public var isRefused = false
    /// Nil if nothing was written.
    public var rewrite: RewriteReport?
    /// What the upgrade of a realm of formats 2 to 9 left out; nil for later formats, and if nothing was written.
    public var legacy: LegacyLosses?
  }

  private let patch: PatchInput
  private var rewrite: RealmRewrite
  private let request: Request

  /// - Parameters:
  ///   - path: path of the realm.
  ///   - key: key of the realm and of the result.
  ///   - command: the command that a kept original is named after.
  public init(
    _ patch: Patch, to path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: Request = Request(),
    formats: FormatChoice = FormatChoice(), command: String = "apply", isDryRun: Bool = false
  ) {
    (self.patch, self.request) = (patch.input, request)
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: command,
      destination: destination, isDryRun: isDryRun)
    rewrite.formats = formats
  }

  /// The result is not written.
  private struct NotWritten: Error {
    let report: Report
  }

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: ``ImportError`` for the patch; ``RequestError`` of kind `otherClasses`, `syncedTarget`, `syncedMigration`,
  ///   `cannotSync`, `oldSyncHistory`, `oldSyncedFormat`, `serverRealm` or `needsUpgrade`; `inUse`; the errors of reading
  ///   and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    do {
      return try rewrite.run(plan: plan, progress: progress)
    } catch let stop as NotWritten {
      return stop.report
    }
  }

  /// Checks whether the realm itself can take changes.
  ///
  /// - Throws: `needsUpgrade`, `oldSyncHistory`, `oldSyncedFormat`, `serverRealm`, `outOfRealmHistory`.
  package static func check(_ snapshot: Snapshot) throws {
    _ = try FormatChoice().format(for: snapshot, isInPlace: true)
    if !snapshot.isLegacy { _ = try SyncedTarget.takesChanges(snapshot) }
  }

  /// The realm with the changes of the patch, in an unlinked file, as ``run(progress:)`` would write it.
  ///
  /// - Parameter snapshot: the version that gets the changes.
  /// - Returns: nil if conflicts keep it from being written.
  /// - Throws: same as ``run(progress:)``, except for `inUse`.
  package func staged(over snapshot: Snapshot) throws -> Realm? {
    do {
      let (work, _) = try work(snapshot)
      let file = try OutputFile(unlinkedBy: .system)
      _ = try write(work, into: try RealmOutput(.file(file), key: rewrite.key)) { _, _ in }
      return try Realm(
        try Snapshot(unlinked: file, key: rewrite.key, cacheByteCount: request.memoryByteCount))
    } catch is NotWritten {
      return nil
    }
  }

  /// What to do with a version of the realm.
  private struct Work {
    /// The realm, and the realm with the classes of the patch.
    let (original, realm): (Realm, Realm)
    /// The options of the result.
    let building: RealmBuilder.Request
    let layout: PatchLayout
    let new: PatchSide
    let comparison: PatchComparison
    let isSynced: Bool
    let schemaVersion: UInt64?
    let report: Report
  }

  private func plan(_ snapshot: Snapshot) throws -> RealmRewrite.Plan<Report> {
    let (work, legacy) = try work(snapshot)
    var changesets: Int?
    let rebuild = ObjectRebuild { (output, progress) in
      let result = try write(work, into: output, progress)
      changesets = result.changesets
      return result.size
    }
    var plan = RealmRewrite.Plan(objects: rebuild, work.building.format) {
      (rewritten: RewriteReport) in
      var report = work.report
      (report.rewrite, report.changesets) = (rewritten, changesets)
      report.legacy = legacy
      return report
    }
    // Building can show that links have no targets.
    plan.canRefuse = true
    return plan
  }

  // MARK: Comparing

  private func work(_ snapshot: Snapshot) throws -> (Work, LegacyLosses?) {
    let changed = try rewrite.changing(snapshot, jobs: request.jobs)
    var building = changed.building
    (building.jobs, building.memoryByteCount) = (request.jobs, request.memoryByteCount)
    return (try work(changed.realm, building, isSynced: changed.isSynced), changed.legacy)
  }

  private func work(
    _ original: Realm, _ building: RealmBuilder.Request, isSynced: Bool
  ) throws -> Work {
    let layout = try PatchLayout(
      patch, for: original.schema.objects, isSynced: isSynced, path: rewrite.path)
    var realm = original
    if !layout.steps.isEmpty {
      realm = try migration(layout.steps, original, building, isSynced: isSynced)
        .staged(original) { _, _ in }
    }
    let old = try side(.old, realm)
    let new = try side(.new, realm)
    var comparison = try PatchComparison(
      realm, old: old, new: new, layout.properties(patch.counts), request.resolution, merge)
    let stated = layout.changed(patch.counts)
    if let wrong = try comparison.run(stated: stated) {
      let name = realm.schema.objects.classes[wrong.classPosition].name.text
      throw patch.error(
        .patch(
          "the last line states \(stated[wrong.classPosition] ?? 0) changed objects, but \(wrong.changed) "
            + "have the same identity before and after"), className: name)
    }
    let before = try original.schemaVersion()
    let version = PatchLayout.version(before, patch.head)
    var report = report(comparison, realm)
    report.schemaSteps = layout.steps.count
    report.isRefused = request.resolution == .fail && !comparison.conflicts.isEmpty
    guard !report.isRefused else { throw NotWritten(report: report) }
    let changed = report.counts.filter { $0.added + $0.removed + $0.changed > 0 }
    if isSynced { try check(realm, comparison) }
    if case .inPlace = rewrite.destination, changed.isEmpty, layout.steps.isEmpty,
      version == before
    {
      throw NotWritten(report: report)
    }
    return Work(
      original: original, realm: realm, building: building, layout: layout, new: new,
      comparison: comparison, isSynced: isSynced, schemaVersion: version, report: report)
  }

  /// The objects of a side of the patch.
  ///
  /// - Throws: ``ImportError``, also for objects without keys.
  private func side(_ side: PatchInput.Side, _ realm: Realm) throws -> PatchSide {
    let staged = try StagedObjects(
      try patch.source(side, for: realm.schema.objects), staging, key: rewrite.key,
      path: rewrite.path)
    for table in staged.realm.schema.tables
    where table.isClass && table.primaryKey == nil && table.kind != .embedded
      && table.objectCount > 0 && !staged.classesWithKeys.contains(table.className)
    {
      throw patch.error(
        .patch("the objects have no object keys"), className: table.className.text)
    }
    return try PatchSide(staged, into: realm)
  }

  /// The options of the realms that hold the objects of the patch.
  private var staging: RealmBuilder.Request {
    var building = RealmBuilder.Request()
    (building.jobs, building.memoryByteCount) = (request.jobs, request.memoryByteCount)
    return building
  }

  private var merge: MergeRequest {
    var merge = MergeRequest()
    (merge.mode, merge.dropsMissingTargets) = (.amend, true)
    merge.memoryByteCount = request.memoryByteCount
    return merge
  }

  private func report(_ comparison: PatchComparison, _ realm: Realm) -> Report {
    var report = Report(path: rewrite.path, isDryRun: rewrite.isDryRun)
    report.conflicts = comparison.conflicts
    report.counts = comparison.counts.sorted { $0.key < $1.key }.map { position, counts in
      Report.Counts(
        className: realm.schema.objects.classes[position].name.text, added: counts.added,
        removed: counts.removed, changed: counts.changed, equal: counts.equal,
        skipped: counts.skipped)
    }
    return report
  }

  /// Checks that a synced realm can take the changes.
  ///
  /// - Throws: `syncedTarget`.
  private func check(_ realm: Realm, _ comparison: PatchComparison) throws {
    let changed = comparison.counts.filter {
      $0.value.added + $0.value.changed + $0.value.removed > 0
    }
    let deleted = try DeletionSteps(of: comparison.deleted, in: realm).deleted
    try SyncedTarget.check(
      realm, takesObjectsOf: changed.keys.sorted(), deletionsOf: Array(deleted.keys))
  }

  // MARK: Writing

  private func migration(
    _ steps: [MigrationStep], _ realm: Realm, _ building: RealmBuilder.Request, isSynced: Bool
  ) throws -> MigrationRun {
    var building = building
    building.schemaVersion = try realm.schemaVersion()
    if isSynced { building.tables = try KeptTables(of: realm) }
    return MigrationRun(steps, StepTally(sampleLimit: 0), key: rewrite.key, building) { _ in
      "the patch"
    }
  }

  /// What the merge leaves out of the new side, by the positions that the classes have after the deletions, which can be
  /// others than before.
  private func exceptions(_ work: Work, in schema: ObjectSchema) -> [Int: MergeRequest.Exceptions] {
    let before = work.realm.schema.objects
    let positions = Dictionary(
      schema.appClasses.map { (schema.classes[$0].name, $0) }, uniquingKeysWith: { a, _ in a })
    var exceptions: [Int: MergeRequest.Exceptions] = [:]
    for (position, own) in work.comparison.exceptions {
      if let now = positions[before.classes[position].name] { exceptions[now] = own }
    }
    return exceptions
  }

  private func write(
    _ work: Work, into output: RealmOutput, _ progress: @escaping (Int, Int) -> Void
  ) throws -> (size: Int, changesets: Int?) {
    var changes: [ContinuedHistory.Changes] = []
    if !work.layout.steps.isEmpty {
      changes.append(
        .schema(from: work.original.schema.objects, to: work.realm.schema.objects))
    }
    var realm = work.realm
    let deletion = try DeletionSteps(of: work.comparison.deleted, in: work.realm)
    if !deletion.steps.isEmpty {
      realm = try migration(deletion.steps, work.realm, work.building, isSynced: work.isSynced)
        .staged(work.realm) { _, _ in }
      changes.append(
        .edits(ObjectEdits(before: work.realm, after: realm, deleted: work.comparison.deleted)))
    }
    var merge = merge
    merge.exceptions = exceptions(work, in: realm.schema.objects)
    let staged = work.new.staged
    let source: MergedSource
    do throws(MergeError) {
      source = try MergedSource(
        MergeInput(
          existing: realm, added: staged.realm, classesWithKeys: staged.classesWithKeys,
          schema: realm.schema.objects, format: work.building.format), merge)
    } catch {
      throw try patch.source(.new, for: realm.schema.objects)
        .explain(error, path: rewrite.path)
    }
    if !source.changedClasses.isEmpty { changes.append(.objects(source)) }
    var building = work.building
    (building.schemaVersion, building.copied) = (work.schemaVersion, source.copied)
    if work.isSynced || source.copied != nil { building.tables = try KeptTables(of: realm) }
    var history: ContinuedHistory?
    if work.isSynced {
      let continued = ContinuedHistory(
        work.original.snapshot, changes, now: UTCTime.now.seconds)
      building.history = { (writer) throws(RealmFileError) in try continued.append(to: writer) }
      history = continued
    }
    let total = source.objectCount
    let tell = UncheckedProgress(progress)
    do throws(RoadError<MergeError, BuildError>) {
      let built = try ObjectRoad(
        from: source, to: RealmBuilder(into: output, building), jobs: request.jobs
      ).run { tell.progress($0, total) }
      return (built.byteCount, history?.report.changesetCount)
    } catch {
      if let obstacles = history?.report.obstacles, !obstacles.isEmpty {
        throw RequestError.cannotSync(obstacles, path: rewrite.path)
      }
      let input = try patch.source(.new, for: realm.schema.objects)
      switch error {
      case .source(let error): throw input.explain(error, path: rewrite.path)
      case .sink(let error):
        if case .file(let error) = error.kind { throw error }
        throw input.explain(error)
      }
    }
  }
}

extension PatchLayout {
  /// The schema version of a realm after a patch: that of the patch if the patch changes it and it is higher.
  fileprivate static func version(_ stored: UInt64?, _ head: PatchHead) -> UInt64? {
    guard let version = head.schemaVersions.new, version != head.schemaVersions.old else {
      return stored
    }
    return max(stored ?? 0, version)
  }
}
