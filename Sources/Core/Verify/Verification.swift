package import RealmStorage

/// Checks a snapshot against every rule of the file format that can be checked. Continues after findings, and
/// terminates on any bytes.
package struct Verification: Sendable {
  private let context: VerifyContext
  private let isQuick: Bool
  private let now: Int64?

  /// - Parameters:
  ///   - isQuick: whether to check only that every node is reachable and complete, not its content.
  ///   - now: milliseconds since 1970, to find changes from the future; nil to skip this check.
  package init(_ context: VerifyContext, isQuick: Bool, now: Int64?) {
    (self.context, self.isQuick, self.now) = (context, isQuick, now)
  }

  /// The passes in their order. A new pass is added here.
  private func passes(
    _ trees: ObjectTrees, _ space: SpacePass, _ objects: ObjectPass, _ legacy: LegacyPass?
  ) -> [any VerifyPass] {
    let always: [any VerifyPass] = [space, FilePass(context: context)]
    guard !isQuick else { return always }
    if let legacy { return always + [legacy] }
    // The largest pieces come first, so that all threads end at about the same time.
    return always + [
      KeyPass(context: context, trees: trees),
      SchemaPass(context),
      HistoryPass(context: context, now: now),
      objects,
      IndexPass(context, trees, objects),
    ]
  }

  /// - Parameters:
  ///   - path: path of the realm, for the report.
  ///   - jobs: number of threads.
  ///   - progress: receives the number of pieces done and the total, on any thread.
  /// - Throws: errors other than damage.
  package func run(
    path: String, jobs: Int, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> VerifyReport {
    let snapshot = context.snapshot
    let space = SpacePass(context, isQuick: isQuick)
    let trees = try ObjectTrees(context)
    let objects = ObjectPass(context, trees)
    let legacy = snapshot.isLegacy ? try LegacyPass(context) : nil
    let run = VerifyRun(
      passes: passes(trees, space, objects, legacy), realm: context.realm, limit: context.limit)
    var report = VerifyReport(try run.run(jobs: jobs, progress: progress), path: path)
    (report.fileFormat, report.version) = (snapshot.format, snapshot.top.version)
    (report.nodeCount, report.byteCount) = space.reached
    // A quick check reads no objects, so there is nothing to report about them.
    if !isQuick {
      report.objectCount = legacy?.objectCount ?? objects.objectCount
      report.damage = objects.damage
    }
    return report
  }
}
