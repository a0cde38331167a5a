internal import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears whole or not at all.
///
/// The bytes are written to a temporary file in the folder of the target. When all bytes are
/// written and synced, the file is renamed to the target. Invariants:
///
/// 1. The target is never visible half-written, even if the process is killed.
/// 2. Without `replacing`, an existing file is never overwritten, even if it appears after the
///    initial check: the final rename itself refuses.
/// 3. The temporary file is removed when this object is released, or when a signal ends the
///    process. If the process is killed, the next run that writes to the same folder removes the
///    file. A file that is still being written is locked, which distinguishes the two cases.
/// 4. The result gets the permissions of the file that it replaces and, where the system allows it,
///    its owner and group.
///
/// If the target is not a regular file (a pipe, a device), the bytes are written to it directly:
/// replacing it would break its readers.
public final class OutputFile: OutputSink {
  /// Path as the user wrote it, for errors.
  let path: String
  /// The final path: `path` with symbolic links followed, so that a link stays a link.
  private let target: String
  /// Nil if the target itself is open, and after publishing.
  private var temporary: TemporaryName?
  package let descriptor: FileDescriptor
  private let replacing: Bool
  /// Permissions of the result.
  private let mode: mode_t
  /// The file whose owner the result gets: the replaced file, or the original of a backup.
  private let original: stat?
  /// Whether the result also gets the times of `original`.
  private let keepsTimes: Bool
  /// Permissions and time of the result, if they do not come from a file.
  private let attributes: FileAttributes?
  /// True for a file that never gets a name.
  private let isUnlinked: Bool
  private let operations: FileOperations
  /// Bytes appended, and how many of them the system was told to write to the disk.
  private var appended = 0
  private var started = 0

  /// Bytes after which the system is told to start writing to the disk, while more bytes are made.
  private static let writebackByteCount = 1 << 20

  private struct TemporaryName {
    var path: String
    /// Index in the list of files that a signal handler removes.
    var slot: Int32
  }

  /// Opens the output. The target is not touched before ``publish()``.
  ///
  /// - Parameters:
  ///   - path: the target as the user wrote it.
  ///   - replacing: whether an existing file is replaced. The result keeps its permissions.
  ///   - isPrivate: whether only the owner may read the result: mode 0600 instead of 0644 minus the
  ///     umask.
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
  ///   - originalPath: for a backup: the file whose permissions, owner and times the result gets.
  ///   - attributes: permissions and time of the result; they override the ones of a replaced file.
  ///   - operations: tests replace them to let them fail.
  package init(
    path: String, replacing: Bool, isPrivate: Bool = false, copyOf originalPath: String? = nil,
    attributes: FileAttributes? = nil, operations: FileOperations
  ) throws(RealmFileError) {
    (self.path, self.replacing, self.operations) = (path, replacing, operations)
    (self.attributes, isUnlinked) = (attributes, false)
    keepsTimes = originalPath != nil
    let existing = OutputFile.status(of: path)
    if let existing, existing.st_mode & S_IFMT != S_IFREG {
      // Checked before links are followed: a pipe behind /dev/fd has no path of its own.
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
      // The umask has been applied to the new file. Until it is published, only the owner can read
      // it.
      let ordinary = try created.descriptor.status().st_mode & 0o777
      let kept = attributes.map { mode_t($0.mode & 0o777) } ?? original.map { $0.st_mode & 0o777 }
      mode = isPrivate ? 0o600 : kept ?? ordinary
      fchmod(created.descriptor.number, 0o600)
      // Shows other runs that the file is in use. File systems without locks do not support this.
      flock(created.descriptor.number, LOCK_EX | LOCK_NB)
    } catch {
      OutputFile.remove(created.name)
      throw error.adding(path: path)
    }
  }

  /// Creates a temporary file without a name. It is removed with this object and never published.
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
      try check(.write)
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

  /// Path of the unfinished file, for a library that writes files by path; nil for a pipe or a device, and
  /// for a file without a name.
  package var unfinishedPath: String? { temporary?.path }

  /// The path that the file gets: links of the path that the user wrote are followed.
  package var finalPath: String { target }

  /// The open file, for reading back what was written.
  package var file: FileDescriptor { descriptor }

  /// Writes `bytes` at `offset` in the file. ``write(_:)`` still appends at its own position.
  ///
  /// - Throws: same as ``write(_:)``.
  @unsafe
  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try check(.write)
      try unsafe descriptor.write(bytes, at: offset)
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Clones the content of `source`, if the file system can share blocks.
  ///
  /// - Returns: false if it cannot; then the file is unchanged.
  package func clone(_ source: FileDescriptor) -> Bool {
    #if os(Linux)
      // FICLONE, as in UnlinkedFile.
      return isFile && ioctl(descriptor.number, 0x4004_9409, source.number) == 0
    #else
      return false
    #endif
  }

  private func check(_ step: FileOperations.Step) throws(RealmFileError) {
    try operations.must(step) {
      .inputOutput(SystemError($0, "write the output"))
    } _: {
      0
    }
  }

  /// Syncs the bytes, renames the file to its final name and syncs the folder.
  ///
  /// - Throws: `outputExists` if the target has appeared meanwhile; `inputOutput`, `cannotCreate`.
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

  /// Whether what is written to two paths would be one file, which may not exist yet.
  package static func isSameTarget(_ a: String, _ b: String) -> Bool {
    if isSameFile(a, b) { return true }
    guard let a = try? followingLinks(a), let b = try? followingLinks(b),
      isSameFile(folder(of: a), folder(of: b))
    else { return false }
    return a.split(separator: "/").last == b.split(separator: "/").last
  }

  /// Whether two paths lead to the same file; false if one does not exist.
  package static func isSameFile(_ a: String, _ b: String) -> Bool {
    guard let a = status(of: a), let b = status(of: b) else { return false }
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }
}

// MARK: - System calls

extension OutputFile {
  static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// `path` with its symbolic links followed, even if the target does not exist.
  ///
  /// - Throws: `cannotCreate` for a circle of links.
  private static func followingLinks(_ path: String) throws(RealmFileError) -> String {
    var path = path
    // The same limit as Linux.
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe readlink(path, bytes.baseAddress!, bytes.count)
      }
      guard count >= 0 else { return path }
      let link = String(decoding: buffer[..<count], as: UTF8.self)
      path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
    }
    throw RealmFileError(.cannotCreate(SystemError(ELOOP, "create the file")), path: path)
  }

  /// The folder that contains `path`.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func openStream(
    _ path: String, isFolder: Bool
  ) throws(RealmFileError) -> FileDescriptor {
    let number = isFolder ? -1 : unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard number >= 0 else {
      let reason = SystemError(isFolder ? EISDIR : errno, "write to this")
      throw RealmFileError(.cannotCreate(reason), path: path)
    }
    return FileDescriptor(owning: number)
  }

  private static func createTemporary(
    beside target: String, path: String, isPrivate: Bool, _ operations: FileOperations
  ) throws(RealmFileError) -> (name: TemporaryName, descriptor: FileDescriptor) {
    var name = String(
      target[(target.lastIndex(of: "/").map(target.index(after:)) ?? target.startIndex)...])
    // Common file systems limit names to 255 bytes; prefix and suffix take at most 40.
    while name.utf8.count > 200 { name.removeLast() }
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let temporary =
        folder(of: target) + "/\(AuxiliaryFiles.temporaryPrefix)\(getpid())-\(random)-\(name)"
      // Registered before the file exists: a signal in between finds nothing to remove.
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

  /// Removes temporary files in `folder` that were left by killed processes: the process does not
  /// exist, and the file is not locked. The process number alone proves nothing, because other
  /// hosts and containers have their own processes.
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

  /// Gives the new file the permissions of the result and, if it replaces a file, the owner of that
  /// file.
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
        // On macOS, fsync leaves the bytes in the cache of the drive. Not every file system
        // supports F_FULLFSYNC.
        if fcntl(descriptor.number, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor.number)
    }
  }

  /// Renames the file to its final name in one step.
  private func move(_ temporary: String) throws(RealmFileError) {
    let renamed = operations.run(.rename) {
      replacing
        ? unsafe rename(temporary, target)
        : unsafe csystem_rename_without_replacing(temporary, target)
    }
    guard case .failure(let error) = renamed else { return }
    var number = error.number
    // Some file systems support only one of the two calls that refuse to overwrite.
    if !replacing, number == EINVAL || number == ENOSYS || number == ENOTSUP {
      guard unsafe link(temporary, target) != 0 else {
        _ = unsafe unlink(temporary)
        return
      }
      number = errno
    }
    guard replacing || number != EEXIST else { throw RealmFileError(.outputExists) }
    throw RealmFileError(.cannotCreate(SystemError(number, "name the output")))
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
