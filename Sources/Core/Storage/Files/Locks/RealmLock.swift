#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Exclusive access to a realm: while the lock is held, no other process has the realm open for writing or can
/// open it so (chapter 1, section 6.5).
///
/// The lock file is created if there is none. It is emptied, because the next app that opens the realm would
/// trust what a crashed app left in it. It is never removed: a process that waits for the lock would get the
/// removed file while the next process creates a new one.
package final class RealmLock: Sendable {
  private let locks: [FileLock]

  /// Locks the realm at `path`. If it is a symbolic link, its target is locked too, because an app may open the
  /// realm by either name.
  ///
  /// - Throws: `inUse` with the holders if a process has the realm open; `cannotCreate`, `inputOutput`. All
  ///   errors have the path.
  package init(realm path: String, operations: FileOperations = .system) throws(RealmFileError) {
    do throws(RealmFileError) {
      var locks: [FileLock] = []
      for name in RealmUse.names(of: path) { locks.append(try RealmLock.take(name, operations)) }
      // Emptied only when all locks are held: as long as a process uses the realm by any of its names, it needs
      // the content.
      for lock in locks {
        try operations.must(.truncate) {
          .inputOutput(SystemError($0, "empty the lock file"))
        } _: {
          ftruncate(lock.descriptor.number, 0)
        }
      }
      self.locks = locks
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Maximum number of attempts to open a lock file that other processes keep removing.
  private static let attempts = 10

  /// Opens and locks the lock file of the realm named `name`.
  private static func take(
    _ name: String, _ operations: FileOperations
  ) throws(RealmFileError) -> FileLock {
    for _ in 0..<attempts {
      let descriptor = try openLockFile(of: name, operations)
      let locked = operations.run(.lock) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
      if case .failure(let error) = locked {
        guard error.number != EWOULDBLOCK else { throw inUse(name) }
        throw RealmFileError(.inputOutput(SystemError(error.number, "lock the realm")))
      }
      let lock = FileLock(held: descriptor)
      // If the file was removed before it was locked, the next process that opens the realm creates a new file,
      // and this lock would not exclude it.
      guard try isLockFile(descriptor, of: name) else { continue }
      // The table of locks shows only this process, which has the lock.
      guard RealmUse.probeFIFO(name) == .free else { throw RealmFileError(.inUse([])) }
      return lock
    }
    throw inUse(name)
  }

  private static func openLockFile(
    of name: String, _ operations: FileOperations
  ) throws(RealmFileError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let opened = operations.run(.create) { unsafe open(name + ".lock", flags, 0o644) }
    let descriptor: FileDescriptor
    switch opened {
    case .success(let number): descriptor = FileDescriptor(owning: number)
    case .failure(let error):
      throw RealmFileError(.cannotCreate(SystemError(error.number, "open the lock file")))
    }
    guard try descriptor.status().st_mode & S_IFMT == S_IFREG else {
      throw RealmFileError(.cannotCreate(SystemError(EINVAL, "use this as a lock file")))
    }
    return descriptor
  }

  /// Whether the open file is the current lock file of the realm.
  private static func isLockFile(
    _ descriptor: FileDescriptor, of name: String
  ) throws(RealmFileError) -> Bool {
    guard let found = OutputFile.status(of: name + ".lock") else { return false }
    let own = try descriptor.status()
    return found.st_dev == own.st_dev && found.st_ino == own.st_ino
  }

  private static func inUse(_ name: String) -> RealmFileError {
    RealmFileError(.inUse(RealmUse.holders(ofRealmAt: name)))
  }
}
