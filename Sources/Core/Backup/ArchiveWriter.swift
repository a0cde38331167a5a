import CArchive
package import RealmStorage

/// Writes an archive member by member with libarchive. Belongs to one thread.
@safe
package final class ArchiveWriter {
  private let archive: OpaquePointer
  private let steps: ArchiveSteps
  private let target: Target

  /// Receives the bytes from libarchive. It outlives the archive.
  private final class Target {
    let sink: any OutputSink
    /// The error of the sink. libarchive only reports that there was one.
    var error: RealmFileError?

    init(_ sink: any OutputSink) { self.sink = sink }

    /// - Returns: bytes written, or -1.
    @unsafe
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
      do throws(RealmFileError) {
        try unsafe sink.write(bytes)
        return bytes.count
      } catch {
        self.error = error
        return -1
      }
    }
  }

  /// Most threads that compress. One thread feeds them, and each has 8 MB of the archive in memory.
  private static let mostThreads = 4

  /// - Parameters:
  ///   - level: compression level of the format; nil for its default.
  ///   - threads: number of threads that compress `tar.zst` in pieces, which the archive does not depend on; nil to
  ///     compress it as a whole on this thread, to other bytes.
  ///   - steps: how much is passed on at a time.
  /// - Throws: `unsupported` if this libarchive lacks the format.
  package init(
    _ format: ArchiveFormat, level: Int?, threads: Int? = nil, into sink: any OutputSink,
    steps: ArchiveSteps = ArchiveSteps()
  ) throws {
    carchive_use_utf8()
    guard let archive = unsafe archive_write_new() else {
      throw ArchiveError(.unsupported("libarchive has no memory"))
    }
    unsafe self.archive = archive
    self.steps = steps
    target = Target(sink)
    try select(format, level: level, threads: threads)
    unsafe archive_write_set_bytes_per_block(archive, Int32(steps.blockByteCount))
    // No padding after the end.
    unsafe archive_write_set_bytes_in_last_block(archive, 1)
    let context = unsafe Unmanaged.passUnretained(target).toOpaque()
    try unsafe check(
      archive_write_open(
        archive, context, nil,
        { _, context, bytes, count in
          guard let context = unsafe context else { return -1 }
          // The writer keeps the target alive as long as the archive.
          let target = unsafe Unmanaged<Target>.fromOpaque(context).takeUnretainedValue()
          return unsafe target.write(UnsafeRawBufferPointer(start: bytes, count: count))
        }, nil))
  }

  deinit { unsafe archive_write_free(archive) }

  private func select(_ format: ArchiveFormat, level: Int?, threads: Int?) throws {
    let level = level.map(String.init)
    switch format {
    case .zip:
      try unsafe check(archive_write_set_format_zip(archive))
      if let level { try setFormatOption("zip", "compression-level", level) }
      return
    case .sevenZip:
      try unsafe check(archive_write_set_format_7zip(archive))
      if let level { try setFormatOption("7zip", "compression-level", level) }
      return
    case .tar, .tarGzip, .tarXZ, .tarZstandard:
      try unsafe check(archive_write_set_format_pax_restricted(archive))
    }
    switch format {
    case .tarGzip:
      try unsafe check(archive_write_add_filter_gzip(archive))
      // Without the current time, so that the same realms give the same bytes.
      try unsafe check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
      if let level { try setFilterOption("gzip", "compression-level", level) }
    case .tarXZ:
      try unsafe check(archive_write_add_filter_xz(archive))
      if let level { try setFilterOption("xz", "compression-level", level) }
    case .tarZstandard:
      try unsafe check(archive_write_add_filter_zstd(archive))
      if let threads {
        // libarchive before 3.6 does not have the option, and zstd may be built without threads: both then compress
        // the archive as a whole.
        let workers = String(max(1, min(threads, ArchiveWriter.mostThreads)))
        _ = unsafe archive_write_set_filter_option(archive, "zstd", "threads", workers)
      }
      if let level { try setFilterOption("zstd", "compression-level", level) }
    case .tar, .zip, .sevenZip: break
    }
  }

  private func setFormatOption(
    _ module: String, _ name: String, _ value: String
  ) throws {
    try unsafe check(archive_write_set_format_option(archive, module, name, value))
  }

  private func setFilterOption(
    _ module: String, _ name: String, _ value: String
  ) throws {
    try unsafe check(archive_write_set_filter_option(archive, module, name, value))
  }

  /// Adds a member with the first `size` bytes of `file`.
  ///
  /// - Parameter progress: receives the number of bytes of the member written so far.
  /// - Throws: the errors of the sink; `shrankWhileReading`, `inputOutput`.
  package func add(
    _ name: String, _ file: FileDescriptor, size: Int, _ attributes: FileAttributes,
    progress: (Int) -> Void
  ) throws {
    try begin(name, size: size, attributes)
    var pieces = FilePieces(file, count: size, pieceByteCount: steps.pieceByteCount)
    while let piece = try pieces.next() {
      try write(piece)
      progress(pieces.offset)
    }
  }

  /// Adds a member with `bytes`.
  ///
  /// - Throws: the errors of the sink.
  package func add(
    _ name: String, _ bytes: [UInt8], _ attributes: FileAttributes
  ) throws {
    try begin(name, size: bytes.count, attributes)
    try write(bytes)
  }

  private func begin(
    _ name: String, size: Int, _ attributes: FileAttributes
  ) throws {
    guard let entry = unsafe archive_entry_new() else {
      throw ArchiveError(.unsupported("libarchive has no memory"))
    }
    defer { unsafe archive_entry_free(entry) }
    unsafe archive_entry_set_pathname_utf8(entry, name)
    unsafe archive_entry_set_size(entry, Int64(size))
    unsafe archive_entry_set_filetype(entry, UInt32(carchive_regular_file))
    unsafe archive_entry_set_perm(entry, .init(attributes.mode))
    unsafe archive_entry_set_mtime(entry, attributes.seconds, attributes.nanoseconds)
    try unsafe check(archive_write_header(archive, entry))
  }

  private func write(_ bytes: [UInt8]) throws {
    var done = 0
    while done < bytes.count {
      let put = unsafe bytes.withUnsafeBytes { bytes in
        // `done` is below the count, so the array has a base address.
        unsafe archive_write_data(
          archive, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      guard put > 0 else { throw failure() }
      done += put
    }
  }

  /// Writes the end of the archive; nothing can be added afterwards.
  ///
  /// - Throws: the errors of the sink.
  package func close() throws { try unsafe check(archive_write_close(archive)) }

  private func check(_ result: Int32) throws {
    // A warning means that other systems may not support a feature, such as distant times.
    guard result >= ARCHIVE_WARN else { throw failure() }
    if let error = target.error { throw error }
  }

  private func failure() -> any Error {
    if let error = target.error { return error }
    let message = unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
    return ArchiveError(
      .unsupported("libarchive cannot write the archive: \(message ?? "unknown reason")"))
  }
}
