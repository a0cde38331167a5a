public import RealmBackup
import RealmStorage

/// Compares all bytes of a backup with their checksums, and checks each realm in it by the rules of
/// `verify`.
public struct BackupVerifyJob: Sendable {
  public struct Report: Sendable {
    public struct Realm: Sendable {
      public enum State: String, Sendable {
        case good, damaged, missing
        /// The bytes match their checksum, but the key to check the realm is missing.
        case bytesGood
      }
      public var path: String
      public var state: State
      /// The error of the realm.
      public var problem: (any Error)?
    }

    public var manifest: BackupManifest
    /// In the order of the manifest.
    public var realms: [Realm]
    /// The error of the archive as a whole.
    public var problem: (any Error)?

    /// Whether everything is good.
    public var isGood: Bool {
      problem == nil && realms.allSatisfy { $0.state == .good || $0.state == .bytesGood }
    }
  }

  private let path: String
  private let jobs: Int

  /// - Parameters:
  ///   - path: `-` for standard input.
  ///   - jobs: number of threads.
  public init(path: String, jobs: Int = 1) { (self.path, self.jobs) = (path, jobs) }

  /// - Throws: `unreadable`, `hostile`, `newerFormat`, `unsupported`, `notABackup`; the errors of
  ///   temporary files and keys.
  public func run(
    keys: some RealmKeySource, progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let walk = try BackupWalk(path: path)
    var withoutKey: Set<String> = []
    let result: BackupWalk.Result
    do {
      result = try walk.run { (realm) in
        try Resources.checkTemporarySpace(realm.size)
        return try OutputFile(unlinkedBy: .system)
      } finished: { (realm, file) in
        if try !check(file.descriptor, realm, keys) { withoutKey.insert(realm.path) }
      } progress: {
        progress($0, $1)
      }
    } catch {
      throw error.adding(path: path)
    }
    let realms = walk.manifest.realms.map { realm in
      switch result.outcome(of: realm) {
      case .good, .passedOver:
        Report.Realm(
          path: realm.path, state: withoutKey.contains(realm.path) ? .bytesGood : .good,
          problem: nil)
      case .damaged(let error):
        Report.Realm(path: realm.path, state: .damaged, problem: error)
      case .missing: Report.Realm(path: realm.path, state: .missing, problem: nil)
      }
    }
    return Report(
      manifest: walk.manifest, realms: realms, problem: result.problem?.adding(path: path))
  }

  /// - Returns: false if the key to open the realm is missing.
  private func check(
    _ file: FileDescriptor, _ realm: BackupManifest.Realm, _ keys: some RealmKeySource
  ) throws -> Bool {
    do {
      try keys.open(realm.path) { (key) in
        try VerifyJob.requireNoErrors(in: file, key: key, jobs: jobs)
      }
      return true
    } catch {
      if case .keyMissing? = error.fileKind { return false }
      throw error.with(path: realm.path)
    }
  }
}
