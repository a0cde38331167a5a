import CSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file with the name of a temporary file of this tool (``TemporaryName``).
///
/// A run locks its temporary file until it is published, and the system releases the lock when the process ends, even
/// if it is killed. So a file is abandoned if its lock is free. The process number in its name proves nothing: it may
/// belong to another container, another machine, or meanwhile to another program.
///
/// Invariant: a file is only removed while this process holds its lock, so no run is writing it.
package struct TemporaryFile: Sendable {
  /// Whether a run writes the file.
  package enum Use: Equatable, Sendable {
    /// The run that wrote the file was killed.
    case abandoned
    /// A run is writing the file.
    case inUse
    /// The file changed recently, and its file system may be shared with other machines, whose locks may be invisible
    /// here.
    case shared
    /// The file cannot be opened or locked to find out.
    case unknown(SystemError)
  }

  /// A run that writes a file changes it more often than once in this time.
  private static let quietSeconds = 86_400

  package let path: String
  /// The use when the file was found.
  package let use: Use

  /// The temporary files in `folder`, sorted by the bytes of their names; empty if the folder cannot be read.
  package static func list(in folder: String) -> [TemporaryFile] {
    list(in: folder, isLocal: FileSystem.isLocal(folder))
  }

  /// - Parameter isLocal: whether the processes of other machines cannot write to the folder.
  static func list(in folder: String, isLocal: Bool) -> [TemporaryFile] {
    names(in: folder).compactMap { name in
      let path = folder + "/" + name
      return hold(path, isLocal: isLocal) {}.map { TemporaryFile(path: path, use: $0) }
    }
  }

  /// The folders that ``cleanUp(_:)`` has seen.
  private static let seen = Mutex(Set<String>())

  /// Removes the abandoned files in `folder`, once in this process: a run can write thousands of files into a folder
  /// with thousands.
  static func cleanUp(_ folder: String) {
    if seen.withLock({ $0.insert(folder).inserted }) { removeAbandoned(in: folder) }
  }

  /// Removes the abandoned files in `folder`. One that cannot be removed stays.
  static func removeAbandoned(in folder: String) {
    let names = names(in: folder)
    guard !names.isEmpty else { return }
    let isLocal = FileSystem.isLocal(folder)
    for name in names {
      let path = folder + "/" + name
      _ = hold(path, isLocal: isLocal) { _ = unsafe unlink(path) }
    }
  }

  /// Removes the file if it is abandoned.
  ///
  /// - Throws: `inputOutput`, with the path.
  package func remove(_ operations: FileOperations) throws(RealmFileError) {
    var problem: RealmFileError?
    let isLocal = FileSystem.isLocal(OutputFile.folder(of: path))
    _ = TemporaryFile.hold(path, isLocal: isLocal) {
      do throws(RealmFileError) {
        try FileRemoval(operations: operations).remove(path)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
  }

  private static func names(in folder: String) -> [String] {
    let names = (try? Folder.names(in: folder)) ?? []
    return names.compactMap(\.self).filter(TemporaryName.matches)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Finds out whether the file at `path` is in use. If it is abandoned, calls `body` while it is locked.
  ///
  /// - Returns: nil if the file has disappeared or is not a regular file.
  private static func hold(_ path: String, isLocal: Bool, _ body: () -> Void) -> Use? {
    let flags = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY
    var number = unsafe open(path, O_RDWR | flags)
    // A result may be read-only, and its file too if the run was killed just before the rename.
    if number < 0, errno == EACCES { number = unsafe open(path, O_RDONLY | flags) }
    guard number >= 0 else {
      return [ENOENT, ELOOP, ENXIO, EISDIR].contains(errno)
        ? nil : .unknown(SystemError(errno, "open the file"))
    }
    let descriptor = FileDescriptor(owning: number)
    guard let status = try? descriptor.status(), status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
      return errno == EWOULDBLOCK ? .inUse : .unknown(SystemError(errno, "lock the file"))
    }
    return withExtendedLifetime(FileLock(held: descriptor)) {
      guard isLocal || secondsSinceChange(status) >= quietSeconds else { return .shared }
      body()
      return .abandoned
    }
  }

  private static func secondsSinceChange(_ status: stat) -> Int {
    // The time may be any number.
    time(nil).subtractingReportingOverflow(Int(status.modified.seconds)).partialValue
  }
}
