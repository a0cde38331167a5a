#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock on an open file, held until this object is released.
///
/// Closing the file would not be enough: a process that this one is just starting has the file open too, until it runs
/// its program, and would keep the lock that long.
final class FileLock: Sendable {
  let descriptor: FileDescriptor

  /// - Parameter descriptor: an open file that is locked by `flock`.
  init(held descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { flock(descriptor.number, LOCK_UN) }
}
