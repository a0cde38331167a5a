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

  /// The lock file of the realm named `name`, locked.
  private static func take(
    _ name: String, _ operations: FileOperations
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
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: throw inUse(name)
      default: throw RealmFileError(.inputOutput(SystemError(errno, "lock the realm")))
      }
    }
    guard RealmUse.probeFIFO(name) == .free else { throw inUse(name) }
    return descriptor
  }

  private static func inUse(_ name: String) -> RealmFileError {
    RealmFileError(.inUse(RealmUse.holders(ofRealmAt: name)))
  }
}
