package import RealmStorage

/// Reads a backup once, from the first member to the last, and trusts none of its content.
///
/// Invariant 1: of a member, at most as many bytes are read as the manifest says; of a manifest, at most
/// ``BackupManifest/byteCountLimit``.
/// Invariant 2: a member that is not a regular file, or whose name is not a path inside a folder, ends
/// the walk.
package struct BackupWalk {
  /// The result for a realm.
  package enum Outcome {
    /// Its bytes match the checksum.
    case good
    /// The bytes do not match the checksum, or the realm has errors.
    case damaged(any Error)
    case missing
    /// The realm was not requested; its bytes match the checksum.
    case passedOver
  }

  package struct Result {
    /// The outcome of each realm, by its path.
    var outcomes: [String: Outcome]
    /// The error of the archive as a whole; nil if it is complete.
    package var problem: (any Error)?

    package func outcome(of realm: BackupManifest.Realm) -> Outcome {
      outcomes[realm.path] ?? .missing
    }
  }

  package let manifest: BackupManifest
  private let manifestBytes: [UInt8]
  private let reader: ArchiveReader

  /// Opens the archive at `path`, `-` for standard input, and reads its manifest.
  ///
  /// - Throws: `unreadable`, `notABackup`, `damaged`, `hostile`, `unsupported`; with the path.
  package init(path: String) throws {
    do {
      reader = try ArchiveReader(path: path)
      guard let member = try reader.next() else {
        throw ArchiveError(.notABackup("the archive is empty"))
      }
      try BackupWalk.check(member)
      guard member.name == BackupManifest.memberName else {
        throw ArchiveError(.notABackup("its first member is not \(BackupManifest.memberName)"))
      }
      guard let bytes = try reader.readAll(limit: BackupManifest.byteCountLimit) else {
        throw ArchiveError(
          .hostile("its manifest has more than \(BackupManifest.byteCountLimit) bytes"))
      }
      manifestBytes = bytes
      do throws(ArchiveError) {
        manifest = try BackupManifest(bytes: bytes)
      } catch {
        // Either the format is newer, or a byte was changed: the checksum decides.
        if case .newerFormat = error.kind { try BackupWalk.findChecksum(of: bytes, reader) }
        throw error
      }
    } catch {
      throw error.adding(path: path)
    }
  }

  /// - Throws: `damaged` if the archive has no checksum that matches the manifest.
  private static func findChecksum(
    of manifest: [UInt8], _ reader: ArchiveReader
  ) throws {
    let expected = try BackupManifest.checksum(of: manifest)
    while let member = try reader.next() {
      guard member.name == BackupManifest.checksumName else { continue }
      if try reader.readAll(limit: expected.count) == expected { return }
    }
    throw ArchiveError(.damaged("the checksum of the manifest does not match"))
  }

  /// Accepts only regular files with names inside a folder.
  private static func check(_ member: ArchiveReader.Member) throws {
    guard let name = member.name else {
      throw ArchiveError(.hostile("the name of a member is not UTF-8"))
    }
    guard member.isFile else {
      throw ArchiveError(.hostile("\(name) is not a regular file"))
    }
    if name != BackupManifest.memberName, name != BackupManifest.checksumName {
      _ = try BackupPath.parts(of: name)
    }
  }

  /// Reads all members after the manifest.
  ///
  /// - Parameters:
  ///   - sink: creates the file for the bytes of a realm; nil if the realm is not requested.
  ///   - finished: receives each requested realm with intact bytes, and its file. An error that it throws
  ///     is the outcome of the realm, except `inputOutput`.
  ///   - progress: receives the number of bytes done and the total.
  /// - Throws: `hostile`, `inputOutput`; the errors of `sink` and of writing to it.
  package func run(
    sink: (BackupManifest.Realm) throws -> OutputFile?,
    finished: (BackupManifest.Realm, OutputFile) throws -> Void,
    progress: (Int, Int) -> Void
  ) throws -> Result {
    var result = Result(outcomes: [:], problem: nil)
    let total = manifest.byteCount
    var (done, isComplete) = (0, false)
    let realms = Dictionary(
      manifest.realms.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var current: String?
    do {
      while let member = try reader.next() {
        try BackupWalk.check(member)
        guard let name = member.name, !isComplete else {
          throw ArchiveError(.damaged("there are members after the checksum"))
        }
        if name == BackupManifest.checksumName {
          let expected = try BackupManifest.checksum(of: manifestBytes)
          guard try reader.readAll(limit: expected.count) == expected else {
            throw ArchiveError(.damaged("the checksum of the manifest does not match"))
          }
          isComplete = true
          continue
        }
        guard let realm = realms[name], result.outcomes[name] == nil else {
          throw ArchiveError(.damaged("\(name) is not in the manifest, or is in the archive twice"))
        }
        if let size = member.size, size != realm.size {
          result.outcomes[name] = .damaged(
            ArchiveError(.damaged("\(name) has \(size) bytes, expected \(realm.size)")))
          continue
        }
        current = name
        result.outcomes[name] = try read(realm, sink, finished) { progress(done + $0, total) }
        current = nil
        done += realm.size
      }
      if !isComplete { throw ArchiveError(.damaged("the end of the archive is missing")) }
    } catch let error as ArchiveError {
      guard case .damaged = error.kind else { throw error }
      if let current { result.outcomes[current] = .damaged(error) }
      result.problem = error
    }
    return result
  }

  private func read(
    _ realm: BackupManifest.Realm,
    _ sink: (BackupManifest.Realm) throws -> OutputFile?,
    _ finished: (BackupManifest.Realm, OutputFile) throws -> Void,
    progress: (Int) -> Void
  ) throws -> Outcome {
    let file = try sink(realm)
    let digest = try SHA256()
    let count = try reader.read(limit: realm.size, digest: digest, into: file, progress: progress)
    guard count <= realm.size else {
      throw ArchiveError(.hostile("\(realm.path) has more bytes than the manifest says"))
    }
    guard count == realm.size, try digest.finish() == realm.sha256 else {
      return .damaged(
        ArchiveError(.damaged("the checksum of \(realm.path) does not match the manifest")))
    }
    guard let file else { return .passedOver }
    do {
      try finished(realm, file)
      return .good
    } catch {
      if case .inputOutput? = error.fileKind { throw error }
      return .damaged(error)
    }
  }
}
