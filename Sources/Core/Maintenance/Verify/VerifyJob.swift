public import RealmStorage

/// Determines whether a realm is sound: checks every rule of the file format that can be checked.
/// Continues after findings, and terminates on any bytes.
public struct VerifyJob: Sendable {
  /// What to check.
  public struct Request: Sendable {
    public var path: String
    public var key: RealmKey?
    public var version: Snapshot.Version
    /// Whether to check only that every node can be reached and is complete, and not its content.
    public var isQuick: Bool
    /// Names of the classes whose objects are checked; nil for all.
    public var classes: [String]?
    /// Maximum number of findings of each severity that are reported one by one; the others are
    /// counted.
    public var maxFindings: Int
    /// Number of threads.
    public var jobs: Int
    /// Maximum bytes of decrypted pages of an encrypted realm that are cached.
    public var cacheByteCount: Int
    /// Milliseconds since 1970, to find changes from the future; nil to skip this check.
    public var now: Int64?

    public init(
      path: String, key: RealmKey? = nil, version: Snapshot.Version = .latest,
      isQuick: Bool = false, classes: [String]? = nil, maxFindings: Int = 100, jobs: Int = 1,
      cacheByteCount: Int = Snapshot.usualCacheByteCount, now: Int64? = nil
    ) {
      (self.path, self.key, self.version) = (path, key, version)
      (self.isQuick, self.classes) = (isQuick, classes)
      (self.maxFindings, self.jobs, self.now) = (maxFindings, jobs, now)
      self.cacheByteCount = cacheByteCount
    }
  }

  /// The result of the checks.
  public struct Report: Sendable {
    /// A class with objects that cannot be read.
    public struct ClassDamage: Equatable, Sendable {
      public var name: String
      /// Nil if nothing of the class can be read.
      public var unreadableObjects: Int?
      public var objectCount: Int?
    }

    public var path: String
    /// Nil if the realm cannot be opened.
    public var fileFormat: Int?
    public var version: Int?
    /// Most serious first, then in the order of the file.
    public var findings: [Finding]
    /// Number of findings of each rule and severity, in the order of the rules.
    public var totals: [(rule: Rule, severity: Rule.Severity, count: Int)]
    public var damage: [ClassDamage]
    public var objectCount: Int
    public var nodeCount: Int
    /// Bytes of the reachable nodes.
    public var byteCount: Int

    /// Number of findings of `severity`.
    public func count(_ severity: Rule.Severity) -> Int {
      totals.reduce(0) { $0 + ($1.severity == severity ? $1.count : 0) }
    }
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// All checks. A new check is added here.
  private func checks(
    _ context: VerifyContext, _ trees: ObjectTrees, _ space: SpaceChecks, _ objects: ObjectChecks,
    _ legacy: LegacyChecks?
  ) -> [any VerifyCheck] {
    let always: [any VerifyCheck] = [space, FileChecks(context: context)]
    guard !request.isQuick else { return always }
    if let legacy { return always + [legacy] }
    // The largest pieces come first, so that all threads end at about the same time.
    return always + [
      KeyChecks(context: context, trees: trees),
      SchemaChecks(context: context),
      HistoryChecks(context: context, now: request.now),
      objects,
      IndexChecks(context, trees, objects),
    ]
  }

  /// - Parameter progress: receives the number of pieces done and the total, from changing threads.
  /// - Returns: a report with findings, even if the realm cannot be opened because it is damaged.
  /// - Throws: the other errors of opening a realm; `noSuchClass`; `changedWhileReading`.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let snapshot: Snapshot
    do throws(RealmFileError) {
      snapshot = try Snapshot(
        path: request.path, key: request.key, version: request.version,
        cacheByteCount: request.cacheByteCount)
    } catch {
      return try report(on: error)
    }
    do {
      let context = try VerifyContext(
        snapshot, version: request.version, classes: request.classes,
        limit: request.maxFindings)
      for name in request.classes ?? [] where !context.classNames.values.contains(name) {
        throw RequestError(.noSuchClass(name), path: request.path)
      }
      let report = try check(snapshot, context, progress)
      try snapshot.prove()
      return report
    } catch {
      guard error.fileKind != nil else { throw error }
      // The error may be caused by a change or truncation of the file meanwhile.
      try snapshot.prove()
      throw error.adding(path: request.path)
    }
  }

  private func check(
    _ snapshot: Snapshot, _ context: VerifyContext,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Report {
    let space = SpaceChecks(context, isQuick: request.isQuick)
    let trees = try ObjectTrees(context)
    let objects = ObjectChecks(context, trees)
    let legacy = snapshot.isLegacy ? try LegacyChecks(context) : nil
    let run = VerifyRun(
      checks: checks(context, trees, space, objects, legacy), realm: context.realm,
      limit: request.maxFindings)
    let findings = try run.run(jobs: request.jobs, progress: progress)
    var report = self.report(findings)
    (report.fileFormat, report.version) = (snapshot.format, snapshot.top.version)
    (report.nodeCount, report.byteCount) = space.reached
    // A quick check looks at no objects, so it says nothing about them.
    if !request.isQuick {
      report.objectCount = legacy?.objectCount ?? objects.objectCount
      report.damage = objects.damage
    }
    return report
  }

  private func report(_ findings: Findings) -> Report {
    let totals = Rule.allCases.flatMap { rule in
      Rule.Severity.allCases.reversed().compactMap { severity in
        findings.totals[rule]?[severity].flatMap { $0 > 0 ? (rule, severity, $0) : nil }
      }
    }
    return Report(
      path: request.path, fileFormat: nil, version: nil, findings: findings.list,
      totals: totals, damage: [], objectCount: 0, nodeCount: 0, byteCount: 0)
  }

  /// The report on a realm that cannot be opened.
  ///
  /// - Throws: the error itself if it is not about damage.
  private func report(on error: RealmFileError) throws(RealmFileError) -> Report {
    var findings = Findings(limit: request.maxFindings)
    if let finding = FileChecks.replacement(for: error, path: request.path) {
      findings.add(finding)
    } else {
      try findings.add(error)
    }
    return report(findings)
  }
}
