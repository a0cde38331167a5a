import RealmBuilding
import RealmModel
public import RealmStorage

/// The destination of a rewritten realm.
public enum RealmDestination: Sendable {
  /// Replaces the source realm, which must not be in use.
  case inPlace(backup: Bool)
  /// A file, which must not be in use. With `replacing`, an existing file is replaced.
  case file(String, replacing: Bool)
  /// Standard output or another stream, in streaming form.
  case stream(any OutputSink & Sendable)
}

/// The result of a job that writes a realm, or of its dry run.
public struct RewriteReport: Sendable {
  /// Path of the source realm.
  public var path: String
  /// Path of the result; nil for a stream.
  public var output: String?
  /// The file format of the source; 0 for a realm without any commit.
  public var formatBefore: Int
  /// The file format of the result.
  public var formatAfter: Int
  /// Size of the source file in bytes.
  public var bytesBefore: Int
  /// Size of the result in bytes.
  public var bytesAfter: Int
  /// Path of the original, if it was kept.
  public var backup: String?
  public var isDryRun: Bool
}

/// Writes a realm from the nodes or from the objects of another one. Used by compaction, encryption,
/// conversion, copying, upgrading and migration.
///
/// Invariant 1: the source realm does not change until the result is complete and synced; then it
/// is replaced in one step.
/// Invariant 2: the result holds one version, which is proven before the result appears.
/// Invariant 3: after a failure there is no new file, except a lock file.
package struct RealmRewrite {
  /// How the result is written, and the report about it.
  struct Plan<Report> {
    enum Road {
      /// A copy of the nodes with some differences, and with another history if there is a maker.
      case nodes(FileBuilder.Top, NodeEdits, HistoryMaker?)
      /// A new realm of the objects.
      case objects(ObjectRebuild)
    }

    let road: Road
    /// Whether making the history can show that the realm must be refused.
    var canRefuse = false
    /// The format of the result; nil for that of the source.
    var format: FileFormat?
    /// Makes the report of the job.
    let report: (RewriteReport) -> Report

    init(
      top: FileBuilder.Top, edits: NodeEdits = NodeEdits(), history: HistoryMaker? = nil,
      report: @escaping (RewriteReport) -> Report
    ) {
      (road, self.report) = (.nodes(top, edits, history), report)
    }

    /// - Parameter format: the format of the result.
    init(
      objects: ObjectRebuild, _ format: FileFormat, report: @escaping (RewriteReport) -> Report
    ) {
      (road, self.format, self.report) = (.objects(objects), format, report)
    }
  }

  let path: String
  /// The version of the source realm to read.
  let version: Snapshot.Version
  /// Key of the source realm.
  let key: RealmKey?
  /// Key of the result.
  let newKey: RealmKey?
  /// Name of the command, for the file name of a backup.
  let command: String
  let destination: RealmDestination
  let isDryRun: Bool
  /// The file format of the result, for jobs that build objects.
  var formats = FormatChoice()
  /// Tests replace them to inject faults.
  package var operations = FileOperations.system

  /// Reads the source, writes the result and publishes it.
  ///
  /// - Parameters:
  ///   - plan: makes the plan for the version that is read; called again if another version must be
  ///     read.
  ///   - progress: receives the number of bytes done and the total.
  /// - Throws: the errors of `plan`; `inUse`; the errors of reading and writing, with a path.
  func run<Report>(
    plan: (Snapshot) throws -> Plan<Report>,
    progress: @escaping (Int, Int) -> Void
  ) throws -> Report {
    // If the realm cannot be read with this key, nothing is locked or created.
    let access: Snapshot.Access = isDryRun || !isInPlace ? .whole : .brief
    let first = try snapshot(access)
    if isDryRun { return try dryRun(first, try plan(first), progress) }
    switch destination {
    case .inPlace(let backup):
      return try inPlace(backup: backup, plan, progress)
    case .file(let output, let replacing):
      let lock = try TargetLock.take(output, operations)
      defer { withExtendedLifetime(lock) {} }
      if OutputFile.isStream(output) {
        let sink = try OutputFile(path: output, replacing: replacing, operations: operations)
        return try stream(first, into: sink, output: output, plan, progress)
      }
      return try repeating(first) { (snapshot) in
        let plan = try plan(snapshot)
        let file = try OutputFile(
          path: output, replacing: replacing, isPrivate: isPrivate, operations: operations)
        let size = try build(snapshot, plan, into: .file(file), progress)
        try snapshot.prove()
        try file.publish()
        return plan.report(report(snapshot, plan, size, output: output))
      }
    case .stream(let sink):
      return try stream(first, into: sink, output: nil, plan, progress)
    }
  }

  /// The options of a result that is built from the objects of `snapshot`.
  ///
  /// - Parameter realm: the realm in `snapshot`; nil for one of formats 2 to 9.
  /// - Throws: `formatNotWritten`, `needsUpgrade`; the errors of reading the realm.
  func building(_ snapshot: Snapshot, _ realm: Realm?) throws -> RealmBuilder.Request {
    try RealmBuilder.Request(
      after: snapshot, realm, try formats.format(for: snapshot, isInPlace: isInPlace))
  }

  /// Copies the realm as it is to a new file, where nothing has to change: the result is there whatever was to be done. In place,
  /// there is nothing to do.
  ///
  /// - Parameter report: makes the report of the job; receives nil if nothing was written.
  /// - Throws: same as ``run(plan:progress:)``.
  func unchanged<Report>(
    progress: @escaping (Int, Int) -> Void, report: @escaping (RewriteReport?) -> Report
  ) throws -> Report {
    guard !isInPlace else { return report(nil) }
    return try run(
      plan: { RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: $0), report: report) },
      progress: progress)
  }

  /// The realm in `snapshot`, to be changed.
  ///
  /// - Parameter jobs: number of threads.
  /// - Throws: as ``ChangedRealm/init(_:_:isInPlace:jobs:)``.
  func changing(_ snapshot: Snapshot, jobs: Int) throws -> ChangedRealm {
    try ChangedRealm(snapshot, formats, isInPlace: isInPlace, jobs: jobs)
  }

  private func snapshot(_ access: Snapshot.Access) throws -> Snapshot {
    try Snapshot(path: path, key: key, version: version, access: access)
  }

  /// Writes to a stream, which cannot be taken back. So before anything is written, the version is proven,
  /// and it is known that the realm is not refused.
  private func stream<Report>(
    _ first: Snapshot, into sink: any OutputSink, output: String?,
    _ plan: (Snapshot) throws -> Plan<Report>,
    _ progress: @escaping (Int, Int) -> Void
  ) throws -> Report {
    let snapshot =
      first.isCopy ? first : try snapshot(.copied)
    let plan = try plan(snapshot)
    if plan.canRefuse { _ = try build(snapshot, plan, into: .nowhere) { _, _ in } }
    let size = try build(snapshot, plan, into: .stream(sink), progress)
    try sink.publish()
    return plan.report(report(snapshot, plan, size, output: output))
  }

  private var isInPlace: Bool {
    if case .inPlace = destination { return true }
    return false
  }

  /// Reads from `first`. If that changed meanwhile, reads again from a copy, which cannot change.
  private func repeating<Report>(
    _ first: Snapshot, _ body: (Snapshot) throws -> Report
  ) throws -> Report {
    do {
      return try body(first)
    } catch {
      guard error.fileKind == .changedWhileReading else { throw error }
    }
    return try body(try snapshot(.copied))
  }

  private func inPlace<Report>(
    backup: Bool, _ plan: (Snapshot) throws -> Plan<Report>,
    _ progress: @escaping (Int, Int) -> Void
  ) throws -> Report {
    let lock = try RealmLock(realm: path, operations: operations)
    defer { withExtendedLifetime(lock) {} }
    let snapshot = try snapshot(.exclusive)
    let plan = try plan(snapshot)
    let file = try OutputFile(
      path: path, replacing: true, isInPlace: true, operations: operations)
    let size = try build(snapshot, plan, into: .file(file), progress)
    try snapshot.prove()
    let kept = backup ? try KeptOriginal.make(of: path, command: command, operations) : nil
    do {
      try file.publish()
    } catch {
      // A file that was renamed already stays; only the sync of the folder failed.
      if let kept, file.isFile { KeptOriginal.remove(kept) }
      throw error
    }
    return plan.report(report(snapshot, plan, size, output: path, backup: kept))
  }

  private func dryRun<Report>(
    _ snapshot: Snapshot, _ plan: Plan<Report>, _ progress: @escaping (Int, Int) -> Void
  ) throws -> Report {
    var output: String?
    var backup: String?
    switch destination {
    case .inPlace(let keepsBackup):
      try RealmUse.checkIsFree(path)
      output = path
      if keepsBackup { backup = KeptOriginal.name(of: path, command: command) }
    case .file(let target, let replacing):
      try RealmUse.checkIsFree(target)
      guard replacing || !OutputFile.exists(target) else {
        throw RealmFileError(.outputExists, path: target)
      }
      output = target
    case .stream: break
    }
    let size = try build(snapshot, plan, into: .nowhere, progress)
    try snapshot.prove()
    return plan.report(report(snapshot, plan, size, output: output, backup: backup))
  }

  private func build<Report>(
    _ snapshot: Snapshot, _ plan: Plan<Report>, into destination: RealmOutput.Destination,
    _ progress: @escaping (Int, Int) -> Void
  ) throws -> Int {
    let output = try RealmOutput(destination, key: newKey)
    do {
      switch plan.road {
      case .nodes(let top, let edits, let history):
        let total = snapshot.top.logicalSize
        return try FileBuilder(snapshot, top: top, edits: edits, history: history, into: output)
          .write {
            progress($0, total)
          }
      case .objects(let rebuild):
        guard let format = plan.format, format.primaryKeys == .hashed else {
          return try rebuild.write(into: output, progress)
        }
        return try HashedKeyRebuild(format: format, key: newKey).write(into: output) {
          try rebuild.write(into: $0, progress)
        }
      }
    } catch {
      // Apparent damage may be a change or truncation by another process.
      if error.path.isEmpty { try snapshot.prove() }
      throw error.adding(path: path)
    }
  }

  private func report<Report>(
    _ snapshot: Snapshot, _ plan: Plan<Report>, _ size: Int, output: String?,
    backup: String? = nil
  ) -> RewriteReport {
    RewriteReport(
      path: path, output: output, formatBefore: snapshot.format,
      formatAfter: (plan.format ?? snapshot.fileFormat).number, bytesBefore: snapshot.fileByteCount,
      bytesAfter: size,
      backup: backup, isDryRun: isDryRun)
  }

  /// Whether only the owner may read the result. No user can read the result who could not read the original.
  private var isPrivate: Bool { key != nil || newKey != nil || OutputFile.isPrivate(path) }
}
