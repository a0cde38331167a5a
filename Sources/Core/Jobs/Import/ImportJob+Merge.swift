import RealmBuilding
import RealmInterchange
import RealmModel
import RealmStorage
import RealmSync

/// Imports in two steps: the imported objects become a realm in an unlinked file; then they and those of the
/// existing realm are merged.
extension ImportJob {
  /// Adds the objects of the input to a realm. The result replaces the realm. A synced realm stays synced, and
  /// its client uploads the objects.
  ///
  /// - Throws: ``ImportError``; `syncedTarget`, `cannotSync`, `oldSyncHistory`, `oldSyncedFormat`;
  ///   `serverRealm`; `inUse`; the errors of reading and writing a realm.
  func add(
    to target: Target, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    let lock = try isDryRun ? nil : RealmLock(realm: target.path, operations: .system)
    defer { withExtendedLifetime(lock) {} }
    let snapshot = try Snapshot(
      path: target.path, key: target.key, access: isDryRun ? .whole : .exclusive,
      cacheByteCount: request.memoryByteCount)
    if isDryRun { try RealmUse.checkIsFree(target.path) }
    let changed = try ChangedRealm(
      snapshot, request.formats, isInPlace: true, jobs: request.jobs)
    let realm = changed.realm
    var options = request.options
    options.targetSchema = realm.schema.objects
    let input = try open(options)
    var merge = MergeRequest()
    merge.mode = target.mode.merging
    var building = changed.building
    let usual = self.building(try realm.schemaVersion())
    building.schemaVersion = usual.schemaVersion
    building.memoryByteCount = usual.memoryByteCount
    (building.jobs, building.errorLimit) = (usual.jobs, usual.errorLimit)
    func merged(_ output: RealmOutput) throws -> Report {
      var report = try writing(building.format, key: target.key, into: output) { output in
        try self.merge(input, into: realm, key: target.key, merge, building, output, progress)
      }
      (report.formatBefore, report.legacy) = (snapshot.format, changed.legacy)
      return report
    }
    guard !isDryRun else {
      let output = try RealmOutput(.nowhere, key: target.key)
      let report = try merged(output)
      try snapshot.prove()
      return report
    }
    let file = try OutputFile(
      path: target.path, replacing: true, isInPlace: true, operations: .system)
    let output = try RealmOutput(.file(file), key: target.key)
    var report = try merged(output)
    try snapshot.prove()
    if target.keepsBackup {
      report.backup = try KeptOriginal.make(of: target.path, command: "import", .system)
    }
    do {
      try file.publish()
    } catch {
      // A file that was renamed already stays; only the sync of the folder failed.
      if let kept = report.backup, file.isFile { KeptOriginal.remove(kept) }
      throw error
    }
    return report
  }

  /// Builds a realm from the objects of the input and those of `realm`.
  ///
  /// - Parameters:
  ///   - realm: nil if the result is a new realm.
  ///   - key: encrypts the intermediate realm.
  ///   - building: the options of the result.
  func merge(
    _ input: ImportInput, into realm: Realm?, key: RealmKey?, _ merge: MergeRequest,
    _ building: RealmBuilder.Request, _ output: RealmOutput,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    var merge = merge
    merge.dropsMissingTargets = request.nullsMissingLinks
    merge.errorLimit = request.options.errorLimit
    merge.memoryByteCount = request.memoryByteCount
    let staged = try StagedObjects(input.source, self.building(nil), key: key, path: realmPath)
    let source: MergedSource
    do throws(MergeError) {
      source = try MergedSource(
        MergeInput(
          existing: realm, added: staged.realm, classesWithKeys: staged.classesWithKeys,
          schema: input.schema, format: building.format), merge)
    } catch {
      throw input.source.explain(error, path: realmPath)
    }
    var building = building
    let history = try self.history(of: realm, source)
    if let history {
      building.history = { (writer) throws(RealmFileError) in try history.append(to: writer) }
    }
    building.copied = source.copied
    if let realm, history != nil || source.copied != nil {
      building.tables = try KeptTables(of: realm)
    }
    let builder = RealmBuilder(into: output, building)
    let total = source.objectCount
    let built: RealmBuilder.Report
    do throws(RoadError<MergeError, BuildError>) {
      built = try ObjectRoad(from: source, to: builder, jobs: request.jobs).run {
        progress($0, total)
      }
    } catch {
      switch error {
      case .source(let error): throw input.source.explain(error, path: realmPath)
      case .sink(let error):
        if let obstacles = history?.report.obstacles, !obstacles.isEmpty {
          throw RequestError.cannotSync(obstacles, path: realmPath)
        }
        throw explained(error, input)
      }
    }
    var report = report(input, built)
    report.schemaVersion = building.schemaVersion
    report.changesets = history?.report.changesetCount
    // All objects of a new realm are new.
    guard realm != nil else { return report }
    let changes = source.counts
    report.counts = report.counts.map { count in
      var count = count
      let position = source.schema.classes.firstIndex {
        !$0.isInternal && $0.name.text == count.name
      }
      guard let position, source.schema.classes[position].kind != .embedded else { return count }
      count.inserted = changes[position]?.inserted ?? 0
      count.updated = changes[position]?.updated ?? 0
      return count
    }
    return report
  }

  /// The history of the result with the changes to upload; nil for a result that is not synced.
  ///
  /// - Throws: `syncedTarget`.
  private func history(
    of realm: Realm?, _ source: MergedSource
  ) throws -> ContinuedHistory? {
    guard let realm, try HistoryKind(of: realm.snapshot.top) == .syncClient else {
      return nil
    }
    try SyncedTarget.check(realm, takesObjectsOf: source.changedClasses)
    return ContinuedHistory(realm.snapshot, [.objects(source)], now: UTCTime.now.seconds)
  }
}

extension ImportJob.Mode {
  fileprivate var merging: MergeRequest.Mode {
    switch self {
    case .insert: .insert
    case .upsert: .upsert
    case .replace: .replace
    }
  }
}
