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
    var results: [(number: Int, result: Result<RealmPreparation.Prepared, any Error>)] = []
    var done = 0
    func take(_ number: Int, _ result: Result<RealmPreparation.Prepared, any Error>) {
      results.append((number, result))
      done += sizes[number]
      progress(done, total)
    }
    let small = sizes.indices.filter { sizes[$0] <= BackupCreateJob.smallByteCount }
    prepareSideBySide(small, keys: keys, take)
    for number in sizes.indices where sizes[number] > BackupCreateJob.smallByteCount {
      take(number, prepare(number, keys: keys, jobs: request.jobs))
    }
    var copies: [RealmPreparation.Prepared] = []
    var isPrivate = false
    for (number, result) in results.sorted(by: { $0.number < $1.number }) {
      let source = request.sources[number]
      switch result {
      case .success(let prepared):
        copies.append(prepared)
        isPrivate = isPrivate || prepared.entry.encrypted || OutputFile.isPrivate(source.path)
      case .failure(let error): failed(source, error)
      }
    }
    return Prepared(copies: copies, isPrivate: isPrivate)
  }

  /// A larger realm has enough work for all threads, and takes memory for each of its own.
  private static let smallByteCount = 4 << 20

  /// Copies realms at the same time, and passes each result to `take`, one at a time. The threads are divided among
  /// them.
  private func prepareSideBySide(
    _ numbers: [Int], keys: some RealmKeySource,
    _ take: (Int, Result<RealmPreparation.Prepared, any Error>) -> Void
  ) {
    withoutActuallyEscaping(take) { take in
      let parts = OrderedParts<Result<RealmPreparation.Prepared, any Error>, Never>(
        count: numbers.count, jobs: request.jobs,
        accept: { part, result in take(numbers[part], result) })
      parts.run {
        ()
      } _: { (_, part) in
        prepare(numbers[part], keys: keys, jobs: max(1, request.jobs / numbers.count))
      }
    }
  }

  private func prepare(
    _ number: Int, keys: some RealmKeySource, jobs: Int
  ) -> Result<RealmPreparation.Prepared, any Error> {
    let source = request.sources[number]
    let preparation = RealmPreparation(
      isRaw: request.isRaw, verifies: request.verifies, jobs: jobs, operations: operations)
    return Result { try preparation.prepare(source.path, name: source.name, keys: keys) }
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

  /// Smaller archives are compressed as a whole: they take little time, and the pieces 50 MB of memory. The number of
  /// threads does not decide, because both ways give other bytes.
  private static let piecewiseByteCount = 64 << 20

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
    let isSmall = manifest.byteCount < BackupCreateJob.piecewiseByteCount
    let writer = try ArchiveWriter(
      request.format, level: request.level, threads: isSmall ? nil : request.jobs, into: counted)
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
