import Foundation

/// Holds a lock on a file for its lifetime, like a process that has a realm open.
public final class HeldLock: Sendable {
  private let descriptor: Int32

  /// - Parameters:
  ///   - path: a file, which is created if it does not exist.
  ///   - operation: `LOCK_SH` or `LOCK_EX`.
  public init(_ path: String, _ operation: Int32) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    precondition(descriptor >= 0 && flock(descriptor, operation | LOCK_NB) == 0)
  }

  deinit {
    // A process that is being started has the file open, too.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
