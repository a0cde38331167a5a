public import RealmBackup
package import RealmStorage

/// Restores realms from a backup.
///
/// Invariant 1: no realm appears before the whole archive was read. Without `isPartial`, all checksums match;
/// with it, those of the restored realms.
/// Invariant 2: nothing is written outside the target, and no realm that is open is replaced.
public struct BackupRestoreJob: Sendable {
  /// Where to restore realms.
  public enum Target: Sendable {
    /// At their paths inside a folder, which is created if it does not exist.
    case folder(String)
    /// At this path; for one realm only.
    case file(String)
  }

  public struct Request: Sendable {
    /// `-` for standard input.
    public var archive: String
    public var target: Target
    /// Names of realms, or of folders that contain them; empty for all.
    public var names: [String]
    /// Whether to replace existing realms that are not in use.
    public var replaces: Bool
    /// Whether to restore the intact realms of a damaged archive.
    public var isPartial: Bool
    public var isDryRun: Bool

    public init(
      archive: String, target: Target, names: [String] = [], replaces: Bool = false,
      isPartial: Bool = false, isDryRun: Bool = false
    ) {
      (self.archive, self.target, self.names) = (archive, target, names)
      (self.replaces, self.isPartial, self.isDryRun) = (replaces, isPartial, isDryRun)
    }
  }

  public struct Report: Sendable {
    public struct Realm: Sendable {
      public var entry: BackupManifest.Realm
      /// Path of the restored realm.
      public var output: String
      /// Why the realm was not restored; nil if it was.
      public var problem: (any Error)?
    }
    /// In the order of the manifest.
    public var realms: [Realm]
    /// The error of the archive as a whole; only with `isPartial`.
    public var problem: (any Error)?
    public var isDryRun: Bool
  }

  private let request: Request
  private let operations: FileOperations

  public init(_ request: Request) { self.init(request, operations: .system) }

  /// - Parameter operations: tests replace them to inject faults.
  package init(_ request: Request, operations: FileOperations) {
    (self.request, self.operations) = (request, operations)
    Resources.allowManyFiles()
  }

  /// A realm that is being restored.
  private struct Pending {
    var file: OutputFile
    var lock: RealmLock?
  }

  /// - Throws: `outputExists`, `inUse`, `cannotCreate` with the path of a realm that cannot be
  ///   restored; `noSuchRealm`, `severalRealms`; `damaged`, `hostile`, and the other errors of
  ///   reading a backup. No realm has appeared then, unless moving a realm to its path failed: that error
  ///   names the realm.
  public func run(
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let walk = try BackupWalk(path: request.archive)
    let outputs: [String: String]
    do {
      outputs = try self.outputs(of: walk.manifest)
    } catch {
      throw error.adding(path: request.archive)
    }
    for output in outputs.values.sorted() { try checkIsFree(output) }
    try checkSpace(walk.manifest.realms.filter { outputs[$0.path] != nil })
    var pending: [String: Pending] = [:]
    let folders = CreatedFolders()
    do {
      let result = try walk.run { (realm) in
        guard let output = outputs[realm.path] else { return nil }
        if request.isDryRun { return try OutputFile(unlinkedBy: operations) }
        return try open(realm, output, &pending, folders)
      } finished: { (_, _) in
      } progress: {
        progress($0, $1)
      }
      let report = try report(walk.manifest, outputs, result)
      for realm in report.realms where realm.problem == nil {
        try pending[realm.entry.path]?.file.publish()
      }
      pending = [:]
      folders.removeEmpty()
      folders.keep()
      return report
    } catch {
      pending = [:]
      folders.removeEmpty()
      throw error.adding(path: request.archive)
    }
  }

  /// The output path of each requested realm, by the path in the archive.
  private func outputs(
    of manifest: BackupManifest
  ) throws -> [String: String] {
    for name in request.names
    where !manifest.realms.contains(where: { BackupRestoreJob.isNamed($0.path, by: name) }) {
      throw ArchiveError(.noSuchRealm(name))
    }
    let wanted = manifest.realms.filter { realm in
      request.names.isEmpty
        || request.names.contains { BackupRestoreJob.isNamed(realm.path, by: $0) }
    }
    switch request.target {
    case .file(let path):
      guard wanted.count == 1 else {
        throw ArchiveError(.severalRealms(wanted.count))
      }
      return [wanted[0].path: path]
    case .folder(let folder):
      let prefix = folder.hasSuffix("/") ? folder : folder + "/"
      return Dictionary(
        wanted.map { ($0.path, prefix + $0.path) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Whether `name` is the name of the realm at `path`, or of a folder that contains it.
  private static func isNamed(_ path: String, by name: String) -> Bool {
    let name = name.hasSuffix("/") ? String(name.dropLast()) : name
    return path == name || path.hasPrefix(name + "/")
  }

  /// - Throws: `outputExists`, `inUse`, `linkInTarget`.
  private func checkIsFree(_ output: String) throws {
    if case .folder = request.target, TargetFolder.isLink(output) {
      throw ArchiveError(.linkInTarget, path: output)
    }
    try RealmUse.checkIsFree(output)
    guard request.replaces || !OutputFile.exists(output) else {
      throw RealmFileError(.outputExists, path: output)
    }
  }

  /// - Throws: `inputOutput` if there is not enough space for the realms.
  private func checkSpace(_ realms: [BackupManifest.Realm]) throws {
    let byteCount = realms.reduce(0) { $0 + $1.size }
    switch request.target {
    case _ where request.isDryRun: try Resources.checkTemporarySpace(byteCount)
    case .folder(let folder): try Resources.checkSpace(byteCount, in: folder)
    case .file(let path): try Resources.checkSpace(byteCount, in: path)
    }
  }

  /// The temporary file for a realm, and the lock of the realm that it replaces.
  private func open(
    _ realm: BackupManifest.Realm, _ output: String, _ pending: inout [String: Pending],
    _ folders: CreatedFolders
  ) throws -> OutputFile {
    if case .folder(let folder) = request.target {
      let parts = try BackupPath.parts(of: realm.path)
      try TargetFolder.make(Array(parts.dropLast()), in: folder, created: folders)
    }
    // A process that opens the realm meanwhile waits for the lock file, which is then empty (chapter 1,
    // section 6.5).
    let isLocked = OutputFile.exists(output) || OutputFile.exists(output + ".lock")
    let lock = isLocked ? try RealmLock(realm: output, operations: operations) : nil
    let file = try OutputFile(
      path: output, replacing: request.replaces, attributes: realm.attributes,
      operations: operations)
    pending[realm.path] = Pending(file: file, lock: lock)
    return file
  }

  private static func missingError(_ realm: BackupManifest.Realm) -> ArchiveError {
    ArchiveError(.damaged("\(realm.path) is missing"))
  }

  private func report(
    _ manifest: BackupManifest, _ outputs: [String: String], _ result: BackupWalk.Result
  ) throws -> Report {
    if !request.isPartial {
      if let problem = result.problem { throw problem }
      for realm in manifest.realms {
        switch result.outcome(of: realm) {
        case .good, .passedOver: break
        case .damaged(let error): throw error
        case .missing: throw BackupRestoreJob.missingError(realm)
        }
      }
    }
    let realms = manifest.realms.compactMap { realm -> Report.Realm? in
      guard let output = outputs[realm.path] else { return nil }
      let problem: (any Error)? =
        switch result.outcome(of: realm) {
        case .good, .passedOver: nil
        case .damaged(let error): error
        case .missing: BackupRestoreJob.missingError(realm)
        }
      return Report.Realm(entry: realm, output: output, problem: problem)
    }
    return Report(realms: realms, problem: result.problem, isDryRun: request.isDryRun)
  }
}
