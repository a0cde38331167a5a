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
    case damaged(RealmFileError)
    case missing
    /// It is not wanted.
    case passedOver
  }

  struct Result {
    /// Of each realm by its path.
    var outcomes: [String: Outcome]
    /// What is wrong with the archive as a whole: nil where it is complete.
    var problem: RealmFileError?

    func outcome(of realm: BackupManifest.Realm) -> Outcome { outcomes[realm.path] ?? .missing }
  }

  let manifest: BackupManifest
  private let manifestBytes: [UInt8]
  private let reader: ArchiveReader

  /// Opens the archive at `path`, `-` for standard input, and reads its manifest.
  ///
  /// - Throws: `unreadable`, `notABackup`, `damagedBackup`, `hostileBackup`, `unsupported`; with the
  ///   path.
  init(path: String) throws(RealmFileError) {
    do throws(RealmFileError) {
      reader = try ArchiveReader(path: path)
      guard let member = try reader.next() else {
        throw RealmFileError(.notABackup("the archive is empty"))
      }
      try BackupWalk.check(member)
      guard member.name == BackupManifest.memberName else {
        throw RealmFileError(.notABackup("its first member is no \(BackupManifest.memberName)"))
      }
      guard let bytes = try reader.readAll(limit: BackupManifest.byteCountLimit) else {
        throw RealmFileError(.hostileBackup("its manifest has no end"))
      }
      manifestBytes = bytes
      do throws(RealmFileError) {
        manifest = try BackupManifest(bytes: bytes)
      } catch {
        // A later version, or a byte that is not the one that was written.
        if case .unsupported = error.kind { try BackupWalk.findChecksum(of: bytes, reader) }
        throw error
      }
    } catch {
      throw error.adding(path: path)
    }
  }

  /// - Throws: `damagedBackup` where the archive has no checksum that fits the manifest.
  private static func findChecksum(
    of manifest: [UInt8], _ reader: ArchiveReader
  ) throws(RealmFileError) {
    let expected = try BackupManifest.checksum(of: manifest)
    while let member = try reader.next() {
      guard member.name == BackupManifest.checksumName else { continue }
      if try reader.readAll(limit: expected.count) == expected { return }
    }
    throw RealmFileError(.damagedBackup("the manifest has not the checksum it was made with"))
  }

  /// Nothing but regular files with names inside a folder.
  private static func check(_ member: ArchiveReader.Member) throws(RealmFileError) {
    guard let name = member.name else {
      throw RealmFileError(.hostileBackup("the name of a member is no text"))
    }
    guard member.isFile else {
      throw RealmFileError(.hostileBackup("\(name) is no regular file"))
    }
    if name != BackupManifest.memberName, name != BackupManifest.checksumName {
      _ = try BackupPath.parts(of: name)
    }
  }

  /// Reads the members behind the manifest.
  ///
  /// - Parameters:
  ///   - sink: where the bytes of a realm go; nil where it is not wanted.
  ///   - finished: told each realm whose bytes are good, with what `sink` made for it; an error about
  ///     damage counts for that realm.
  ///   - progress: told bytes done and in all.
  /// - Throws: `hostileBackup`; the errors of `sink` and of writing to it.
  func run(
    sink: (BackupManifest.Realm) throws(RealmFileError) -> OutputFile?,
    finished: (BackupManifest.Realm, OutputFile) throws(RealmFileError) -> Void,
    progress: (Int, Int) -> Void
  ) throws(RealmFileError) -> Result {
    var result = Result(outcomes: [:], problem: nil)
    let total = manifest.byteCount
    var (done, isComplete) = (0, false)
    let realms = Dictionary(
      manifest.realms.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var current: String?
    do throws(RealmFileError) {
      while let member = try reader.next() {
        try BackupWalk.check(member)
        guard let name = member.name, !isComplete else {
          throw RealmFileError(.damagedBackup("there are members behind the last one"))
        }
        if name == BackupManifest.checksumName {
          let expected = try BackupManifest.checksum(of: manifestBytes)
          guard try reader.readAll(limit: expected.count) == expected else {
            throw RealmFileError(
              .damagedBackup("the manifest has not the checksum it was made with"))
          }
          isComplete = true
          continue
        }
        guard let realm = realms[name], result.outcomes[name] == nil else {
          throw RealmFileError(.damagedBackup("\(name) is in it and not in its manifest"))
        }
        if let size = member.size, size != realm.size {
          result.outcomes[name] = .damaged(
            RealmFileError(.damagedBackup("\(name) has \(size) bytes and not \(realm.size)")))
          continue
        }
        current = name
        result.outcomes[name] = try read(realm, sink, finished) { progress(done + $0, total) }
        current = nil
        done += realm.size
      }
      if !isComplete { throw RealmFileError(.damagedBackup("its end is missing")) }
    } catch {
      guard case .damagedBackup = error.kind else { throw error }
      if let current { result.outcomes[current] = .damaged(error) }
      result.problem = error
    }
    return result
  }

  private func read(
    _ realm: BackupManifest.Realm,
    _ sink: (BackupManifest.Realm) throws(RealmFileError) -> OutputFile?,
    _ finished: (BackupManifest.Realm, OutputFile) throws(RealmFileError) -> Void,
    progress: (Int) -> Void
  ) throws(RealmFileError) -> Outcome {
    let file = try sink(realm)
    let digest = try SHA256()
    let count = try reader.read(limit: realm.size, digest: digest, into: file, progress: progress)
    guard count <= realm.size else {
      throw RealmFileError(.hostileBackup("\(realm.path) has more bytes than the manifest says"))
    }
    guard count == realm.size, try digest.finish() == realm.sha256 else {
      return .damaged(
        RealmFileError(.damagedBackup("\(realm.path) has not the checksum of the manifest")))
    }
    guard let file else { return .passedOver }
    do throws(RealmFileError) {
      try finished(realm, file)
      return .good
    } catch {
      if case .inputOutput = error.kind { throw error }
      return .damaged(error)
    }
  }
}
