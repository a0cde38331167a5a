public import RealmStorage
public import RealmVerify

/// Checks a realm against every rule of the file format that can be checked. Continues after findings, and
/// terminates on any bytes.
public struct VerifyJob: Sendable {
  /// What to check.
  public struct Request: Sendable {
    public var path: String
    public var key: RealmKey?
    public var version: Snapshot.Version
    /// Whether to check only that every node is reachable and complete, not its content.
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

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// - Parameter progress: receives the number of pieces done and the total, on any thread.
  /// - Returns: a report with findings, even if the realm cannot be opened because it is damaged.
  /// - Throws: the other errors of opening a realm; `noSuchClass`; `changedWhileReading`.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> VerifyReport {
    let snapshot: Snapshot
    do throws(RealmFileError) {
      snapshot = try Snapshot(
        path: request.path, key: request.key, version: request.version,
        cacheByteCount: request.cacheByteCount)
    } catch {
      return try VerifyReport(on: error, path: request.path, limit: request.maxFindings)
    }
    return try run(on: snapshot, progress: progress)
  }

  /// Checks a snapshot that was opened as the request says.
  private func run(
    on snapshot: Snapshot, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> VerifyReport {
    do {
      let context = try VerifyContext(
        snapshot, version: request.version, classes: request.classes,
        limit: request.maxFindings)
      for name in request.classes ?? [] where !context.classNames.values.contains(name) {
        throw RequestError(.noSuchClass(name), path: request.path)
      }
      var report = try Verification(context, isQuick: request.isQuick, now: request.now)
        .run(path: request.path, jobs: request.jobs, progress: progress)
      try snapshot.prove()
      if report.count(.error) > 0, let change = try TextChange(in: snapshot.descriptor) {
        report.add(change)
      }
      return report
    } catch {
      guard error.fileKind != nil else { throw error }
      // Another process may have changed or truncated the file meanwhile, and so caused the error.
      try snapshot.prove()
      throw error.adding(path: request.path)
    }
  }

  /// Opens the realm in `file`, which is for a backup or from one and which no other process changes.
  ///
  /// - Throws: `damaged` with the first broken rule; the other errors of opening a realm.
  static func openToCheck(_ file: FileDescriptor, key: RealmKey?) throws -> Snapshot {
    do throws(RealmFileError) {
      return try Snapshot(path: file.path, key: key, access: .exclusive)
    } catch {
      try VerifyReport(on: error, path: file.path, limit: 1).requireNoErrors()
      throw error
    }
  }

  /// Checks that a realm from ``openToCheck(_:key:)`` has no errors.
  ///
  /// - Throws: `damaged` with the first broken rule.
  static func requireNoErrors(in snapshot: Snapshot, jobs: Int) throws {
    let request = Request(path: snapshot.path, maxFindings: 1, jobs: jobs)
    try VerifyJob(request).run(on: snapshot) { _, _ in }.requireNoErrors()
  }
}

extension VerifyReport {
  /// - Throws: `damaged` with the first broken rule.
  fileprivate func requireNoErrors() throws(RealmFileError) {
    guard count(.error) > 0, let finding = findings.first else { return }
    throw RealmFileError(
      .damaged(finding.rule), offset: finding.offset, className: finding.className,
      property: finding.property, objectKey: finding.objectKey, detail: finding.message)
  }
}
