public import RealmStorage

/// Where a job writes its realm.
public enum RealmDestination: Sendable {
  /// Replaces the realm that is read, which must not be in use.
  case inPlace(backup: Bool)
  /// To a file, which must not be in use. With `replacing`, an existing file is replaced.
  case file(String, replacing: Bool)
  /// To standard output or another stream, in streaming form.
  case stream(any OutputSink & Sendable)
}

/// What a job did that writes a realm, or would do in a dry run.
public struct RewriteReport: Sendable {
  /// The realm that was read.
  public var path: String
  /// Path of the result; nil for a stream.
  public var output: String?
  /// Bytes of the file that was read.
  public var bytesBefore: Int
  /// Bytes of the result.
  public var bytesAfter: Int
  /// Path of the original, if it was kept.
  public var backup: String?
  public var isDryRun: Bool
}

/// Writes a realm from the nodes of another one. Compaction, encryption, conversion and copying use it.
///
/// Invariant 1: the realm that is read does not change until the result is complete and synced; then it
/// is replaced in one step.
/// Invariant 2: the result holds one version, proven before it appears.
/// Invariant 3: after a failure there is no new file, except a lock file.
struct RealmRewrite {
  /// How the result differs from a plain copy, and the report on it.
  struct Plan<Report> {
    var top: FileBuilder.Top
    var edits = NodeEdits()
    /// Makes the report of the job from what was done.
    var report: (RewriteReport) -> Report
  }

  let path: String
  /// Which of the two versions that the file names is read.
  let version: Snapshot.Version
  /// Key of the realm that is read.
  let key: RealmKey?
  /// Key of the result.
  let newKey: RealmKey?
  /// Name of the command, for the name of a backup.
  let command: String
  let destination: RealmDestination
  let isDryRun: Bool
  let operations: FileOperations

  /// Reads, writes and publishes.
  ///
  /// - Parameters:
  ///   - plan: makes the plan from the version that is read; called again if another version must be read.
  ///   - progress: gets the bytes done and the total.
  /// - Throws: what `plan` throws; `inUse`; the errors of reading and writing, with a path.
  func run<Report>(
    plan: (Snapshot) throws(JobError) -> Plan<Report>,
    progress: @escaping (Int, Int) -> Void
  ) throws(JobError) -> Report {
    // If the realm cannot be read with this key, nothing is locked or created.
    let access: Snapshot.Access = isDryRun || !isInPlace ? .whole : .brief
    let first = try snapshot(access)
    if isDryRun { return try dryRun(first, try plan(first), progress) }
    switch destination {
    case .inPlace(let backup):
      return try inPlace(backup: backup, plan, progress)
    case .file(let output, let replacing):
      let lock = try inJob(TargetLock.take(output, operations))
      defer { withExtendedLifetime(lock) {} }
      if OutputFile.isStream(output) {
        let sink = try inJob(
          OutputFile(path: output, replacing: replacing, operations: operations))
        return try stream(first, into: sink, output: output, plan, progress)
      }
      return try repeating(first) { (snapshot) throws(JobError) in
        let plan = try plan(snapshot)
        let file = try inJob(
          OutputFile(
            path: output, replacing: replacing, isPrivate: isPrivate, operations: operations))
        let size = try inJob(build(snapshot, plan, into: .file(file), progress))
        try inJob(snapshot.prove())
        try inJob(file.publish())
        return plan.report(report(snapshot, size, output: output))
      }
    case .stream(let sink):
      return try stream(first, into: sink, output: nil, plan, progress)
    }
  }

  private func snapshot(_ access: Snapshot.Access) throws(JobError) -> Snapshot {
    try inJob(Snapshot(path: path, key: key, version: version, access: access))
  }

  /// Output to a stream cannot be taken back, so the version is proven first.
  private func stream<Report>(
    _ first: Snapshot, into sink: any OutputSink, output: String?,
    _ plan: (Snapshot) throws(JobError) -> Plan<Report>,
    _ progress: @escaping (Int, Int) -> Void
  ) throws(JobError) -> Report {
    let snapshot =
      first.isCopy ? first : try snapshot(.copied)
    let plan = try plan(snapshot)
    let size = try inJob(build(snapshot, plan, into: .stream(sink), progress))
    try inJob(sink.publish())
    return plan.report(report(snapshot, size, output: output))
  }

  private var isInPlace: Bool {
    if case .inPlace = destination { return true }
    return false
  }

  /// Reads from `first`; if that changed meanwhile, reads again from a copy, which cannot change.
  private func repeating<Report>(
    _ first: Snapshot, _ body: (Snapshot) throws(JobError) -> Report
  ) throws(JobError) -> Report {
    do throws(JobError) {
      return try body(first)
    } catch {
      guard error.fileKind == .changedWhileReading else { throw error }
    }
    return try body(try snapshot(.copied))
  }

  private func inPlace<Report>(
    backup: Bool, _ plan: (Snapshot) throws(JobError) -> Plan<Report>,
    _ progress: @escaping (Int, Int) -> Void
  ) throws(JobError) -> Report {
    let lock = try inJob(RealmLock(realm: path, operations: operations))
    defer { withExtendedLifetime(lock) {} }
    let snapshot = try snapshot(.exclusive)
    let plan = try plan(snapshot)
    let file = try inJob(OutputFile(path: path, replacing: true, operations: operations))
    let size = try inJob(build(snapshot, plan, into: .file(file), progress))
    try inJob(snapshot.prove())
    let kept = backup ? try inJob(RealmBackup.make(of: path, command: command, operations)) : nil
    do throws(JobError) {
      try inJob(file.publish())
    } catch {
      // If the file was renamed already, it stays; only the sync of the folder failed.
      if let kept, file.isFile { RealmBackup.remove(kept) }
      throw error
    }
    return plan.report(report(snapshot, size, output: path, backup: kept))
  }

  private func dryRun<Report>(
    _ snapshot: Snapshot, _ plan: Plan<Report>, _ progress: @escaping (Int, Int) -> Void
  ) throws(JobError) -> Report {
    var output: String?
    var backup: String?
    switch destination {
    case .inPlace(let keepsBackup):
      try inJob(RealmUse.checkIsFree(path))
      output = path
      if keepsBackup { backup = RealmBackup.name(of: path, command: command) }
    case .file(let target, let replacing):
      try inJob(RealmUse.checkIsFree(target))
      guard replacing || !OutputFile.exists(target) else {
        throw .file(RealmFileError(.outputExists, path: target))
      }
      output = target
    case .stream: break
    }
    let size = try inJob(build(snapshot, plan, into: .nowhere, progress))
    try inJob(snapshot.prove())
    return plan.report(report(snapshot, size, output: output, backup: backup))
  }

  private func build<Report>(
    _ snapshot: Snapshot, _ plan: Plan<Report>, into destination: RealmOutput.Destination,
    _ progress: @escaping (Int, Int) -> Void
  ) throws(RealmFileError) -> Int {
    let output = try RealmOutput(destination, key: newKey)
    let total = snapshot.top.logicalSize
    do throws(RealmFileError) {
      return try FileBuilder(snapshot, top: plan.top, edits: plan.edits, into: output).write {
        progress($0, total)
      }
    } catch {
      // What looks like damage may be a realm that another process changed or cut.
      if error.path.isEmpty { try snapshot.prove() }
      throw error.adding(path: path)
    }
  }

  private func report(
    _ snapshot: Snapshot, _ size: Int, output: String?, backup: String? = nil
  ) -> RewriteReport {
    RewriteReport(
      path: path, output: output, bytesBefore: snapshot.fileByteCount, bytesAfter: size,
      backup: backup, isDryRun: isDryRun)
  }

  /// A copy is not readable by more users than the original.
  private var isPrivate: Bool { key != nil || newKey != nil || OutputFile.isPrivate(path) }
}
