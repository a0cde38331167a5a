import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// The plan or schema of a migration, from which the steps for a realm are selected.
struct MigrationSteps {
  /// The steps for one realm, each with its schema version.
  struct Selection {
    /// The schema version after the steps.
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
  /// - Throws: ``PlanError`` or ``ImportError`` for what is wrong with it; the errors of reading a file.
  init(_ source: MigrateJob.Source) throws {
    switch source {
    case .plan(let path, let to):
      content = try MigrationSteps.plan(try MigrationSteps.readPlan(path), path, to: to)
    case .text(let text, let name):
      content = try MigrationSteps.plan(Array(text.utf8), name, to: nil)
    case .schema(let path, let to, let allowsDataLoss):
      content = .schema(
        try SchemaFile.read(path: path), path: path, to: to, allowsDataLoss: allowsDataLoss)
    }
  }

  private static func plan(_ bytes: [UInt8], _ path: String, to: UInt64?) throws -> Content {
    try inPlan(path, .plan(PlanDecoder.decode(bytes), path: path, to: to))
  }

  /// The steps from a schema version on.
  ///
  /// - Parameters:
  ///   - before: the schema version of the realm; nil if it has none.
  ///   - isSynced: whether the realm allows only additions.
  ///   - path: path of the realm.
  /// - Throws: ``RequestError`` of kind `versionNotHigher`, `noSuchVersion`, `syncedMigration` or `cannotSync`;
  ///   ``PlanError`` if a step cannot be applied to the schema, or would lose data without permission.
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
        // An SDK adds missing classes and properties to a synced realm at any schema version.
        steps = try AdditiveSteps.steps(from: schema, to: wanted, path: path).map { (to, $0) }
      } else if to == before {
        steps = []
      } else {
        let automatic = try MigrationSteps.inPlan(
          file,
          SchemaSteps.automatic(from: schema, to: wanted, allowsDataLoss: allowsDataLoss))
        steps = automatic.map { (to, $0) }
      }
    }
    if isSynced { try AdditiveSteps.checkOnlyAdd(steps.map(\.step), path: path) }
    let result = try MigrationSteps.inPlan(
      planPath, MigrationRun.check(steps.map(\.step), on: schema))
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

  /// Evaluates `work`, and adds the path of the plan to its errors.
  private static func inPlan<Value>(
    _ path: String, _ work: @autoclosure () throws -> Value
  ) throws -> Value {
    do { return try work() } catch { throw error.adding(path: path) }
  }

  /// Reads the file of a plan.
  ///
  /// - Returns: its bytes, at most one more than a plan can have.
  /// - Throws: the errors of reading a file.
  private static func readPlan(_ path: String) throws(RealmFileError) -> [UInt8] {
    let file = try FileDescriptor.openForReading(path)
    var bytes: [UInt8] = []
    while bytes.count <= PlanDocument.byteCountLimit {
      let count = PlanDocument.byteCountLimit + 1 - bytes.count
      let some = try file.read(at: bytes.count, count: count)
      guard !some.isEmpty else { break }
      bytes += some
    }
    return bytes
  }
}
