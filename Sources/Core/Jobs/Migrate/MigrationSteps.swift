import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// The steps that a migration can apply, before the realm is known.
struct MigrationSteps {
  /// The steps for one realm, each with its schema version, and the version that they lead to.
  struct Selection {
    let version: UInt64
    /// The schema after the steps.
    let schema: ObjectSchema
    let steps: [(version: UInt64, step: MigrationStep)]
  }

  private enum Content {
    case plan(MigrationPlan, path: String, to: UInt64?)
    case schema(ObjectSchema, path: String, to: UInt64, allowsDataLoss: Bool)
  }

  private let content: Content

  /// Reads the plan or the schema.
  ///
  /// - Throws: `plan` or `text` for what is wrong with it; the errors of reading a file.
  init(_ source: MigrateJob.Source) throws {
    switch source {
    case .plan(let path, let to):
      let text = try PlanFile.read(path)
      do throws(PlanError) {
        content = .plan(try PlanDecoder.decode(text), path: path, to: to)
      } catch {
        throw error.adding(path: path)
      }
    case .schema(let path, let to, let allowsDataLoss):
      do throws(ImportError) {
        content = .schema(
          try SchemaFile.readText(path: path), path: path, to: to, allowsDataLoss: allowsDataLoss)
      } catch {
        throw error
      }
    }
  }

  /// The steps from the version `before` on.
  ///
  /// - Parameters:
  ///   - isSynced: whether the realm takes only additions.
  ///   - path: path of the realm.
  /// - Throws: `versionNotHigher`, `noSuchVersion`; `syncedMigration`, `cannotSync`; `plan` if a step cannot be
  ///   applied to the schema, or would lose data that the user did not give up.
  func selected(
    for schema: ObjectSchema, from before: UInt64?, isSynced: Bool, path: String
  ) throws -> Selection {
    let version: UInt64
    let steps: [(version: UInt64, step: MigrationStep)]
    let planPath: String
    switch content {
    case .plan(let plan, let file, let to):
      planPath = file
      (version, steps) = try selected(plan, to, from: before ?? 0, path: path)
    case .schema(let wanted, let file, let to, let allowsDataLoss):
      planPath = file
      guard to > before ?? 0 || to == before || isSynced && before == nil else {
        throw RequestError(.versionNotHigher(stored: before ?? 0, wanted: to), path: path)
      }
      version = to
      if isSynced {
        // An SDK adds what a synced realm lacks at every schema version.
        steps = try AdditiveSteps.steps(from: schema, to: wanted, path: path).map { (to, $0) }
      } else if to == before {
        steps = []
      } else {
        let automatic = try inPlan(of: file) { () throws(PlanError) in
          try AutomaticSteps(from: schema, to: wanted, allowsDataLoss: allowsDataLoss).steps()
        }
        steps = automatic.map { (to, $0) }
      }
    }
    if isSynced { try AdditiveSteps.checkOnlyAdd(steps.map(\.step), path: path) }
    let result = try inPlan(of: planPath) { () throws(PlanError) in
      try MigrationRun.check(steps.map(\.step), on: schema)
    }
    if isSynced { try AdditiveSteps.checkCanSync(result, after: schema, path: path) }
    return Selection(version: version, schema: result, steps: steps)
  }

  private func selected(
    _ plan: MigrationPlan, _ to: UInt64?, from before: UInt64, path: String
  ) throws -> (version: UInt64, steps: [(version: UInt64, step: MigrationStep)]) {
    let numbers = plan.versions.map(\.number)
    let last = to ?? numbers.last ?? 0
    guard numbers.contains(last) else {
      throw RequestError(.noSuchVersion(last, known: numbers), path: path)
    }
    guard last >= before else {
      throw RequestError(.versionNotHigher(stored: before, wanted: last), path: path)
    }
    let versions = plan.versions.filter { $0.number > before && $0.number <= last }
    return (last, versions.flatMap { version in version.steps.map { (version.number, $0) } })
  }

  private func inPlan<Value>(
    of path: String, _ work: () throws(PlanError) -> Value
  ) throws -> Value {
    do throws(PlanError) {
      return try work()
    } catch {
      throw error.adding(path: path)
    }
  }
}

/// Reads the file of a plan.
enum PlanFile {
  /// - Returns: its bytes, up to one more than a plan may have.
  /// - Throws: the errors of reading a file.
  static func read(_ path: String) throws(RealmFileError) -> [UInt8] {
    let file = try FileDescriptor.openForReading(path)
    var text: [UInt8] = []
    while text.count <= PlanDocument.byteCountLimit {
      let some = try file.read(at: text.count, count: PlanDocument.byteCountLimit + 1 - text.count)
      guard !some.isEmpty else { break }
      text += some
    }
    return text
  }
}
