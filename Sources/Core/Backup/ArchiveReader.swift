import CArchive
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads an archive member by member with libarchive. Belongs to one thread.
///
/// Names, kinds and sizes of members are not checked: do not trust them.
@safe
final class ArchiveReader {
  /// The header of a member.
  struct Member {
    /// Nil if it is not UTF-8.
    var name: String?
    /// True for a regular file that is not a link.
    var isFile: Bool
    /// Nil if it is only known after the last byte.
    var size: Int?
  }

  private let archive: OpaquePointer
  private let buffer: UnsafeMutableRawBufferPointer
  /// Kept open while libarchive reads from it.
  private let file: FileDescriptor?

  /// Opens the archive at `path`; `-` is standard input.
  ///
  /// - Parameter steps: how much is read at a time.
  /// - Throws: `unreadable`; `notABackup` if it is not an archive.
  init(path: String, steps: ArchiveSteps = ArchiveSteps()) throws {
    carchive_use_utf8()
    // `deinit` frees nothing if this throws before all properties have values: the file is opened first.
    file = path == "-" ? nil : try FileDescriptor.openForReading(path)
    guard let archive = unsafe archive_read_new() else {
      throw ArchiveError(.unsupported("libarchive has no memory"))
    }
    unsafe self.archive = archive
    unsafe buffer = .allocate(byteCount: steps.pieceByteCount, alignment: 16)
    // The formats that backups can have.
    unsafe archive_read_support_filter_gzip(archive)
    unsafe archive_read_support_filter_xz(archive)
    unsafe archive_read_support_filter_zstd(archive)
    unsafe archive_read_support_format_tar(archive)
    unsafe archive_read_support_format_zip(archive)
    unsafe archive_read_support_format_7zip(archive)
    let number = file?.number ?? STDIN_FILENO
    guard unsafe archive_read_open_fd(archive, number, steps.blockByteCount) == ARCHIVE_OK else {
      throw ArchiveError(.notABackup(message))
    }
  }

  deinit {
    unsafe archive_read_free(archive)
    unsafe buffer.deallocate()
  }

  /// The next member, or nil at the end.
  ///
  /// - Throws: `damaged`, `inputOutput`.
  func next() throws -> Member? {
    var entry: OpaquePointer?
    let result = unsafe archive_read_next_header(archive, &entry)
    if result == ARCHIVE_EOF { return nil }
    guard result >= ARCHIVE_WARN, let entry = unsafe entry else { throw failure() }
    let isRegular = unsafe archive_entry_filetype(entry) == UInt32(carchive_regular_file)
    let isLink = unsafe archive_entry_hardlink(entry) != nil || archive_entry_symlink(entry) != nil
    return Member(
      name: unsafe archive_entry_pathname_utf8(entry).flatMap {
        unsafe String(validatingCString: $0)
      },
      isFile: isRegular && !isLink,
      size: unsafe archive_entry_size_is_set(entry) == 0 ? nil : Int(archive_entry_size(entry)))
  }

  /// Reads the bytes of the current member. A member of more than `limit` bytes is not read to its end.
  ///
  /// - Parameters:
  ///   - digest: receives the bytes.
  ///   - sink: receives the bytes too.
  /// - Returns: the number of bytes, or a number above `limit` if there are more.
  /// - Throws: `damaged`, `inputOutput`; the errors of the sink.
  func read(
    limit: Int, digest: SHA256, into sink: (any OutputSink)?, progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    var count = 0
    while true {
      let got = unsafe archive_read_data(archive, buffer.baseAddress, buffer.count)
      guard got >= 0 else { throw failure() }
      if got == 0 { return count }
      count += got
      guard count <= limit else { return count }
      let piece = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<got])
      try unsafe digest.update(piece)
      if let sink { try unsafe sink.write(piece) }
      progress(count)
    }
  }

  /// The bytes of the current member; nil if there are more than `limit`.
  ///
  /// - Throws: same as ``read``.
  func readAll(limit: Int) throws -> [UInt8]? {
    let collected = CollectedBytes()
    let count = try read(limit: limit, digest: try SHA256(), into: collected)
    return count > limit ? nil : collected.bytes
  }

  private final class CollectedBytes: OutputSink {
    var bytes: [UInt8] = []
    @unsafe func write(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes += bytes }
    func publish() {}
  }

  /// What libarchive says about the last error.
  private var message: String {
    unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
      ?? "it was changed, or its end is missing"
  }

  private func failure() -> any Error {
    let number = unsafe archive_errno(archive)
    if file == nil, unsafe archive_format(archive) == ARCHIVE_FORMAT_7ZIP {
      let why = "a 7z archive is read from its end, so it cannot come from standard input"
      return ArchiveError(.unsupported(why))
    }
    if number == EIO || number == ESTALE {
      return RealmFileError(.inputOutput(SystemError(number, "read the archive")))
    }
    return ArchiveError(.damaged(message))
  }
}
