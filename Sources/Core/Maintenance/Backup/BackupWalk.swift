import RealmStorage

/// Reads a backup once, from its first member to its last, and believes nothing that it says.
///
/// Invariant 1: not more bytes are read of a member than the manifest says, and of a manifest not more
/// than `byteCountLimit`.
/// Invariant 2: a member that is no regular file, or whose name leads out of a folder, ends the walk.
struct BackupWalk {
  /// What became of a realm.
  enum Outcome: Equatable {
    /// Its bytes are those of its checksum.
    case good
    /// They are not, and why.
    case damaged(JobError)
    case missing
    /// It is not wanted.
    case passedOver
  }

  struct Result {
    /// Of each realm by its path.
    var outcomes: [String: Outcome]
    /// What is wrong with the archive as a whole: nil where it is complete.
    var problem: JobError?

    func outcome(of realm: BackupManifest.Realm) -> Outcome { outcomes[realm.path] ?? .missing }
  }

  let manifest: BackupManifest
  private let manifestBytes: [UInt8]
  private let reader: ArchiveReader

  /// Opens the archive at `path`, `-` for standard input, and reads its manifest.
  ///
  /// - Throws: `unreadable`, `notABackup`, `damaged`, `hostile`, `unsupported`; with the
  ///   path.
  init(path: String) throws(JobError) {
    do throws(JobError) {
      reader = try ArchiveReader(path: path)
      guard let member = try reader.next() else {
        throw .archive(ArchiveError(.notABackup("the archive is empty")))
      }
      try BackupWalk.check(member)
      guard member.name == BackupManifest.memberName else {
        throw .archive(
          ArchiveError(.notABackup("its first member is no \(BackupManifest.memberName)")))
      }
      guard let bytes = try reader.readAll(limit: BackupManifest.byteCountLimit) else {
        throw .archive(ArchiveError(.hostile("its manifest has no end")))
      }
      manifestBytes = bytes
      do throws(ArchiveError) {
        manifest = try BackupManifest(bytes: bytes)
      } catch {
        // A later version, or a byte that is not the one that was written.
        if case .newerFormat = error.kind { try BackupWalk.findChecksum(of: bytes, reader) }
        throw .archive(error)
      }
    } catch {
      throw error.adding(path: path)
    }
  }

  /// - Throws: `damaged` where the archive has no checksum that fits the manifest.
  private static func findChecksum(
    of manifest: [UInt8], _ reader: ArchiveReader
  ) throws(JobError) {
    let expected = try inJob(BackupManifest.checksum(of: manifest))
    while let member = try reader.next() {
      guard member.name == BackupManifest.checksumName else { continue }
      if try reader.readAll(limit: expected.count) == expected { return }
    }
    throw .archive(ArchiveError(.damaged("the manifest has not the checksum it was made with")))
  }

  /// Nothing but regular files with names inside a folder.
  private static func check(_ member: ArchiveReader.Member) throws(JobError) {
    guard let name = member.name else {
      throw .archive(ArchiveError(.hostile("the name of a member is no text")))
    }
    guard member.isFile else {
      throw .archive(ArchiveError(.hostile("\(name) is no regular file")))
    }
    if name != BackupManifest.memberName, name != BackupManifest.checksumName {
      _ = try parts(of: name)
    }
  }

  /// The components of the name of a realm.
  ///
  /// - Throws: `hostile`, as ``BackupPath/parts(of:)``.
  static func parts(of name: String) throws(JobError) -> [String] {
    do throws(ArchiveError) {
      return try BackupPath.parts(of: name)
    } catch {
      throw .archive(error)
    }
  }

  /// Reads the members behind the manifest.
  ///
  /// - Parameters:
  ///   - sink: where the bytes of a realm go; nil where it is not wanted.
  ///   - finished: told each realm whose bytes are good, with what `sink` made for it; an error about
  ///     damage counts for that realm.
  ///   - progress: told bytes done and in all.
  /// - Throws: `hostile`; the errors of `sink` and of writing to it.
  func run(
    sink: (BackupManifest.Realm) throws(JobError) -> OutputFile?,
    finished: (BackupManifest.Realm, OutputFile) throws(JobError) -> Void,
    progress: (Int, Int) -> Void
  ) throws(JobError) -> Result {
    var result = Result(outcomes: [:], problem: nil)
    let total = manifest.byteCount
    var (done, isComplete) = (0, false)
    let realms = Dictionary(
      manifest.realms.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var current: String?
    do throws(JobError) {
      while let member = try reader.next() {
        try BackupWalk.check(member)
        guard let name = member.name, !isComplete else {
          throw .archive(ArchiveError(.damaged("there are members behind the last one")))
        }
        if name == BackupManifest.checksumName {
          let expected = try inJob(BackupManifest.checksum(of: manifestBytes))
          guard try reader.readAll(limit: expected.count) == expected else {
            throw .archive(
              ArchiveError(.damaged("the manifest has not the checksum it was made with")))
          }
          isComplete = true
          continue
        }
        guard let realm = realms[name], result.outcomes[name] == nil else {
          throw .archive(ArchiveError(.damaged("\(name) is in it and not in its manifest")))
        }
        if let size = member.size, size != realm.size {
          result.outcomes[name] = .damaged(
            .archive(
              ArchiveError(.damaged("\(name) has \(size) bytes and not \(realm.size)"))))
          continue
        }
        current = name
        result.outcomes[name] = try read(realm, sink, finished) { progress(done + $0, total) }
        current = nil
        done += realm.size
      }
      if !isComplete { throw .archive(ArchiveError(.damaged("its end is missing"))) }
    } catch {
      guard case .archive(let archive) = error, case .damaged = archive.kind else { throw error }
      if let current { result.outcomes[current] = .damaged(error) }
      result.problem = error
    }
    return result
  }

  private func read(
    _ realm: BackupManifest.Realm,
    _ sink: (BackupManifest.Realm) throws(JobError) -> OutputFile?,
    _ finished: (BackupManifest.Realm, OutputFile) throws(JobError) -> Void,
    progress: (Int) -> Void
  ) throws(JobError) -> Outcome {
    let file = try sink(realm)
    let digest = try inJob(SHA256())
    let count = try reader.read(limit: realm.size, digest: digest, into: file, progress: progress)
    guard count <= realm.size else {
      throw .archive(ArchiveError(.hostile("\(realm.path) has more bytes than the manifest says")))
    }
    guard count == realm.size, try inJob(digest.finish()) == realm.sha256 else {
      return .damaged(
        .archive(ArchiveError(.damaged("\(realm.path) has not the checksum of the manifest"))))
    }
    guard let file else { return .passedOver }
    do throws(JobError) {
      try finished(realm, file)
      return .good
    } catch {
      if case .inputOutput? = error.fileKind { throw error }
      return .damaged(error)
    }
  }
}
