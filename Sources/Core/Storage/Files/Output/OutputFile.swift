import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears whole or not at all.
///
/// The bytes are written to a temporary file in the folder of the target. When all of them are
/// written and synced, the file is renamed to the target. Invariants:
///
/// 1. The target is never visible half-written, even if the process is killed.
/// 2. Without `replacing`, an existing file is never overwritten, even if it appears after the
///    initial check: the final rename itself fails.
/// 3. The temporary file is removed when this object is released or a signal ends the process. If the process
///    is killed, the next run that writes to the same folder removes the file. A file that is still being
///    written is locked, and stays.
/// 4. The result gets the permissions of the file that it replaces and, if the system allows it,
///    its owner and group.
///
/// If the target is not a regular file (a pipe, a device), the bytes are written to it directly:
/// replacing it would break its readers.
public final class OutputFile: OutputSink {
  /// The path as the user wrote it, for errors.
  let path: String
  /// The final path: `path` with symbolic links followed, so that a link stays a link.
  private let target: String
  /// Nil if the target itself is open, if the file never gets a name, and after publishing.
  private var temporary: TemporaryName?
  package let descriptor: FileDescriptor
  private let replacing: Bool
  /// Permissions of the result.
  private let mode: mode_t
  /// The file whose owner and group the result gets: the replaced file, or the original of a backup.
  private let original: stat?
  /// Whether the result also gets the times of `original`.
  private let keepsTimes: Bool
  /// Permissions and time of the result, if the caller sets them.
  private let attributes: FileAttributes?
  /// Whether the file never gets a name.
  private let isUnlinked: Bool
  private let operations: FileOperations
  /// Bytes appended, and how many of them the system was asked to write to the disk.
  private var appended = 0
  private var started = 0

  /// After this many bytes, the system is asked to start writing them to the disk.
  private static let writebackByteCount = 1 << 20

  private struct TemporaryName {
    var path: String
    /// The slot in the table of files that a signal handler removes.
    var slot: Int32
  }

  /// Opens the output. The target does not change before ``publish()``.
  ///
  /// - Parameters:
  ///   - path: the target as the user wrote it.
  ///   - replacing: whether to replace an existing file. The result keeps its permissions.
  ///   - isPrivate: whether only the owner may read the result: mode 0600 instead of 0644 minus the umask.
  /// - Throws: `outputExists`, `cannotCreate`.
  public convenience init(
    path: String, replacing: Bool, isPrivate: Bool = false
  ) throws(RealmFileError) {
    try self.init(
      path: path, replacing: replacing, isPrivate: isPrivate, operations: .system)
  }

  /// Like ``init(path:replacing:isPrivate:)``.
  ///
  /// - Parameters:
  ///   - originalPath: for a backup, the file whose permissions, owner and times the result gets.
  ///   - attributes: permissions and time of the result; they override those of a replaced file.
  ///   - operations: tests let them fail.
  package init(
    path: String, replacing: Bool, isPrivate: Bool = false, copyOf originalPath: String? = nil,
    attributes: FileAttributes? = nil, operations: FileOperations
  ) throws(RealmFileError) {
    (self.path, self.replacing, self.operations) = (path, replacing, operations)
    (self.attributes, isUnlinked) = (attributes, false)
    keepsTimes = originalPath != nil
    let existing = OutputFile.status(of: path)
    if let existing, existing.st_mode & S_IFMT != S_IFREG {
      // Checked before links are followed: a pipe in /dev/fd has no other path.
      target = path
      descriptor = try OutputFile.openStream(path, isFolder: existing.st_mode & S_IFMT == S_IFDIR)
      mode = existing.st_mode & 0o777
      original = nil
      return
    }
    let original = originalPath.flatMap(OutputFile.status) ?? existing
    self.original = original
    target = try OutputFile.followingLinks(path)
    guard existing == nil || replacing else { throw RealmFileError(.outputExists, path: path) }

    OutputFile.removeAbandoned(in: OutputFile.folder(of: target))
    let created = try OutputFile.createTemporary(
      beside: target, path: path, isPrivate: isPrivate, operations)
    (temporary, descriptor) = (created.name, created.descriptor)
    do throws(RealmFileError) {
      // The system has applied the umask to the new file. Until it is published, only the owner can read it.
      let ordinary = try created.descriptor.status().st_mode & 0o777
      let kept = attributes.map { mode_t($0.mode & 0o777) } ?? original.map { $0.st_mode & 0o777 }
      mode = isPrivate ? 0o600 : kept ?? ordinary
      fchmod(created.descriptor.number, 0o600)
      // Shows other runs that the file is in use. Not all file systems support locks.
      flock(created.descriptor.number, LOCK_EX | LOCK_NB)
    } catch {
      OutputFile.remove(created.name)
      throw error.adding(path: path)
    }
  }

  /// Creates a temporary file without a name. It disappears with this object and is never published.
  ///
  /// - Throws: `cannotCreate`.
  package init(unlinkedBy operations: FileOperations) throws(RealmFileError) {
    descriptor = try UnlinkedFile.make()
    path = UnlinkedFile.folder
    target = path
    (mode, original, keepsTimes, attributes) = (0o600, nil, false, nil)
    (replacing, isUnlinked) = (false, true)
    self.operations = operations
  }

  deinit {
    if let temporary { OutputFile.remove(temporary) }
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
    guard isFile, appended - started >= OutputFile.writebackByteCount else { return }
    csystem_start_writeback(descriptor.number, Int64(started), Int64(appended - started))
    started = appended
  }

  /// Whether bytes can be written at any offset; false for a pipe or a device.
  package var isFile: Bool { temporary != nil || isUnlinked }

  /// The path of the temporary file, for a library that writes files by path; nil for a pipe, a device, or a
  /// file without a name.
  package var unfinishedPath: String? { temporary?.path }

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

  /// Syncs the bytes, renames the file to its final name and syncs the folder.
  ///
  /// - Throws: `outputExists` if the target appeared meanwhile; `inputOutput`, `cannotCreate`.
  public func publish() throws(RealmFileError) {
    guard let temporary else { return }
    do throws(RealmFileError) {
      try setAttributes()
      try sync()
      try move(temporary.path)
      csystem_forget_unfinished(temporary.slot)
      self.temporary = nil
      try syncFolder()
    } catch {
      throw error.adding(path: path)
    }
  }
}

// MARK: - System calls

extension OutputFile {
  private static func openStream(
    _ path: String, isFolder: Bool
  ) throws(RealmFileError) -> FileDescriptor {
    let number = isFolder ? -1 : unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard number >= 0 else {
      let reason = SystemError(isFolder ? EISDIR : errno, "write to this path")
      throw RealmFileError(.cannotCreate(reason), path: path)
    }
    return FileDescriptor(owning: number)
  }

  private static func createTemporary(
    beside target: String, path: String, isPrivate: Bool, _ operations: FileOperations
  ) throws(RealmFileError) -> (name: TemporaryName, descriptor: FileDescriptor) {
    var name = String(
      target[(target.lastIndex(of: "/").map(target.index(after:)) ?? target.startIndex)...])
    // Common file systems limit names to 255 bytes; prefix and numbers take at most 40.
    while name.utf8.count > 200 { name.removeLast() }
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let temporary =
        folder(of: target) + "/\(AuxiliaryFiles.temporaryPrefix)\(getpid())-\(random)-\(name)"
      // Registered before the file exists, so that a signal at any time removes it.
      let slot = unsafe csystem_register_unfinished(temporary)
      let opened = operations.run(.create) {
        unsafe open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
      }
      switch opened {
      case .success(let number):
        return (TemporaryName(path: temporary, slot: slot), FileDescriptor(owning: number))
      case .failure(let error):
        csystem_forget_unfinished(slot)
        if error.number != EEXIST {
          throw RealmFileError(
            .cannotCreate(SystemError(error.number, "create the file")), path: path)
        }
      }
    }
  }

  private static func remove(_ temporary: TemporaryName) {
    _ = unsafe unlink(temporary.path)
    csystem_forget_unfinished(temporary.slot)
  }

  /// Removes temporary files that killed processes left in `folder`: their process does not exist, and they are
  /// not locked. The process number alone is not enough, because other hosts and containers have processes of
  /// their own.
  private static func removeAbandoned(in folder: String) {
    // If the folder cannot be read, there is nothing to remove.
    for case let name? in (try? Folder.names(in: folder)) ?? [] {
      guard let process = AuxiliaryFiles.process(ofTemporary: name), process != getpid(),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      let path = folder + "/" + name
      let number = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
      guard number >= 0 else { continue }
      let descriptor = FileDescriptor(owning: number)
      guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { continue }
      unsafe unlink(path)
    }
  }

  /// Sets the permissions of the result and, if they come from another file, its owner, group and times.
  private func setAttributes() throws(RealmFileError) {
    if let original {
      // Only the superuser can change the owner; others may still be able to set the group.
      if fchown(descriptor.number, original.st_uid, original.st_gid) != 0 {
        _ = fchown(descriptor.number, uid_t.max, original.st_gid)
      }
      if keepsTimes {
        #if canImport(Glibc)
          let times = [original.st_atim, original.st_mtim]
        #else
          let times = [original.st_atimespec, original.st_mtimespec]
        #endif
        _ = unsafe futimens(descriptor.number, times)
      }
    }
    if let attributes {
      var time = timespec()
      (time.tv_sec, time.tv_nsec) = (attributes.seconds, attributes.nanoseconds)
      let times = [time, time]
      _ = unsafe futimens(descriptor.number, times)
    }
    try operations.must(.setAttributes) {
      .cannotCreate(SystemError($0, "set the permissions"))
    } _: {
      fchmod(descriptor.number, mode)
    }
  }

  private func sync() throws(RealmFileError) {
    try operations.must(.sync) {
      .inputOutput(SystemError($0, "sync the output"))
    } _: {
      #if !canImport(Glibc)
        // On macOS, fsync leaves the bytes in the cache of the drive. Not all file systems support
        // F_FULLFSYNC.
        if fcntl(descriptor.number, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor.number)
    }
  }

  /// Renames the temporary file to the target in one step.
  private func move(_ temporary: String) throws(RealmFileError) {
    let renamed = operations.run(.rename) {
      replacing
        ? unsafe rename(temporary, target)
        : unsafe csystem_rename_without_replacing(temporary, target)
    }
    guard case .failure(let error) = renamed else { return }
    var number = error.number
    // Some file systems support only one of the two calls that do not overwrite.
    if !replacing, number == EINVAL || number == ENOSYS || number == ENOTSUP {
      guard unsafe link(temporary, target) != 0 else {
        _ = unsafe unlink(temporary)
        return
      }
      number = errno
    }
    guard replacing || number != EEXIST else { throw RealmFileError(.outputExists) }
    throw RealmFileError(.cannotCreate(SystemError(number, "rename the output")))
  }

  private func syncFolder() throws(RealmFileError) {
    let number = unsafe open(OutputFile.folder(of: target), O_RDONLY | O_CLOEXEC)
    // A folder that is writable but not readable cannot be synced; the file itself is synced.
    guard number >= 0 else { return }
    let folder = FileDescriptor(owning: number)
    let synced = operations.run(.syncFolder) { fsync(folder.number) }
    // EINVAL: the file system does not support syncing folders.
    if case .failure(let error) = synced, error.number != EINVAL {
      throw RealmFileError(.inputOutput(SystemError(error.number, "sync the folder")))
    }
  }
}
