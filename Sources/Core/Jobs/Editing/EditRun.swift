import RealmBuilding
import RealmMigration
import RealmModel
import RealmQuery
import RealmStorage
import RealmSync

/// Changes or deletes the objects that a query finds, with the steps of a migration that keeps the schema. A synced
/// realm gets the changes in its history, for its client to upload.
struct EditRun {
  /// What to do with a version of the realm.
  struct Edit {
    /// The first step is about the class of the query.
    var steps: [MigrationStep]
    /// Number of objects that the query found.
    var found: Int
    /// Positions of the properties that get new values.
    var properties: [Int] = []
    /// The objects to delete, by position of their class, with the embedded objects in them.
    var deleted: [Int: KeyList] = [:]
  }

  var rewrite: RealmRewrite
  let request: EditRequest

  /// The result is not written.
  private struct NotWritten: Error {
    let report: EditReport
  }

  /// Writes the result, unless nothing would change in place, or another number of objects than expected.
  ///
  /// - Parameters:
  ///   - edit: finds out what to do; receives the realm, the position of the class and the keys that the query found.
  ///   - progress: receives the amount of work done and the total.
  func run(
    _ edit: @escaping (Realm, Int, KeyList) throws -> Edit,
    progress: @escaping (Int, Int) -> Void
  ) throws -> EditReport {
    do {
      return try rewrite.run(plan: { try plan($0, edit) }, progress: progress)
    } catch let stop as NotWritten {
      return stop.report
    }
  }

  private func plan(
    _ snapshot: Snapshot, _ edit: (Realm, Int, KeyList) throws -> Edit
  ) throws -> RealmRewrite.Plan<EditReport> {
    let changed = try rewrite.changing(snapshot, jobs: request.jobs)
    let (realm, building, isSynced) = (changed.realm, changed.building, changed.isSynced)
    var query = QueryJob.Request(className: request.className)
    (query.text, query.arguments, query.answer) = (request.query, request.arguments, .nothing)
    let texts = try QueryTexts(query, realm)
    let found = try texts.query.run(in: realm, jobs: request.jobs).keys
    let made = try edit(realm, texts.classPosition, KeyList(found))
    if isSynced { try check(made, of: texts.classPosition, realm) }
    var written: EditReport?
    let rebuild = ObjectRebuild { (output, progress) in
      let (report, size) = try write(
        made, of: texts.classPosition, realm, building, isSynced: isSynced, into: output,
        progress)
      written = report
      return size
    }
    var plan = RealmRewrite.Plan(objects: rebuild, building.format) {
      (rewritten: RewriteReport) in
      var report = written ?? self.report(made, changed: 0)
      (report.rewrite, report.legacy) = (rewritten, changed.legacy)
      return report
    }
    plan.canRefuse = isSynced || request.expected != nil
    return plan
  }

  /// Checks that a synced realm can take the changes.
  ///
  /// - Throws: `syncedTarget`.
  private func check(_ edit: Edit, of position: Int, _ realm: Realm) throws {
    let objectClass = realm.schema.objects.classes[position]
    func refusal(_ obstacle: SyncedTargetObstacle, _ property: Int? = nil) -> RequestError {
      RequestError(
        .syncedTarget(obstacle), path: rewrite.path, className: objectClass.name.text,
        property: property.map { objectClass.properties[$0].name.text })
    }
    guard objectClass.kind != .embedded else { throw refusal(.embedded) }
    if let key = objectClass.primaryKey, edit.properties.contains(key) {
      throw refusal(.primaryKey, key)
    }
    try SyncedTarget.check(
      realm, takesObjectsOf: [position], deletionsOf: Array(edit.deleted.keys))
  }

  // MARK: Writing

  private func write(
    _ edit: Edit, of position: Int, _ realm: Realm, _ building: RealmBuilder.Request,
    isSynced: Bool, into output: RealmOutput,
    _ progress: @escaping (Int, Int) -> Void
  ) throws -> (EditReport, size: Int) {
    // Without objects, or with another number of deleted ones, it is clear before any is written.
    if edit.found == 0 || !edit.deleted.isEmpty {
      try checkIsWritten(report(edit, changed: edit.found))
    }
    var building = building
    building.schemaVersion = try realm.schemaVersion()
    building.jobs = request.jobs
    if isSynced { building.tables = try KeptTables(of: realm) }
    let tally = StepTally(sampleLimit: request.sampleCount, listsKeys: isSynced)
    let run = MigrationRun(edit.steps, tally, key: rewrite.key, building) { _ in nil }
    func made() throws -> EditReport {
      let count = tally.count(of: 0)
      var report = self.report(edit, changed: count.changed + count.deleted)
      report.samples = count.samples.map(\.sample)
      try checkIsWritten(report)
      return report
    }
    guard isSynced else {
      let size = try run.write(realm, into: output, progress)
      return (try made(), size)
    }
    let edited = try run.staged(realm) { progress($0, 2 * $1) }
    var report = try made()
    let history = ContinuedHistory(
      realm.snapshot,
      [
        .edits(
          ObjectEdits(
            before: realm, after: edited,
            updates: edit.properties.isEmpty
              ? []
              : [
                ObjectEdits.Update(
                  classPosition: position, properties: edit.properties,
                  keys: KeyList(tally.count(of: 0).keys))
              ],
            deleted: edit.deleted.filter { realm.schema.tables[$0.key].kind != .embedded }))
      ],
      now: UTCTime.now.seconds)
    let total = edited.snapshot.top.logicalSize
    do {
      let size = try FileBuilder(
        edited.snapshot, top: FileBuilder.Top(of: edited.snapshot), edits: NodeEdits(),
        history: { (writer) throws(RealmFileError) in try history.append(to: writer) },
        into: output
      ).write { progress(total + $0, 2 * total) }
      report.changesets = history.report.changesetCount
      return (report, size)
    } catch {
      guard history.report.obstacles.isEmpty else {
        throw RequestError.cannotSync(history.report.obstacles, path: rewrite.path)
      }
      throw error
    }
  }

  /// - Throws: ``NotWritten``.
  private func checkIsWritten(_ report: EditReport) throws {
    var isUnchanged = false
    if case .inPlace = rewrite.destination { isUnchanged = report.changed == 0 }
    guard report.isExpected, !isUnchanged else { throw NotWritten(report: report) }
  }

  private func report(_ edit: Edit, changed: Int) -> EditReport {
    let deleted = edit.deleted.values.reduce(0) { $0 + $1.keys.count }
    return EditReport(
      path: rewrite.path, className: request.className, found: edit.found, changed: changed,
      embedded: max(0, deleted - edit.found), expected: request.expected,
      isDryRun: rewrite.isDryRun)
  }
}
