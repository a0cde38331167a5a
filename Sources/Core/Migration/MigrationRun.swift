package import RealmBuilding
package import RealmModel
import RealmQuery
package import RealmStorage

/// Applies steps to the objects of a realm, stage by stage.
package struct MigrationRun {
  private let steps: [MigrationStep]
  private let tally: StepTally
  private let key: RealmKey?
  private let request: RealmBuilder.Request
  private let stepNames: @Sendable (Int) -> String?
  private let clock: MigrationClock

  /// - Parameters:
  ///   - key: encrypts the results of all stages but the last.
  ///   - stepNames: the name of a step of a plan by its number, for errors; nil without a plan.
  ///   - clock: the time, and the source of new identifiers.
  package init(
    _ steps: [MigrationStep], _ tally: StepTally, key: RealmKey?, _ request: RealmBuilder.Request,
    clock: MigrationClock = MigrationClock(), stepNames: @escaping @Sendable (Int) -> String?
  ) {
    (self.steps, self.tally, self.key) = (steps, tally, key)
    (self.request, self.clock, self.stepNames) = (request, clock, stepNames)
  }

  /// Checks the steps without reading objects.
  ///
  /// - Returns: the schema after the steps.
  /// - Throws: what is wrong with the steps.
  package static func check(
    _ steps: [MigrationStep], on schema: ObjectSchema
  ) throws(PlanError) -> ObjectSchema {
    try passes(steps, on: schema, hasUnowned: false).schema
  }

  /// Number of passes over the objects, and the schema after them.
  ///
  /// - Parameter hasUnowned: whether the realm has embedded objects without an owner.
  private static func passes(
    _ steps: [MigrationStep], on schema: ObjectSchema, hasUnowned: Bool
  ) throws(PlanError) -> (count: Int, schema: ObjectSchema) {
    var (schema, next, count, hasUnowned) = (schema, 0, 0, hasUnowned)
    repeat {
      let stage = try MigrationRun.stage(steps, from: &next, on: schema)
      count += stage.needsCleaning(hasUnowned: hasUnowned) ? 2 : 1
      (schema, hasUnowned) = (stage.draft.result.schema, false)
    } while next < steps.count
    return (count, schema)
  }

  /// The stage with the steps from `next` on.
  static func stage(
    _ steps: [MigrationStep], from next: inout Int, on schema: ObjectSchema
  ) throws(PlanError) -> MigrationStage {
    var planner = MigrationPlanner(from: schema)
    while next < steps.count, try planner.add(steps[next], number: next) { next += 1 }
    return planner.stage
  }

  /// Writes the result.
  ///
  /// - Parameter progress: receives the number of objects done and the total of all passes. Every pass counts as
  ///   if it had as many objects as the current one.
  /// - Returns: size of the realm in bytes.
  package func write(
    _ realm: Realm, into output: RealmOutput, _ progress: @escaping (Int, Int) -> Void
  ) throws -> Int {
    var hasUnowned = try UnownedObjects(realm: realm, jobs: request.jobs).exist()
    let passes = try MigrationRun.passes(
      steps, on: realm.schema.objects, hasUnowned: hasUnowned)
    let meter = PassMeter(passes: passes.count, progress)
    var (realm, next) = (realm, 0)
    while true {
      let stage = try MigrationRun.stage(steps, from: &next, on: realm.schema.objects)
      let isLast = next == steps.count
      let needsCleaning = stage.needsCleaning(hasUnowned: hasUnowned)
      if isLast, !needsCleaning {
        return try pass(stage, realm, into: output, meter).byteCount
      }
      realm = try staged { [realm] (output) in
        try pass(stage, realm, into: output, allowingUnowned: needsCleaning, meter)
      }
      hasUnowned = false
      guard needsCleaning else { continue }
      // This pass leaves out embedded objects without an owner.
      var cleaning = MigrationStage(from: realm.schema.objects)
      cleaning.reading = .nested(embedding: nil)
      if isLast { return try pass(cleaning, realm, into: output, meter).byteCount }
      realm = try staged { [realm] (output) in
        try pass(cleaning, realm, into: output, meter)
      }
    }
  }

  /// Writes the result into an unlinked file.
  ///
  /// - Parameter progress: same as for ``write(_:into:_:)``.
  package func staged(
    _ realm: Realm, _ progress: @escaping (Int, Int) -> Void
  ) throws -> Realm {
    try staged { try write(realm, into: $0, progress) }
  }

  /// Writes a realm to an unlinked file.
  private func staged<Report>(_ write: (RealmOutput) throws -> Report) throws -> Realm {
    let file = try OutputFile(unlinkedBy: .system)
    _ = try write(try RealmOutput(.file(file), key: key))
    return try Realm(try Snapshot(unlinked: file, key: key))
  }

  // MARK: Passes

  private func pass(
    _ stage: MigrationStage, _ realm: Realm, into output: RealmOutput,
    allowingUnowned: Bool = false, _ meter: PassMeter
  ) throws -> RealmBuilder.Report {
    var request = request
    request.allowsUnownedObjects = allowingUnowned
    switch stage.reading {
    case .nested(let position):
      let source = NestedSource(realm, stage.draft.schema, embedding: position)
      let report = try build(source, request, into: output, meter) {
        NestedSource(realm, stage.draft.schema, embedding: position)
      }
      if let position, let step = stage.embeddingStep {
        let (links, objects) = try source.linkCounts()
        let deleted = realm.schema.tables[position].objectCount - objects
        tally.add(
          StepTally.Count(changed: objects, deleted: deleted, copied: links - objects), to: step)
      }
      return report
    case .flat:
      var input = FlatSource.Input(
        realm: realm, stage: stage, clock: clock, stepNames: stepNames)
      for deletion in stage.deletions {
        input.deleted[deletion.step] = try found(by: deletion, input)
      }
      input.copied = try stage.copiedTables(of: realm, input.deleted, request.format)
      request.copied = input.copied
      if input.copied != nil, request.tables == nil {
        request.tables = try KeptTables(of: realm, positions: stage.positions(in: realm))
      }
      request.indexes = try stage.keptIndexes(
        of: realm, request.format, copied: input.copied, jobs: request.jobs)
      input.tally = tally
      for (position, step) in stage.removals where position < realm.schema.tables.count {
        tally.add(
          StepTally.Count(deleted: realm.schema.tables[position].objectCount), to: step)
      }
      let source = { [input] in try FlatSource(input) }
      return try build(try source(), request, into: output, meter, again: source)
    }
  }

  /// Finds the objects that a deletion deletes.
  func found(
    by deletion: MigrationDeletion, _ input: FlatSource.Input
  ) throws -> KeyList {
    if case .keys(let keys) = deletion.choice { return keys }
    // A class that the stage adds has no objects.
    guard deletion.classPosition < input.realm.schema.tables.count else { return KeyList() }
    var stage = input.stage
    let operations = stage.operations[deletion.classPosition] ?? []
    // The search takes the place of the deletion, after the operations before it.
    guard deletion.operationCount < operations.count else { return KeyList() }
    let search = deletion.choice.condition.map {
      operations[deletion.operationCount].keeping($0)
    }
    stage.operations = [
      deletion.classPosition: operations.prefix(deletion.operationCount)
        + [search].compactMap(\.self)
    ]
    let input = FlatSource.Input(
      realm: input.realm, stage: stage, clock: clock, deleted: input.deleted,
      stepNames: stepNames)
    let source = try FlatSource(input, only: deletion.classPosition)
    do throws(RoadError<MigrationFailure, Never>) {
      return try ObjectRoad(from: source, to: KeySink(), jobs: request.jobs).run()
    } catch {
      throw error.cause
    }
  }

  /// Builds a realm of the objects of a source.
  ///
  /// - Parameter again: makes a source for a further pass. A source counts what it reads, so each pass needs its
  ///   own.
  private func build<Source: ObjectSource<MigrationFailure>>(
    _ source: Source, _ request: RealmBuilder.Request, into output: RealmOutput,
    _ meter: PassMeter, again: () throws -> Source
  ) throws -> RealmBuilder.Report {
    let builder = RealmBuilder(into: output, request)
    let total = source.objectCount
    defer { meter.endPass() }
    do throws(RoadError<MigrationFailure, BuildError>) {
      return try ObjectRoad(from: source, to: builder, jobs: request.jobs).run {
        meter.report($0, of: total)
      }
    } catch {
      switch error {
      case .source(let failure): throw failure.cause
      case .sink(let error):
        if let failure = (source as? NestedSource)?.failure { throw failure }
        throw try explained(error, again)
      }
    }
  }

  // MARK: Errors

  /// The error of the builder as an error of the migration. Lists the objects with equal primary keys.
  private func explained<Source: ObjectSource<MigrationFailure>>(
    _ error: BuildError, _ again: () throws -> Source
  ) throws -> any Error {
    switch error.kind {
    case .file(let error): return error
    case .duplicatePrimaryKey:
      let name = error.className ?? ""
      let classes = try again().schema.classes
      let position = classes.firstIndex { $0.name.text == name }
      var values: [String] = []
      if let position, let key = classes[position].primaryKey {
        values = try DuplicateKeys(classPosition: position, property: key, jobs: request.jobs)
          .list(again)
      }
      var failure = MigrationError(.duplicates(values), className: name)
      failure.property = error.property
      return failure
    default:
      var failure = MigrationError(.build(error))
      failure.others = error.others.map { MigrationError(.build($0)) }
      return failure
    }
  }
}

/// Adds up the progress of several passes. One thread at a time uses it.
private final class PassMeter: @unchecked Sendable {
  private let passes: Int
  private let progress: (Int, Int) -> Void
  private var done = 0

  init(passes: Int, _ progress: @escaping (Int, Int) -> Void) {
    (self.passes, self.progress) = (passes, progress)
  }

  func report(_ count: Int, of total: Int) { progress(done * total + count, passes * total) }
  func endPass() { done += 1 }
}
