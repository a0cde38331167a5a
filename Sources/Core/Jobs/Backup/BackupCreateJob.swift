public import RealmBackup
public import RealmStorage

/// Puts consistent, checked copies of realms into one archive.
///
/// Invariant 1: every copy is complete before the archive is begun, so the first member, the manifest, is
/// complete.
/// Invariant 2: the archive holds the bytes that were hashed. The copies have no names, so no other
/// process can change them.
public struct BackupCreateJob: Sendable {
  public struct Request: Sendable {
    public var sources: [BackupSources.Source]
    /// The name that `prune` groups backups by.
    public var name: String
    public var format: ArchiveFormat
    /// Compression level; nil for the default of the format.
    public var level: Int?
    /// Whether to copy the files as they are, with their free space.
    public var isRaw: Bool
    /// Whether to check each copy by the rules of `verify`.
    public var verifies: Bool
    /// Number of threads.
    public var jobs: Int
    public var toolVersion: String

    public init(
      sources: [BackupSources.Source], name: String, format: ArchiveFormat, level: Int? = nil,
      isRaw: Bool = false, verifies: Bool = true, jobs: Int = 1, toolVersion: String
    ) {
      (self.sources, self.name, self.format, self.level) = (sources, name, format, level)
      (self.isRaw, self.verifies, self.jobs) = (isRaw, verifies, jobs)
      self.toolVersion = toolVersion
    }
  }

  public struct Report: Sendable {
    public var manifest: BackupManifest
    /// Bytes of the archive.
    public var byteCount: Int
  }

  /// Copies of realms, ready for the archive.
  public struct Prepared: Sendable {
    let copies: [RealmPreparation.Prepared]
    /// Whether only the owner may read the archive, because one of the realms is private or encrypted.
    public let isPrivate: Bool
    public var isEmpty: Bool { copies.isEmpty }
  }

  private let request: Request
  private let operations: FileOperations

  public init(_ request: Request) { self.init(request, operations: .system) }

  /// - Parameter operations: tests replace them to inject faults.
  package init(_ request: Request, operations: FileOperations) {
    (self.request, self.operations) = (request, operations)
    Resources.allowManyFiles()
  }

  /// The maximum size of the temporary copies, and their folder.
  public func temporarySpace(keys: some RealmKeySource) -> (byteCount: Int, folder: String) {
    let byteCount = request.sources.reduce(0) { $0 + self.byteCount(of: $1.path, keys: keys) }
    return (byteCount, UnlinkedFile.folder)
  }

  /// Makes the copies.
  ///
  /// - Parameters:
  ///   - progress: receives the number of bytes done and the total.
  ///   - failed: receives each realm that is left out, with the error; the others continue.
  /// - Throws: `inputOutput` if there is no room for the temporary files.
  public func prepare(
    keys: some RealmKeySource, progress: (Int, Int) -> Void,
    failed: (BackupSources.Source, any Error) -> Void
  ) throws -> Prepared {
    let sizes = request.sources.map { byteCount(of: $0.path, keys: keys) }
    let total = sizes.reduce(0, +)
    try Resources.checkTemporarySpace(total)
    let preparation = RealmPreparation(
      isRaw: request.isRaw, verifies: request.verifies, jobs: request.jobs, operations: operations)
    var copies: [RealmPreparation.Prepared] = []
    var isPrivate = false
    var done = 0
    for (source, size) in zip(request.sources, sizes) {
      do {
        let prepared = try preparation.prepare(source.path, name: source.name, keys: keys)
        copies.append(prepared)
        isPrivate = isPrivate || prepared.entry.encrypted || OutputFile.isPrivate(source.path)
      } catch {
        failed(source, error)
      }
      done += size
      progress(done, total)
    }
    return Prepared(copies: copies, isPrivate: isPrivate)
  }

  /// An upper limit for the size of the copy of a realm; 0 if it cannot be opened.
  private func byteCount(of path: String, keys: some RealmKeySource) -> Int {
    // Errors are ignored: the number is only an estimate, and `prepare` reports a realm that cannot be read.
    let size = (try? FileDescriptor.openForReading(path).size()) ?? 0
    guard !request.isRaw else { return size }
    let used = try? keys.open(path) { (key) in
      try BackupCreateJob.usedByteCount(of: path, key: key)
    }
    return min(size, used ?? size)
  }

  private static func usedByteCount(
    of path: String, key: RealmKey?
  ) throws(RealmFileError) -> Int {
    try Snapshot.withBriefSnapshot(path: path, key: key) { (snapshot) throws(RealmFileError) in
      let free = try FreeList.byteCount(snapshot.top, nodes: try snapshot.makeReader())
      return snapshot.top.logicalSize - free
    }
  }

  /// Writes the archive. The caller publishes the sink.
  ///
  /// - Throws: the errors of the sink.
  public func write(
    _ prepared: Prepared, at time: UTCTime, into sink: any OutputSink,
    progress: (Int, Int) -> Void
  ) throws -> Report {
    let manifest = BackupManifest(
      toolVersion: request.toolVersion, createdAt: time, name: request.name,
      realms: prepared.copies.map(\.entry))
    let counted = CountedSink(sink)
    let writer = try ArchiveWriter(request.format, level: request.level, into: counted)
    let attributes = FileAttributes(mode: 0o644, seconds: time.seconds, nanoseconds: 0)
    let bytes = try manifest.bytes
    try writer.add(BackupManifest.memberName, bytes, attributes)
    let total = manifest.byteCount
    var done = 0
    for copy in prepared.copies {
      try writer.add(copy.entry.path, copy.file, size: copy.entry.size, copy.attributes) {
        progress(done + $0, total)
      }
      done += copy.entry.size
    }
    try writer.add(
      BackupManifest.checksumName, try BackupManifest.checksum(of: bytes), attributes)
    try writer.close()
    return Report(manifest: manifest, byteCount: counted.count)
  }

  private final class CountedSink: OutputSink {
    private let sink: any OutputSink
    private(set) var count = 0

    init(_ sink: any OutputSink) { self.sink = sink }

    @unsafe
    func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
      try unsafe sink.write(bytes)
      count += bytes.count
    }

    func publish() throws(RealmFileError) { try sink.publish() }
  }
}
