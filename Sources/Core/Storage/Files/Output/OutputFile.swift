import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears whole or not at all.
///
/// Where the system allows it, the bytes are written to a file without a name in the folder of the target, which gets
/// its name when all bytes are written and synced. Elsewhere, the bytes are written to a temporary file, which is
/// renamed to the target. Invariants:
///
/// 1. The target is never visible half-written, even if the process is killed. On a file system that can neither rename
///    without replacing nor give a file a second name, a new target is an empty file for a moment.
/// 2. Without `replacing`, an existing file is never overwritten, even if it appears after the
///    initial check: giving the file its final name fails.
/// 3. A file without a name disappears with the process, even if it is killed. A temporary file is removed when this
///    object is released or a signal ends the process; if the process is killed, ``TemporaryFile`` removes it. A file
///    that is still being written is locked, and stays.
/// 4. The result gets the permissions of the file that it replaces and, if the system allows it,
///    its owner and group.
///
/// A file without a name needs a temporary one in two cases: for the moment in which it replaces another file, because
/// the system can only rename over a file, and for ``unfinishedPath()``.
///
/// If the target is not a regular file (a pipe, a device), the bytes are written to it directly:
/// replacing it would break its readers.
public final class OutputFile: OutputSink {
  /// The path as the user wrote it, for errors.
  let path: String
  /// The final path: `path` with symbolic links followed, so that a link stays a link.
  let target: String
  var state: State
  package let descriptor: FileDescriptor
  let replacing: Bool
  /// Permissions of the result.
  let mode: mode_t
  /// The file whose owner and group the result gets: the replaced file, or the original of a backup.
  let original: stat?
  /// Whether the result also gets the times of `original`.
  let keepsTimes: Bool
  /// Permissions and time of the result, if the caller sets them.
  let attributes: FileAttributes?
  let operations: FileOperations
  /// Bytes appended, and how many of them the system was asked to write to the disk.
  private var appended = 0
  private var started = 0

  /// After this many bytes, the system is asked to start writing them to the disk.
  private static let writebackByteCount = 1 << 20

  /// What is open, and what is left to do.
  enum State {
    /// The target itself, a pipe or a device.
    case stream
    /// A file without a name, which gets one when it is published.
    case nameless
    /// A temporary file, which is renamed when it is published.
    case temporary(TemporaryName)
    /// A file that never gets a name.
    case unlinked
    /// The target, complete.
    case published
  }

  /// Opens the output. The target does not change before ``publish()``.
  ///
  /// - Parameters:
  ///   - path: the target as the user wrote it.
  ///   - replacing: whether to replace an existing file. The result keeps its permissions.
  ///   - isPrivate: whether only the owner may read the result: mode 0600 instead of 0644 minus the umask.
  /// - Throws: `inUse` if it would replace a realm that a process has open; `outputIsRead`, `outputExists`,
  ///   `cannotCreate`.
  public convenience init(
    path: String, replacing: Bool, isPrivate: Bool = false
  ) throws(RealmFileError) {
    try RealmUse.checkIsFree(path)
    try self.init(
      path: path, replacing: replacing, isPrivate: isPrivate, operations: .system)
  }

  /// Like ``init(path:replacing:isPrivate:)``, for a caller that has locked the realm that it replaces.
  ///
  /// - Parameters:
  ///   - isInPlace: whether the result replaces a file that this process reads.
  ///   - originalPath: for a backup, the file whose permissions, owner and times the result gets.
  ///   - attributes: permissions and time of the result; they override those of a replaced file.
  ///   - operations: tests let them fail.
  package init(
    path: String, replacing: Bool, isInPlace: Bool = false, isPrivate: Bool = false,
    copyOf originalPath: String? = nil, attributes: FileAttributes? = nil,
    operations: FileOperations
  ) throws(RealmFileError) {
    (self.path, self.replacing, self.operations) = (path, replacing, operations)
    self.attributes = attributes
    keepsTimes = originalPath != nil
    let existing = OutputFile.status(of: path)
    if let existing, existing.st_mode & S_IFMT != S_IFREG {
      // Checked before links are followed: a pipe in /dev/fd has no other path.
      target = path
      descriptor = try OutputFile.openStream(path, isFolder: existing.st_mode & S_IFMT == S_IFDIR)
      mode = existing.st_mode & 0o777
      original = nil
      state = .stream
      return
    }
    let original = originalPath.flatMap(OutputFile.status) ?? existing
    self.original = original
    target = try OutputFile.followingLinks(path)
    guard existing == nil || replacing else { throw RealmFileError(.outputExists, path: path) }
    do throws(RealmFileError) {
      if !isInPlace { try ReadFiles.checkIsNone(target) }
    } catch {
      throw error.adding(path: path)
    }

    TemporaryFile.cleanUp(OutputFile.folder(of: target))
    let created = try OutputFile.create(
      beside: target, path: path, mode: isPrivate ? 0o600 : 0o644, operations)
    (state, descriptor) = (created.state, created.descriptor)
    let kept = attributes.map { mode_t($0.mode & 0o777) } ?? original.map { $0.st_mode & 0o777 }
    mode = isPrivate ? 0o600 : kept ?? created.mode
  }

  /// Creates a temporary file without a name. It disappears with this object and is never published.
  ///
  /// - Throws: `cannotCreate`.
  package init(unlinkedBy operations: FileOperations) throws(RealmFileError) {
    descriptor = try UnlinkedFile.make()
    path = UnlinkedFile.folder
    target = path
    (mode, original, keepsTimes, attributes) = (0o600, nil, false, nil)
    (replacing, state) = (false, .unlinked)
    self.operations = operations
  }

  deinit {
    if case .temporary(let name) = state { name.remove() }
  }

  @unsafe
  public func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    do throws(RealmFileError) {
      try injectFault(.write)
      try unsafe writeAll(bytes, to: descriptor.number)
    } catch {
      throw error.adding(path: path)
    }
    appended += bytes.count
    guard isToBeSynced, appended - started >= OutputFile.writebackByteCount else { return }
    csystem_start_writeback(descriptor.number, Int64(started), Int64(appended - started))
    started = appended
  }

  /// Whether ``publish()`` writes the bytes to the disk. A file that never gets a name need not reach it.
  private var isToBeSynced: Bool {
    switch state {
    case .nameless, .temporary: true
    case .unlinked, .stream, .published: false
    }
  }

  /// Whether bytes can be written at any offset; false for a pipe or a device, and for a published file.
  package var isFile: Bool {
    switch state {
    case .nameless, .temporary, .unlinked: true
    case .stream, .published: false
    }
  }

  /// The path of the unfinished file, for a library that writes files by path. A file without a name gets a temporary
  /// one.
  ///
  /// - Returns: nil for a pipe, a device, a file that never gets a name, and a published file.
  /// - Throws: `cannotCreate`.
  package func unfinishedPath() throws(RealmFileError) -> String? {
    do throws(RealmFileError) {
      if case .nameless = state { try takeTemporaryName() }
    } catch {
      throw error.adding(path: path)
    }
    guard case .temporary(let name) = state else { return nil }
    return name.path
  }

  /// The path of the result, with symbolic links followed.
  package var finalPath: String { target }

  /// Writes `bytes` at `offset`. The position at which ``write(_:)`` appends does not change.
  ///
  /// - Throws: same as ``write(_:)``.
  @unsafe
  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try injectFault(.write)
      try unsafe descriptor.write(bytes, at: offset)
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Replaces the content by the blocks of `source`, if the file system can share blocks.
  ///
  /// - Returns: false if it cannot; the file is then unchanged.
  func shareBlocks(of source: FileDescriptor) -> Bool {
    isFile && descriptor.shareBlocks(of: source)
  }

  /// Throws the error that a test injects into `step`.
  private func injectFault(_ step: FileOperations.Step) throws(RealmFileError) {
    try operations.must(step) {
      .inputOutput(SystemError($0, "write the output"))
    } _: {
      0
    }
  }
}
