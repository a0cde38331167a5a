public import RealmBackup
import RealmCompare
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
    /// Whether the content of the realm in the backup equals that of the given one; nil if none was given.
    public var equalsGiven: Bool?
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
  private let given: String?
  private let jobs: Int

  /// - Parameters:
  ///   - path: `-` for standard input.
  ///   - given: path of a realm whose content is compared with the realm of the same name in the backup, or with the
  ///     only one.
  ///   - jobs: number of threads.
  public init(path: String, against given: String? = nil, jobs: Int = 1) {
    (self.path, self.given, self.jobs) = (path, given, jobs)
  }

  /// - Throws: `unreadable`, `hostile`, `newerFormat`, `unsupported`, `notABackup`; `noSuchRealm`,
  ///   `severalRealms` if the backup has not one realm to compare with the given one; the errors of reading that one, of
  ///   temporary files and keys.
  public func run(
    keys: some RealmKeySource, progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let walk = try BackupWalk(path: path)
    let equalsGiven = try given.map { try equals($0, in: walk.manifest, keys) }
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
      manifest: walk.manifest, equalsGiven: equalsGiven, realms: realms,
      problem: result.problem?.adding(path: path))
  }

  /// Whether the realm at `given` has the content that the manifest states.
  private func equals(
    _ given: String, in manifest: BackupManifest, _ keys: some RealmKeySource
  ) throws -> Bool {
    let name = given.split(separator: "/").last.map(String.init) ?? given
    let named = manifest.realms.filter { $0.path == name || $0.path.hasSuffix("/" + name) }
    let candidates = manifest.realms.count == 1 ? manifest.realms : named
    guard let realm = candidates.first else { throw ArchiveError(.noSuchRealm(name), path: path) }
    guard candidates.count == 1 else {
      throw ArchiveError(.severalRealms(candidates.count), path: path)
    }
    guard let stated = realm.contentHash else {
      throw ArchiveError(
        .unsupported("the backup has no digest of the content of \(realm.path)"), path: path)
    }
    let hash = try keys.open(given) { key in
      var request = HashJob.Request(path: given)
      (request.key, request.jobs) = (key, jobs)
      return try HashJob(request).run().hash
    }
    return hash.all == stated
  }

  /// - Returns: false if the key to open the realm is missing.
  private func check(
    _ file: FileDescriptor, _ realm: BackupManifest.Realm, _ keys: some RealmKeySource
  ) throws -> Bool {
    do {
      try keys.open(realm.path) { (key) in
        try VerifyJob.requireNoErrors(in: VerifyJob.openToCheck(file, key: key), jobs: jobs)
      }
      return true
    } catch {
      if case .keyMissing? = error.fileKind { return false }
      throw error.with(path: realm.path)
    }
  }
}
