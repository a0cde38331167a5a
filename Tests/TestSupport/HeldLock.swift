import Foundation

/// Holds a lock on a file until it goes, as a process does that has a realm open.
public final class HeldLock: Sendable {
  private let descriptor: Int32

  /// - Parameters:
  ///   - path: a file that is created if there is none.
  ///   - operation: `LOCK_SH` or `LOCK_EX`.
  public init(_ path: String, _ operation: Int32) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    precondition(descriptor >= 0 && flock(descriptor, operation | LOCK_NB) == 0)
  }

  deinit { close(descriptor) }
}
