package import RealmJobs
package import RealmMigration
package import RealmModel
import RealmStorage
import Synchronization

/// The steps of a migration plan for one realm that are not saved yet.
///
/// Invariant 1: the realm is changed only by ``save(to:_:revision:over:)``, which is the job of `migrate`.
/// Invariant 2: a step is added only if the schema after the steps before it allows it.
/// Invariant 3: the steps are in the plan's file before a change is answered, if it has one.
package final class SchemaPlan: Sendable {
  /// The most steps of a plan. Each change checks all of them.
  package static let stepLimit = 1000
  /// What errors call the plan.
  private static let name = "the plan"

  private struct Content {
    var steps: [MigrationStep] = []
    /// Nil for one more than the schema version of the realm.
    var version: UInt64?
    var revision = 0
    /// Whether the file was looked for.
    var wasRead = false
    var isRestored = false
    /// Why the file is no plan.
    var damage: PlanError?
    /// What was saved last, until the plan changes.
    var saved: MigrateJob.Report?
    var counts = StepCounts()
  }

  private let content = Mutex(Content())
  private let file: DraftFile?

  /// - Parameter file: where the plan is kept; nil for nowhere.
  package init(file: DraftFile?) { self.file = file }

  /// What pages show of a plan.
  package struct Status: Sendable {
    package var steps: [MigrationStep]
    /// The schema version after the steps.
    package var version: UInt64
    /// The plan in YAML, with one line for each step.
    package var text: String
    /// The schema after the steps; the one of the realm if they do not fit it.
    package var schema: ObjectSchema
    package var isSynced: Bool
    /// Why the plan cannot be saved; nil if it can.
    package var problem: (any Error)?
    /// A number that is higher after each change.
    package var revision: Int
    /// Whether the plan comes from an earlier process that ended before it was saved.
    package var isRestored: Bool
    package var saved: MigrateJob.Report?
  }

  /// The plan for a version of the realm.
  ///
  /// - Throws: the errors of reading the realm, and the kept plan.
  package func status(over view: RealmView) throws -> Status {
    try content.withLock { content in
      try read(&content, view)
      return try status(content, view)
    }
  }

  private func status(_ content: Content, _ view: RealmView) throws -> Status {
    let version = try SchemaPlan.version(content, view)
    var status = Status(
      steps: content.steps, version: version, text: SchemaPlan.text(content.steps, version),
      schema: view.readable.schema, isSynced: false, problem: content.damage,
      revision: content.revision, isRestored: content.isRestored, saved: content.saved)
    do {
      let preview = try SchemaPlan.preview(content.steps, version, view)
      (status.schema, status.isSynced) = (preview.schema, preview.isSynced)
    } catch {
      status.problem = status.problem ?? error
    }
    return status
  }

  /// The numbers of objects that the steps change now, by step; nil where only a trial shows it.
  ///
  /// - Parameter jobs: number of threads.
  package func counts(over view: RealmView, jobs: Int) -> [Int?] {
    content.withLock { content in
      content.counts.counts(of: content.steps, over: view, jobs: jobs)
    }
  }

  private static func version(_ content: Content, _ view: RealmView) throws -> UInt64 {
    let before = try view.readable.schemaVersion() ?? 0
    return content.version ?? (before < .max - 1 ? before + 1 : before)
  }

  private static func text(_ steps: [MigrationStep], _ version: UInt64) -> String {
    PlanWriter.text(steps, to: version, notes: [])
  }

  /// Checks steps as `migrate` does.
  private static func preview(
    _ steps: [MigrationStep], _ version: UInt64, _ view: RealmView
  ) throws -> MigrateJob.Preview {
    let before = try view.readable.schemaVersion() ?? 0
    guard version > before else {
      throw RequestError(
        .versionNotHigher(stored: before, wanted: version), path: view.snapshot.path)
    }
    return try MigrateJob.preview(
      .text(text(steps, version), name: SchemaPlan.name), of: view.readable)
  }

  // MARK: The file

  private func read(_ content: inout Content, _ view: RealmView) throws {
    guard !content.wasRead else { return }
    if let kept = try keptFile(view)?.read() {
      do throws(PlanError) {
        let plan = try PlanDecoder.decode(kept)
        content.steps = plan.versions.flatMap(\.steps)
        content.version = plan.versions.last?.number
      } catch {
        var error = error
        error.path = file?.path ?? ""
        content.damage = error
      }
      if try content.version == SchemaPlan.version(Content(), view) { content.version = nil }
      content.isRestored = !content.steps.isEmpty
    }
    content.wasRead = true
  }

  private func keptFile(_ view: RealmView) -> DraftFile? {
    view.snapshot.isEncrypted ? nil : file
  }

  // MARK: Changes

  /// Adds a step behind the others.
  ///
  /// - Returns: the plan with the step.
  /// - Throws: what is wrong with the step; ``HTTPError`` if the plan is full; the errors of keeping the plan.
  @discardableResult
  package func add(_ form: FormFields, over view: RealmView) throws -> Status {
    try change(over: view) { content in
      guard content.steps.count < SchemaPlan.stepLimit else {
        throw HTTPError(422, "the plan has \(SchemaPlan.stepLimit.grouped) steps, the most it can")
      }
      content.steps.append(try StepFields(form: form).decoded())
      do {
        let version = try SchemaPlan.version(content, view)
        content.steps = try SchemaPlan.preview(content.steps, version, view).steps
      } catch let error as PlanError {
        throw error.withoutPlace
      }
    }
  }

  /// Removes a step.
  ///
  /// - Parameters:
  ///   - number: position of the step.
  ///   - revision: the revision that the user saw; nil for any.
  /// - Throws: ``HTTPError`` if there is no such step, or if a later one needs it; the errors of keeping the plan.
  package func remove(_ number: Int, revision: Int?, over view: RealmView) throws {
    try change(revision, over: view) { content in
      guard content.steps.indices.contains(number) else {
        throw HTTPError(422, "the plan has no step \(number + 1)")
      }
      let version = try SchemaPlan.version(content, view)
      let before = content.steps
      content.steps.remove(at: number)
      do {
        _ = try SchemaPlan.preview(content.steps, version, view)
      } catch let error as PlanError {
        // A plan that does not fit the realm any more can lose its steps one by one.
        guard try SchemaPlan.fits(before, version, view) else { return }
        let later = SchemaPlan.number(ofStepAtLine: error.line, after: number)
        throw HTTPError(409, "\(later) needs this step: \(error.message)")
      }
    }
  }

  /// Whether the realm can have all steps.
  private static func fits(
    _ steps: [MigrationStep], _ version: UInt64, _ view: RealmView
  ) throws -> Bool {
    do {
      _ = try preview(steps, version, view)
      return true
    } catch is PlanError {
      return false
    }
  }

  /// The name of the step that an error is about.
  ///
  /// - Parameters:
  ///   - line: a line of the plan without the step at `removed`.
  private static func number(ofStepAtLine line: Int?, after removed: Int) -> String {
    // Steps begin at line 5.
    line.map { $0 >= 5 ? "step \($0 - 4 > removed ? $0 - 3 : $0 - 4)" : "the plan" } ?? "the plan"
  }

  /// Sets the schema version after the steps; nil for one more than the realm has.
  ///
  /// - Throws: `versionNotHigher`; the errors of keeping the plan.
  package func set(version: UInt64?, revision: Int?, over view: RealmView) throws {
    try change(revision, over: view) { content in
      content.version = version
      let before = try view.readable.schemaVersion() ?? 0
      let version = try SchemaPlan.version(content, view)
      guard version > before, version < .max else {
        throw RequestError(
          .versionNotHigher(stored: before, wanted: version), path: view.snapshot.path)
      }
    }
  }

  /// Removes all steps.
  ///
  /// - Throws: the errors of removing the kept plan.
  package func clear(revision: Int?, over view: RealmView) throws {
    try content.withLock { content in
      try read(&content, view)
      try SchemaPlan.check(revision, content)
      try become([], nil, &content, view)
    }
  }

  private static func check(_ revision: Int?, _ content: Content) throws(HTTPError) {
    guard revision == nil || revision == content.revision else {
      throw HTTPError(409, "the plan was changed meanwhile")
    }
  }

  @discardableResult
  private func change(
    _ revision: Int? = nil, over view: RealmView, _ body: (inout Content) throws -> Void
  ) throws -> Status {
    try content.withLock { content in
      try read(&content, view)
      if let damage = content.damage { throw damage }
      try SchemaPlan.check(revision, content)
      var changed = content
      try body(&changed)
      try become(changed.steps, changed.version, &content, view)
      return try status(content, view)
    }
  }

  /// The steps become those of the plan, after they are in the file.
  private func become(
    _ steps: [MigrationStep], _ version: UInt64?, _ content: inout Content, _ view: RealmView
  ) throws {
    var changed = content
    (changed.steps, changed.version, changed.damage) = (steps, version, nil)
    (changed.revision, changed.isRestored, changed.saved) = (content.revision + 1, false, nil)
    if let file = keptFile(view) {
      if steps.isEmpty {
        try file.remove()
      } else {
        let text = SchemaPlan.text(steps, try SchemaPlan.version(changed, view))
        try file.write(Array(text.utf8))
      }
    }
    content = changed
  }

  // MARK: Migrating

  /// Saves the plan with the job of `migrate`. A plan that was saved in the realm is empty afterwards.
  ///
  /// - Parameter revision: the revision that the user saw; nil for any.
  /// - Throws: ``HTTPError`` if the plan is empty or changed; the errors of ``MigrateJob/run(progress:)``. The plan then stays.
  @discardableResult
  package func save(
    to destination: Draft.Destination, _ target: Draft.Target, revision: Int?,
    over view: RealmView
  ) throws -> MigrateJob.Report {
    try content.withLock { content in
      try read(&content, view)
      try SchemaPlan.check(revision, content)
      let report = try job(content, destination.rewritten, target, over: view).run()
      guard !report.isCurrent else {
        throw HTTPError(409, "the realm has schema version \(report.versionAfter) meanwhile")
      }
      if case .realm = destination { try become([], nil, &content, view) }
      content.saved = report
      return report
    }
  }

  /// The job that does all that saving does, and writes nothing.
  ///
  /// - Parameter sampleCount: the most objects to show for each step.
  /// - Throws: ``HTTPError`` if the plan is empty; the errors of reading the realm.
  package func trial(
    _ target: Draft.Target, sampleCount: Int, over view: RealmView
  ) throws -> MigrateJob {
    try content.withLock { content in
      try read(&content, view)
      // Nothing of a dry run reaches the stream. Unlike a file, it does not ask whether a process has the realm open.
      return try job(
        content, .stream(StandardStream.output), target, sampleCount, isDryRun: true, over: view)
    }
  }

  private func job(
    _ content: Content, _ destination: RealmDestination, _ target: Draft.Target,
    _ sampleCount: Int = 0, isDryRun: Bool = false, over view: RealmView
  ) throws -> MigrateJob {
    if let damage = content.damage { throw damage }
    guard !content.steps.isEmpty else { throw HTTPError(422, "the plan has no steps") }
    let version = try SchemaPlan.version(content, view)
    // Of the version that pages show, so that no step is left out because of its schema version.
    _ = try SchemaPlan.preview(content.steps, version, view)
    return MigrateJob(
      path: target.path, key: target.key, destination: destination,
      source: .text(SchemaPlan.text(content.steps, version), name: SchemaPlan.name),
      sampleCount: sampleCount, jobs: target.jobs, command: "browse", isDryRun: isDryRun)
  }
}
