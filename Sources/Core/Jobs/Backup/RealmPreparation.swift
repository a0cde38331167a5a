import RealmBackup
import RealmCompare
import RealmModel
import RealmStorage
import RealmSync
import Synchronization

/// Makes the copy of a realm for a backup: a checked file without a name, with one version of the realm.
struct RealmPreparation {
  /// A copy and its entry in the manifest.
  struct Prepared {
    var file: FileDescriptor
    var entry: BackupManifest.Realm
    /// Permissions and time of the entry.
    var attributes: FileAttributes
  }

  /// Whether to copy the file unchanged, with its free space.
  let isRaw: Bool
  /// Whether to check the copy by the rules of `verify`.
  let verifies: Bool
  /// Number of threads.
  let jobs: Int
  let operations: FileOperations

  /// - Parameter name: name of the member.
  /// - Throws: `inUse` for an encrypted realm without key that is open; `damaged` if the copy has
  ///   errors; the errors of reading a realm and of writing a temporary file. All errors have the path.
  func prepare(_ path: String, name: String, keys: some RealmKeySource) throws -> Prepared {
    let attributes = try FileAttributes(ofFileAt: path)
    do {
      let opened: Opened
      do {
        opened = try keys.open(path) { (key) in
          try Opened(
            snapshot: Snapshot(path: path, key: key, access: isRaw ? .copied : .whole), key: key)
        }
      } catch {
        guard case .keyMissing? = error.fileKind else { throw error }
        let file = try lockedCopy(of: path)
        return Prepared(
          file: file, entry: try entry(file, name: name, attributes), attributes: attributes)
      }
      let file = isRaw ? opened.snapshot.descriptor : try compactedCopy(opened)
      return try check(file, opened.key, name: name, attributes)
    } catch {
      // The user does not know the path of a copy.
      throw error.path.hasPrefix("/dev/fd/") ? error.with(path: path) : error.adding(path: path)
    }
  }

  private struct Opened {
    var snapshot: Snapshot
    var key: RealmKey?
  }

  private func compactedCopy(_ opened: Opened) throws(RealmFileError) -> FileDescriptor {
    do throws(RealmFileError) {
      return try build(opened.snapshot, opened.key)
    } catch {
      guard error.kind == .changedWhileReading else { throw error }
    }
    let copy = try Snapshot(path: opened.snapshot.path, key: opened.key, access: .copied)
    return try build(copy, opened.key)
  }

  private func build(
    _ snapshot: Snapshot, _ key: RealmKey?
  ) throws(RealmFileError) -> FileDescriptor {
    let file = try OutputFile(unlinkedBy: operations)
    do throws(RealmFileError) {
      let output = try RealmOutput(.file(file), key: key)
      _ = try FileBuilder(
        snapshot, top: FileBuilder.Top(openableCopyOf: snapshot), edits: NodeEdits(), into: output
      ).write { _ in }
    } catch {
      // What looks like damage may be a change by another process.
      if error.path.isEmpty { try snapshot.prove() }
      throw error
    }
    try snapshot.prove()
    return file.descriptor
  }

  /// Checks a copy, and makes its manifest entry. The checks, the checksum and the digest of the content read the copy
  /// at the same time.
  ///
  /// - Throws: the first error in the order of the steps, whatever the number of threads.
  private func check(
    _ file: FileDescriptor, _ key: RealmKey?, name: String, _ attributes: FileAttributes
  ) throws -> Prepared {
    let snapshot =
      verifies
      ? try VerifyJob.openToCheck(file, key: key)
      : try Snapshot(path: file.path, key: key, access: .exclusive)
    let found = Mutex<(entry: BackupManifest.Realm?, contentHash: String?)>((nil, nil))
    let facts: @Sendable () throws -> Void = {
      let entry = try self.entry(file, of: snapshot, name: name, attributes)
      found.withLock { $0.entry = entry }
    }
    let contentHash: @Sendable () throws -> Void = {
      let hash = try HashJob.hash(
        of: ReadableRealm(snapshot), jobs: jobs, memoryByteCount: Snapshot.usualCacheByteCount)
      found.withLock { $0.contentHash = hash.all }
    }
    // A realm that was not checked may be damaged, and has no digest of its content.
    if verifies {
      let steps: [@Sendable () throws -> Void] = [
        { try VerifyJob.requireNoErrors(in: snapshot, jobs: jobs) }, facts, contentHash,
      ]
      try OrderedParts<Void, any Error>(count: steps.count, jobs: jobs) { _, _ in }
        .run {
          ()
        } _: { (_, step) in
          try steps[step]()
        }
    }
    let (made, hash) = found.withLock { $0 }
    var entry = try made ?? entry(file, of: snapshot, name: name, attributes)
    entry.contentHash = hash
    return Prepared(file: file, entry: entry, attributes: attributes)
  }

  /// The manifest entry for a copy, read from the copy, except for the digest of the content.
  private func entry(
    _ file: FileDescriptor, of snapshot: Snapshot, name: String, _ attributes: FileAttributes
  ) throws -> BackupManifest.Realm {
    let realm = try ReadableRealm(snapshot)
    var objects: [String: Int] = [:]
    for position in realm.schema.appClasses {
      objects[realm.schema.classes[position].name.text] = realm.objectCount(position)
    }
    var entry = try entry(file, name: name, attributes)
    entry.fileFormat = snapshot.format
    entry.version = snapshot.top.version
    entry.schemaVersion = try realm.schemaVersion()
    entry.synced = try HistoryKind(of: snapshot.top) == .syncClient
    entry.objects = objects
    entry.encrypted = snapshot.isEncrypted
    entry.verified = verifies ? .done : .skipped
    entry.raw = isRaw
    return entry
  }

  /// The manifest entry with what is known without the key.
  private func entry(
    _ file: FileDescriptor, name: String, _ attributes: FileAttributes
  ) throws -> BackupManifest.Realm {
    let size = try file.size()
    let digits = String(attributes.mode, radix: 8)
    let time = UTCTime(seconds: attributes.seconds, nanoseconds: attributes.nanoseconds)
    let entry = BackupManifest.Realm(
      path: name, size: size, sha256: try SHA256.digest(of: file, count: size),
      encrypted: true,
      verified: .notPossible, raw: true,
      mode: String(repeating: "0", count: max(0, 4 - digits.count)) + digits, modified: time.text)
    guard entry.attributes != nil else {
      throw ArchiveError(
        .unsupported("the file's time, \(time.text), is outside the years 1 to 9999"),
        path: name)
    }
    return entry
  }

  /// A copy of an encrypted realm without its key. Only the lock guarantees that its bytes are one version.
  private func lockedCopy(of path: String) throws(RealmFileError) -> FileDescriptor {
    let lock = try RealmLock(realm: path, operations: operations)
    defer { withExtendedLifetime(lock) {} }
    let source = try FileDescriptor.openForReading(path)
    let copy = try OutputFile(unlinkedBy: operations)
    var pieces = FilePieces(source)
    while let piece = try pieces.next() { try copy.write(piece) }
    return copy.descriptor
  }
}
