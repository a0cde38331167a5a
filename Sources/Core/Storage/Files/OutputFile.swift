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
/// 3. The temporary file is gone when this object is, or when a signal ends the process.
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
  public init(path: String, replacing: Bool, isPrivate: Bool = false) throws(RealmFileError) {
    (self.path, self.replacing) = (path, replacing)
    let existing = OutputFile.status(of: path)
    if let existing, existing.st_mode & S_IFMT != S_IFREG {
      // Before its links are followed: a pipe behind /dev/fd has no path of its own.
      target = path
      descriptor = try OutputFile.openStream(path, isFolder: existing.st_mode & S_IFMT == S_IFDIR)
      mode = existing.st_mode & 0o777
      return
    }
    target = try OutputFile.followingLinks(path)
    guard existing == nil || replacing else { throw RealmFileError(.outputExists, path: path) }

    let created = try OutputFile.createTemporary(beside: target, path: path, isPrivate: isPrivate)
    (temporary, descriptor) = (created.name, created.descriptor)
    do throws(RealmFileError) {
      // The umask has done its work on the new file; until it is published it is the owner's only.
      let ordinary = try created.descriptor.status().st_mode & 0o777
      mode = isPrivate ? 0o600 : existing.map { $0.st_mode & 0o777 } ?? ordinary
      fchmod(created.descriptor.number, 0o600)
    } catch {
      OutputFile.remove(created.name)
      throw error.adding(path: path)
    }
  }

  deinit {
    if let temporary { OutputFile.remove(temporary) }
  }

  @unsafe
  public func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    do throws(RealmFileError) {
      try unsafe writeAll(bytes, to: descriptor.number)
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Syncs the bytes, gives the file its name and syncs the folder.
  ///
  /// - Throws: `outputExists` where a file has appeared meanwhile; `inputOutput`, `cannotCreate`.
  public func publish() throws(RealmFileError) {
    guard let temporary else { return }
    do throws(RealmFileError) {
      guard fchmod(descriptor.number, mode) == 0 else {
        throw RealmFileError(.cannotCreate(SystemError(errno, "set the permissions")))
      }
      try OutputFile.sync(descriptor.number)
      try OutputFile.move(temporary.path, to: target, replacing: replacing)
      csystem_forget_unfinished(temporary.slot)
      self.temporary = nil
      try OutputFile.syncFolder(of: target)
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
  private static func status(of path: String) -> stat? {
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

  private static func folder(of path: String) -> String {
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
    beside target: String, path: String, isPrivate: Bool
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
      let number = unsafe open(
        temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
      if number >= 0 {
        return (TemporaryName(path: temporary, slot: slot), FileDescriptor(owning: number))
      }
      let reason = errno
      csystem_forget_unfinished(slot)
      if reason != EEXIST {
        throw RealmFileError(.cannotCreate(SystemError(reason, "create the file")), path: path)
      }
    }
  }

  private static func remove(_ temporary: TemporaryName) {
    _ = unsafe unlink(temporary.path)
    csystem_forget_unfinished(temporary.slot)
  }

  private static func sync(_ descriptor: Int32) throws(RealmFileError) {
    #if !canImport(Glibc)
      // On a Mac, fsync leaves the bytes in the drive's cache. Not every file system has the other.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    while fsync(descriptor) != 0 {
      guard errno == EINTR else {
        throw RealmFileError(.inputOutput(SystemError(errno, "sync the output")))
      }
    }
  }

  /// Gives the file its final name in one step.
  private static func move(
    _ temporary: String, to target: String, replacing: Bool
  ) throws(RealmFileError) {
    if replacing {
      guard unsafe rename(temporary, target) == 0 else {
        throw RealmFileError(.cannotCreate(SystemError(errno, "name the output")))
      }
      return
    }
    if unsafe csystem_rename_without_replacing(temporary, target) == 0 { return }
    // Some file systems know only one of the two ways that refuse to overwrite.
    if errno == EINVAL || errno == ENOSYS || errno == ENOTSUP, unsafe link(temporary, target) == 0 {
      _ = unsafe unlink(temporary)
      return
    }
    guard errno != EEXIST else { throw RealmFileError(.outputExists) }
    throw RealmFileError(.cannotCreate(SystemError(errno, "name the output")))
  }

  private static func syncFolder(of target: String) throws(RealmFileError) {
    let number = unsafe open(folder(of: target), O_RDONLY | O_CLOEXEC)
    // A folder that may be written but not read cannot be synced; the file itself is.
    guard number >= 0 else { return }
    let folder = FileDescriptor(owning: number)
    // EINVAL: a file system without it.
    guard fsync(folder.number) == 0 || errno == EINVAL else {
      throw RealmFileError(.inputOutput(SystemError(errno, "sync the folder")))
    }
  }
}
