/// One version of a realm, opened for reading. The file is never changed.
///
/// A snapshot may be shared between threads; each of them reads through a ``NodeReader`` of its own.
///
/// A process may have the realm open and commit meanwhile. Either the snapshot is a copy that was
/// proven to hold one version when it was opened, or the file is mapped as it is, and what was read is
/// known to belong to this version once ``prove()`` returns.
public final class Snapshot: Sendable {
  /// Which of the two versions that a file names.
  public enum Version: Sendable {
    /// The newest commit.
    case latest
    /// The commit before the newest one: the other top ref. Its space is given to the next commit, so
    /// it is intact until that begins, which no header shows: a process that has the realm open may
    /// be overwriting it, and reading it may end in an error about damage.
    case previous
  }

  /// Whether to read the file in place or a proven copy.
  public enum Access: Sendable {
    /// The file itself where no process has the realm open, a proven copy where one has.
    case whole
    /// The file itself in any case. For a look at a few nodes; see ``withBriefSnapshot(path:key:version:cacheByteCount:_:)``.
    case brief
    /// A proven copy in any case.
    case copied
    /// The file itself, of which the caller holds the ``RealmLock``: nobody else writes to it.
    case exclusive
  }

  /// Path as the user wrote it.
  public let path: String
  /// Bytes of the file on disk.
  public let fileByteCount: Int
  public let isEncrypted: Bool
  public let header: FileHeader
  public let top: TopArray
  /// File format of this version: 10 to 24, or 0 for a realm without any commit.
  public let format: Int
  /// Whether a process had the realm open when the snapshot was opened.
  public let use: RealmUse.State
  /// True where the bytes are those of a proven copy, which nothing can change.
  public let isCopy: Bool

  /// True where a process had, or may have had, the realm open when the snapshot was opened.
  public var isInUse: Bool { use != .free }

  /// The file, or the copy.
  package let descriptor: FileDescriptor
  private let mapping: MappedFile
  private let key: RealmKey?
  /// The decrypted pages, for all readers; nil for a plain realm.
  private let cache: PageCache?
  /// The stamp of the file before anything was read; nil for a copy.
  private let stamp: VersionStamp?

  /// Bytes of decrypted pages that are kept of an encrypted realm, for all readers together, unless
  /// something else is asked for: 256 MB.
  public static let usualCacheByteCount = 256_000_000

  /// Opens a version of the realm at `path`.
  ///
  /// - Parameters:
  ///   - key: for an encrypted realm.
  ///   - version: which version.
  ///   - access: whether the file itself may be read.
  ///   - cacheByteCount: bytes of decrypted pages that are kept of an encrypted realm, for all readers
  ///     together and beside those that they need at one time.
  /// - Throws: everything that chapter 1, section 1.3 says, told apart: empty, not a realm,
  ///   truncated, wrong key, not encrypted, key missing, damaged page or header, old or newer
  ///   format, unknown history; `noPreviousVersion`; `changedWhileReading`, `shrankWhileReading`;
  ///   `unreadable`. Always with the path.
  public init(
    path: String, key: RealmKey? = nil, version: Version = .latest, access: Access = .whole,
    cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) {
    let opened: Opened
    do throws(RealmFileError) {
      opened = try Opened(
        path: path, key: key, version: version, access: access, cacheByteCount: cacheByteCount)
    } catch {
      throw error.adding(path: path)
    }
    (self.path, self.key, isEncrypted) = (path, key, key != nil)
    (fileByteCount, use, isCopy) = (opened.fileByteCount, opened.use, opened.isCopy)
    (descriptor, mapping, stamp) = (opened.descriptor, opened.mapping, opened.stamp)
    cache = opened.cache
    (header, top, format) = (opened.contents.header, opened.contents.top, opened.contents.format)
  }

  /// Bytes of data in the file: its size, for an encrypted file without the metadata pages.
  public var dataByteCount: Int {
    isEncrypted ? EncryptedLayout.dataByteCount(fileByteCount: fileByteCount) : fileByteCount
  }

  /// A reader for one thread. All readers of an encrypted realm share the decrypted pages.
  ///
  /// - Throws: `inputOutput` where there is no memory.
  package func makeReader() throws(RealmFileError) -> NodeReader {
    let source =
      if let cache { ByteSource(pages: try PageView(of: cache)) } else {
        ByteSource(mapping: mapping)
      }
    return NodeReader(source: source, logicalSize: top.logicalSize)
  }

  /// A reader for one thread that comes to each node once, with a few decrypted pages of its own: it
  /// decrypts ahead, on other threads.
  ///
  /// - Throws: as ``makeReader()``.
  func makeReaderOfAll() throws(RealmFileError) -> NodeReader {
    guard let cache else { return try makeReader() }
    let passing = try PageCache(
      cache.file, byteCount: PageCache.byteCountForOnePass, movesMemory: true)
    let readAhead = try ReadAhead(of: descriptor, into: passing, limit: top.logicalSize)
    return NodeReader(
      source: ByteSource(pages: try PageView(of: passing, readAhead: readAhead)),
      logicalSize: top.logicalSize)
  }

  /// Looks at the realm at `path` without copying it, whether it is in use or not, and does so again
  /// where a commit came in between: `body` may run up to ten times.
  ///
  /// - Parameters:
  ///   - cacheByteCount: as for ``init(path:key:version:access:cacheByteCount:)``.
  ///   - body: reads little, and has no effect but its result.
  /// - Returns: what `body` returned for a version that is proven.
  /// - Throws: as ``init(path:key:version:access:cacheByteCount:)``, and what `body` throws for a proven version.
  public static func withBriefSnapshot<R>(
    path: String, key: RealmKey? = nil, version: Version = .latest,
    cacheByteCount: Int = Snapshot.usualCacheByteCount,
    _ body: (Snapshot) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    var last = RealmFileError(.changedWhileReading, path: path)
    for attempt in 0..<LiveCopy.attempts {
      if attempt > 0 { pause(milliseconds: min(50, 1 << attempt)) }
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

  /// Proves that everything read from this snapshot so far belongs to it: the file still names the
  /// same version (chapter 1, section 6.7), so no block of it was given to another one. Reads a few
  /// bytes of the file; nothing for a copy.
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
      // A header that leads nowhere is not the one that was opened.
      now = nil
    }
    guard now == stamp else { throw RealmFileError(.changedWhileReading, path: path) }
  }

  /// Why bytes of this version could not be read, where zeros were seen instead (``FaultGuard``):
  /// `shrankWhileReading`, or `inputOutput` where the disk could not be read. It takes the place of any
  /// result, and of any other error. Nil where all bytes were there.
  public var readFault: RealmFileError? {
    Snapshot.readFault(mapping, descriptor, needed: neededByteCount)?.adding(path: path)
  }

  /// Bytes of the file that this version needs: what lies behind its logical size may go, and does
  /// when an app opens the realm (chapter 1, section 1.4).
  private var neededByteCount: Int {
    guard isEncrypted else { return top.logicalSize }
    let lastPage = (top.logicalSize - 1) / EncryptedLayout.pageByteCount
    return EncryptedLayout.ciphertextOffset(ofPage: lastPage) + EncryptedLayout.pageByteCount
  }

  /// What became of a mapped file whose pages, or whose first `needed` bytes, are not all there.
  static func readFault(
    _ mapping: MappedFile, _ descriptor: FileDescriptor, needed: Int
  ) -> RealmFileError? {
    if let offset = mapping.cutOffset {
      do throws(RealmFileError) {
        // A page that the disk cannot read fails here again; one that is back was cut off.
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
