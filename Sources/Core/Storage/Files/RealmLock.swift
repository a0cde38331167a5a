#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Exclusive access to a realm: no process has it open for writing, and none gets it open while the
/// lock is held (chapter 1, section 6.5).
///
/// The lock file is made where there is none, and emptied: what a crashed app left in it would be
/// trusted by an app that opens the realm afterwards. It is never removed, as a process that waits
/// for it would then wait for another file than the next one finds.
package final class RealmLock: Sendable {
  /// Of the lock files; closing them gives the locks back.
  private let descriptors: [FileDescriptor]

  /// Takes the lock of the realm at `path`; where that is a symbolic link, that of its target too:
  /// an app may open the realm by either name.
  ///
  /// - Throws: `inUse` with the holders where a process has the realm open; `cannotCreate`,
  ///   `inputOutput`. Always with the path.
  package init(realm path: String, operations: FileOperations = .system) throws(RealmFileError) {
    do throws(RealmFileError) {
      var descriptors: [FileDescriptor] = []
      for name in RealmUse.names(of: path) {
        descriptors.append(try RealmLock.take(name, operations))
      }
      // Only now: the contents are worthless when nobody uses the realm by any of its names.
      for descriptor in descriptors {
        try operations.must(.truncate) {
          .inputOutput(SystemError($0, "empty the lock file"))
        } _: {
          ftruncate(descriptor.number, 0)
        }
      }
      self.descriptors = descriptors
    } catch {
      throw error.adding(path: path)
    }
  }

  /// How often a lock file is opened that is removed meanwhile.
  private static let attempts = 10

  /// The lock file of the realm named `name`, locked.
  private static func take(
    _ name: String, _ operations: FileOperations
  ) throws(RealmFileError) -> FileDescriptor {
    for _ in 0..<attempts {
      let descriptor = try open(name, operations)
      let locked = operations.run(.lock) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
      if case .failure(let error) = locked {
        guard error.number != EWOULDBLOCK else { throw inUse(name) }
        throw RealmFileError(.inputOutput(SystemError(error.number, "lock the realm")))
      }
      // The file may have been removed before it was locked: the next process that opens the realm
      // makes another one, and nothing would keep it out.
      guard try isLockFile(descriptor, of: name) else { continue }
      guard RealmUse.probeFIFO(name) == .free else { throw inUse(name) }
      return descriptor
    }
    throw inUse(name)
  }

  private static func open(
    _ name: String, _ operations: FileOperations
  ) throws(RealmFileError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    #if canImport(Glibc)
      let opened = operations.run(.create) { unsafe Glibc.open(name + ".lock", flags, 0o644) }
    #else
      let opened = operations.run(.create) { unsafe Darwin.open(name + ".lock", flags, 0o644) }
    #endif
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

  /// Whether the open file is the one that others find.
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
