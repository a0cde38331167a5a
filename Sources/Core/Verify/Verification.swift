package import RealmStorage

/// Checks a snapshot against every rule of the file format that can be checked. Continues after findings, and
/// terminates on any bytes.
package struct Verification: Sendable {
  private let context: VerifyContext
  private let isQuick: Bool
  private let now: Int64?

  /// - Parameters:
  ///   - isQuick: whether to check only that every node can be reached and is complete, and not its content.
  ///   - now: milliseconds since 1970, to find changes from the future; nil to skip this check.
  package init(_ context: VerifyContext, isQuick: Bool, now: Int64?) {
    (self.context, self.isQuick, self.now) = (context, isQuick, now)
  }

  /// All checks. A new check is added here.
  private func checks(
    _ trees: ObjectTrees, _ space: SpaceChecks, _ objects: ObjectChecks, _ legacy: LegacyChecks?
  ) -> [any VerifyCheck] {
    let always: [any VerifyCheck] = [space, FileChecks(context: context)]
    guard !isQuick else { return always }
    if let legacy { return always + [legacy] }
    // The largest pieces come first, so that all threads end at about the same time.
    return always + [
      KeyChecks(context: context, trees: trees),
      SchemaChecks(context: context),
      HistoryChecks(context: context, now: now),
      objects,
      IndexChecks(context, trees, objects),
    ]
  }

  /// - Parameters:
  ///   - path: path of the realm, for the report.
  ///   - jobs: number of threads.
  ///   - progress: receives the number of pieces done and the total, from changing threads.
  /// - Throws: errors that say nothing about the file.
  package func run(
    path: String, jobs: Int, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> VerifyReport {
    let snapshot = context.snapshot
    let space = SpaceChecks(context, isQuick: isQuick)
    let trees = try ObjectTrees(context)
    let objects = ObjectChecks(context, trees)
    let legacy = snapshot.isLegacy ? try LegacyChecks(context) : nil
    let run = VerifyRun(
      checks: checks(trees, space, objects, legacy), realm: context.realm, limit: context.limit)
    var report = VerifyReport(try run.run(jobs: jobs, progress: progress), path: path)
    (report.fileFormat, report.version) = (snapshot.format, snapshot.top.version)
    (report.nodeCount, report.byteCount) = space.reached
    // A quick check looks at no objects, so it says nothing about them.
    if !isQuick {
      report.objectCount = legacy?.objectCount ?? objects.objectCount
      report.damage = objects.damage
    }
    return report
  }
}
