internal import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns a read past the end of a file that was truncated into an error.
///
/// Realms are mapped into memory. If another process truncates such a file, or the disk cannot read
/// a page, the system sends SIGBUS to the thread that touches the page, and the process ends. With
/// the guard on, the reader sees zeros, and ``Snapshot/prove()`` throws `shrankWhileReading` or
/// `inputOutput`. `realm-cli` turns the guard on. A library does not install signal handlers by
/// itself: a program that reads realms which others may truncate calls ``turnOn()``.
public enum FaultGuard {
  /// Installs a handler for SIGBUS for the rest of the life of the process. It forwards faults
  /// outside of mapped realms to the previous handler. May be called again, from any thread.
  ///
  /// - Throws: `inputOutput` if the system rejects the handler.
  public static func turnOn() throws(RealmFileError) {
    guard cmapping_install() != 0 else {
      throw RealmFileError(.inputOutput(SystemError(errno, "install a signal handler")))
    }
  }
}
