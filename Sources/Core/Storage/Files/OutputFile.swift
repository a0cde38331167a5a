internal import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that appears whole or not at all.
///
/// The bytes go to a temporary file in the folder of the target, which takes the target's name once
/// everything is written and synced. Invariants:
///
/// 1. The target is never seen half-written, whenever the process is killed.
/// 2. Without `replacing`, a file that exists is never overwritten, also one that appears between
///    the check at the start and the end: the last step itself refuses it.
/// 3. The temporary file is gone when this object is, or when a signal ends the process. One that a
///    killed process left is removed by the next run that writes to the same folder; one that is
///    being written is locked, which tells the two apart.
/// 4. A file that is replaced leaves its permissions to the result and, where the system allows it,
///    its owner and group.
///
/// A target that is no regular file (a pipe, a device) is written to directly: there is nothing to
/// replace, and taking its name away would break whoever reads from it.
public final class OutputFile: OutputSink {
  /// Path as the user wrote it, for errors.
  private let path: String
  /// Where the file appears: `path` with its symbolic links followed, so that a link stays one.
  private let target: String
  /// nil where the target itself is open, and after publishing.
  private var temporary: TemporaryName?
  private let descriptor: FileDescriptor
  private let replacing: Bool
  /// Permissions of the result.
  private let mode: mode_t
  /// The file whose owner the result gets: the one that is replaced, or that is backed up.
  private let original: stat?
  /// Whether the result gets the times of `original` too.
  private let keepsTimes: Bool
  /// Permissions and time of the result, where they do not come from a file.
  private let attributes: FileAttributes?
  /// True for a file without a name, which never gets one.
  private let isUnlinked: Bool
  private let operations: FileOperations
  /// Bytes appended, and how many of them the system was told to write to the disk.
  private var appended = 0
  private var started = 0

  /// Bytes of which the disk can begin to write the first while the next are made.
  private static let writebackByteCount = 1 << 20

  private struct TemporaryName {
    var path: String
    /// Number in the list of files that a signal removes.
    var slot: Int32
  }

  /// Opens the output; the target is not touched before ``publish()``.
  ///
  /// - Parameters:
  ///   - path: the target as the user wrote it.
  ///   - replacing: whether a file that exists is replaced. It then keeps its permissions.
  ///   - isPrivate: whether nobody but the owner may read the result: 0600 instead of 0644 less
  ///     the umask.
  /// - Throws: `outputExists`, `cannotCreate`.
  public convenience init(
    path: String, replacing: Bool, isPrivate: Bool = false
  ) throws(RealmFileError) {
    try self.init(
      path: path, replacing: replacing, isPrivate: isPrivate, operations: .system)
  }

  /// As ``init(path:replacing:isPrivate:)``.
  ///
  /// - Parameters:
  ///   - originalPath: a file whose permissions, owner and times the result gets, for a backup of it.
  ///   - attributes: permissions and time of the result, before those of a file that is replaced.
  ///   - operations: what tests let fail.
  package init(
    path: String, replacing: Bool, isPrivate: Bool = false, copyOf originalPath: String? = nil,
    attributes: FileAttributes? = nil, operations: FileOperations
  ) throws(RealmFileError) {
    (self.path, self.replacing, self.operations) = (path, replacing, operations)
    (self.attributes, isUnlinked) = (attributes, false)
    keepsTimes = originalPath != nil
    let existing = OutputFile.status(of: path)
    if let existing, existing.st_mode & S_IFMT != S_IFREG {
      // Before its links are followed: a pipe behind /dev/fd has no path of its own.
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
      // The umask has done its work on the new file; until it is published it is the owner's only.
      let ordinary = try created.descriptor.status().st_mode & 0o777
      let kept = attributes.map { mode_t($0.mode & 0o777) } ?? original.map { $0.st_mode & 0o777 }
      mode = isPrivate ? 0o600 : kept ?? ordinary
      fchmod(created.descriptor.number, 0o600)
      // Tells other runs that this file is not abandoned; a file system without locks cannot.
      flock(created.descriptor.number, LOCK_EX | LOCK_NB)
    } catch {
      OutputFile.remove(created.name)
      throw error.adding(path: path)
    }
  }

  /// Makes a temporary file without a name, which goes with this object and is never published.
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

  /// True where bytes can be written at any place; false for a pipe or a device.
  package var isFile: Bool { temporary != nil || isUnlinked }

  /// The open file, to read what was written.
  package var file: FileDescriptor { descriptor }

  /// Writes `bytes` at byte `offset` of the file; what ``write(_:)`` appends goes on where it was.
  ///
  /// - Throws: as ``write(_:)``.
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

  /// Takes over the bytes of `source` without copying them, where the file system can share them.
  ///
  /// - Returns: false where it cannot; nothing was done then.
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

  /// Syncs the bytes, gives the file its name and syncs the folder.
  ///
  /// - Throws: `outputExists` where a file has appeared meanwhile; `inputOutput`, `cannotCreate`.
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

  /// Whether two paths lead to the same file; false where one does not exist.
  public static func isSameFile(_ a: String, _ b: String) -> Bool {
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

  /// `path`, or where its symbolic links lead, also when nothing is there yet.
  ///
  /// - Throws: `cannotCreate` for links that lead in a circle.
  private static func followingLinks(_ path: String) throws(RealmFileError) -> String {
    var path = path
    // As many as Linux follows itself.
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

  /// The folder that `path` is in.
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
    // 255 bytes is the longest name of the usual file systems; the rest takes at most 40.
    while name.utf8.count > 200 { name.removeLast() }
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let temporary =
        folder(of: target) + "/\(AuxiliaryFiles.temporaryPrefix)\(getpid())-\(random)-\(name)"
      // Before the file exists: a signal in between finds nothing to remove.
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

  /// Removes temporary files in `folder` whose process was killed: it is gone, and so is its lock.
  /// Other hosts and containers have other processes, so a number alone proves nothing.
  private static func removeAbandoned(in folder: String) {
    // Where the folder cannot be read there is nothing to find.
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

  /// Gives the new file the permissions of the result and, where it replaces one, its owner.
  private func setAttributes() throws(RealmFileError) {
    if let original {
      // Only the superuser gives files away; for others the group may still be one of theirs.
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
        // On a Mac, fsync leaves the bytes in the drive's cache. Not every file system has the
        // other.
        if fcntl(descriptor.number, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(descriptor.number)
    }
  }

  /// Gives the file its final name in one step.
  private func move(_ temporary: String) throws(RealmFileError) {
    let renamed = operations.run(.rename) {
      replacing
        ? unsafe rename(temporary, target)
        : unsafe csystem_rename_without_replacing(temporary, target)
    }
    guard case .failure(let error) = renamed else { return }
    var number = error.number
    // Some file systems know only one of the two ways that refuse to overwrite.
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
    // A folder that may be written but not read cannot be synced; the file itself is.
    guard number >= 0 else { return }
    let folder = FileDescriptor(owning: number)
    let synced = operations.run(.syncFolder) { fsync(folder.number) }
    // EINVAL: a file system without it.
    if case .failure(let error) = synced, error.number != EINVAL {
      throw RealmFileError(.inputOutput(SystemError(error.number, "sync the folder")))
    }
  }
}
