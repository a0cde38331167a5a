/// One version of a realm, opened for reading. The file is never changed.
///
/// A snapshot may be shared between threads.
///
/// Another process may have the realm open and commit meanwhile. The snapshot is either a copy, proven
/// to hold one version when it was opened, or maps the file in place; then everything read belongs to
/// this version only if ``prove()`` returns.
public final class Snapshot: Sendable {
  /// The versions that a file refers to.
  public enum Version: Sendable {
    /// The newest commit.
    case latest
    /// The commit before the newest one, from the other top ref. The next commit may reuse its space, and the
    /// header does not show when that commit begins; so if a process has the realm open, reading the previous
    /// version may end in an error about damage.
    case previous
  }

  /// Whether to read the file in place or a proven copy.
  public enum Access: Sendable {
    /// The file itself if no process has the realm open, otherwise a proven copy.
    case whole
    /// Always the file itself. For reading a few nodes; see
    /// ``withBriefSnapshot(path:key:version:cacheByteCount:_:)``.
    case brief
    /// Always a proven copy.
    case copied
    /// The file itself. The caller holds the lock of the realm, so no other process writes to it.
    case exclusive
  }

  /// The path as the user wrote it.
  public let path: String
  /// Bytes of the file on disk.
  public let fileByteCount: Int
  public let isEncrypted: Bool
  package let header: FileHeader
  package let top: TopArray
  /// The file format of this version.
  public let fileFormat: FileFormat
  /// The number of the file format: 2 to 24, or 0 for a realm without any commit.
  public var format: Int { fileFormat.number }
  /// Whether the format is 2 to 9, in which tables have another layout.
  public var isLegacy: Bool { fileFormat.isLegacy }
  /// Whether the realm was in use when the snapshot was opened.
  public let use: RealmUse.State
  /// Whether the bytes come from a proven copy, which nothing can change.
  public let isCopy: Bool

  /// Whether a process had, or may have had, the realm open when the snapshot was opened.
  public var isInUse: Bool { use != .free }

  /// The open file or copy.
  package let descriptor: FileDescriptor
  private let mapping: MappedFile
  /// The key of an encrypted realm.
  package let key: RealmKey?
  /// The decrypted pages, for all readers; nil for a plain realm.
  private let cache: PageCache?
  /// The stamp of the file before the first read; nil for a copy.
  private let stamp: VersionStamp?

  /// The default size of the cache of decrypted pages, for all readers together: 256 MB.
  public static let usualCacheByteCount = 256_000_000

  /// Opens a version of the realm at `path`.
  ///
  /// - Parameters:
  ///   - key: for an encrypted realm.
  ///   - version: the version to open.
  ///   - access: whether to read the file in place or a copy.
  ///   - cacheByteCount: maximum bytes of decrypted pages that are cached for all readers together, in
  ///     addition to the pages that they need at a time.
  /// - Throws: all errors of chapter 1, section 1.3: empty, not a realm, truncated, wrong key, not
  ///   encrypted, key missing, damaged page or header, old or newer format, unknown history; also
  ///   `noPreviousVersion`, `changedWhileReading`, `shrankWhileReading`, `unreadable`. All errors
  ///   have the path.
  public init(
    path: String, key: RealmKey? = nil, version: Version = .latest, access: Access = .whole,
    cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) {
    let opened: Opened
    do throws(RealmFileError) {
      opened = try Opened(
        path: path, key: key, version: version, access: access, cacheByteCount: cacheByteCount)
    } catch {
      throw error.explained(by: path).adding(path: path)
    }
    (self.path, self.key, isEncrypted) = (path, key, key != nil)
    (fileByteCount, use, isCopy) = (opened.fileByteCount, opened.use, opened.isCopy)
    (descriptor, mapping, stamp) = (opened.descriptor, opened.mapping, opened.stamp)
    cache = opened.cache
    (header, top) = (opened.contents.header, opened.contents.top)
    fileFormat = opened.contents.format
  }

  /// Opens the realm in a file without a name, which nobody else can change.
  ///
  /// - Throws: same as ``init(path:key:version:access:cacheByteCount:)``.
  package init(
    unlinked file: OutputFile, key: RealmKey?,
    cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) {
    let parts: Parts
    do throws(RealmFileError) {
      parts = try Parts(
        file: file.descriptor, key: key, version: .latest, mayChange: false,
        cacheByteCount: cacheByteCount)
    } catch {
      throw error.adding(path: file.path)
    }
    (path, self.key, isEncrypted) = (file.path, key, key != nil)
    (fileByteCount, use, isCopy) = (parts.mapping.count, .free, true)
    (descriptor, mapping, stamp) = (file.descriptor, parts.mapping, nil)
    cache = parts.cache
    (header, top) = (parts.contents.header, parts.contents.top)
    fileFormat = parts.contents.format
  }

  /// Bytes of data in the file: its size, without the metadata pages of an encrypted file.
  package var dataByteCount: Int {
    isEncrypted ? EncryptedLayout.dataByteCount(fileByteCount: fileByteCount) : fileByteCount
  }

  /// A reader for one thread. All of these readers share the decrypted pages of an encrypted realm.
  ///
  /// - Throws: `inputOutput` if there is no memory.
  package func makeReader() throws(RealmFileError) -> NodeReader {
    NodeReader(source: try makeSource(), logicalSize: top.logicalSize)
  }

  /// A reader of the whole file, whatever belongs to the version.
  ///
  /// - Throws: same as ``makeReader()``.
  func makeReaderOfFile() throws(RealmFileError) -> NodeReader {
    let source = try makeSource()
    return NodeReader(source: source, logicalSize: source.count)
  }

  private func makeSource() throws(RealmFileError) -> ByteSource {
    guard let cache else { return ByteSource(mapping: mapping) }
    return ByteSource(pages: try PageView(of: cache))
  }

  /// A reader for one thread that reads each node once. It has its own small cache of decrypted pages, and
  /// decrypts ahead on other threads.
  ///
  /// - Throws: same as ``makeReader()``.
  package func makeReaderOfAll() throws(RealmFileError) -> NodeReader {
    guard let cache else { return try makeReader() }
    let passing = try PageCache(
      cache.file, byteCount: PageCache.byteCountForOnePass, movesMemory: true)
    let readAhead = try ReadAhead(of: descriptor, into: passing, limit: top.logicalSize)
    return NodeReader(
      source: ByteSource(pages: try PageView(of: passing, readAhead: readAhead)),
      logicalSize: top.logicalSize)
  }

  /// Reads from the realm at `path` without copying it, even if it is in use. If a commit happens meanwhile,
  /// `body` runs again, up to ten times.
  ///
  /// - Parameters:
  ///   - cacheByteCount: see ``init(path:key:version:access:cacheByteCount:)``.
  ///   - body: reads a few nodes and has no side effects.
  /// - Returns: the result of `body` for a proven version.
  /// - Throws: same as ``init(path:key:version:access:cacheByteCount:)``, and the errors of `body`
  ///   for a proven version.
  public static func withBriefSnapshot<R>(
    path: String, key: RealmKey? = nil, version: Version = .latest,
    cacheByteCount: Int = Snapshot.usualCacheByteCount,
    _ body: (Snapshot) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    var last = RealmFileError(.changedWhileReading, path: path)
    for attempt in 0..<LiveCopy.attempts {
      LiveCopy.pause(before: attempt)
      let snapshot = try Snapshot(
        path: path, key: key, version: version, access: .brief, cacheByteCount: cacheByteCount)
      let outcome: Result<R, RealmFileError>
      do throws(RealmFileError) {
        outcome = .success(try body(snapshot))
      } catch {
        outcome = .failure(error.adding(path: path))
      }
      do throws(RealmFileError) {
        try snapshot.prove()
      } catch {
        last = error
        continue
      }
      return try outcome.get()
    }
    throw last
  }

  /// Proves that everything read from this snapshot so far belongs to its version: the file still refers to the
  /// same version, so no later commit has reused its blocks (chapter 1, section 6.7). Reads a few bytes of the
  /// file, or nothing if the snapshot is a copy.
  ///
  /// - Throws: `changedWhileReading` or `shrankWhileReading`; `inputOutput`.
  public func prove() throws(RealmFileError) {
    if let error = readFault { throw error }
    guard let stamp else { return }
    let now: VersionStamp?
    do throws(RealmFileError) {
      now = try VersionStamp(try DataFile(descriptor, key: key))
    } catch {
      if case .inputOutput = error.kind { throw error.adding(path: path) }
      // A header without a valid stamp is not the header that was opened.
      now = nil
    }
    guard now == stamp else { throw RealmFileError(.changedWhileReading, path: path) }
  }

  /// The proven result of `body`, which reads from this snapshot. If another process changed the file, the error
  /// says so instead of reporting damage.
  ///
  /// - Throws: the errors of ``prove()`` and of `body`.
  package func proving<R>(
    _ body: () throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    do throws(RealmFileError) {
      let result = try body()
      try prove()
      return result
    } catch {
      try prove()
      throw error
    }
  }

  /// The error if bytes of this version could not be read, so that readers saw zeros (``FaultGuard``):
  /// `shrankWhileReading`, or `inputOutput` if the disk failed. It takes precedence over any result and any other
  /// error. Nil if all bytes could be read.
  public var readFault: RealmFileError? {
    Snapshot.readFault(mapping, descriptor, needed: neededByteCount)?.adding(path: path)
  }

  /// Bytes of the file that this version needs. Bytes past its logical size may disappear when an app opens the
  /// realm (chapter 1, section 1.4).
  private var neededByteCount: Int {
    guard isEncrypted else { return top.logicalSize }
    let lastPage = (top.logicalSize - 1) / EncryptedLayout.pageByteCount
    return EncryptedLayout.ciphertextOffset(ofPage: lastPage) + EncryptedLayout.pageByteCount
  }

  /// The error if a page of the mapped file could not be read, or if it has fewer than `needed` bytes; nil
  /// otherwise.
  package static func readFault(
    _ mapping: MappedFile, _ descriptor: FileDescriptor, needed: Int
  ) -> RealmFileError? {
    if let offset = mapping.cutOffset {
      do throws(RealmFileError) {
        // If the disk failed, this read fails too; if it succeeds, the page was cut off.
        _ = try descriptor.read(at: offset, count: 1)
      } catch {
        return error
      }
      return RealmFileError(.shrankWhileReading)
    }
    guard let size = try? descriptor.size(), size < needed else { return nil }
    return RealmFileError(.shrankWhileReading)
  }
}
