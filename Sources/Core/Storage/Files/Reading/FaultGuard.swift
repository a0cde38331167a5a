import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns reads past the end of a truncated file into errors.
///
/// Realms are mapped into memory. If another process truncates such a file, or the disk cannot read
/// a page, the system sends SIGBUS to the thread that touches the page, which ends the process. With
/// the guard on, the reader sees zeros instead, and ``Snapshot/prove()`` throws `shrankWhileReading` or
/// `inputOutput`. `realm-cli` turns the guard on. A library does not install signal handlers on its
/// own, so other programs call ``turnOn()`` if they read realms that may be truncated meanwhile.
public enum FaultGuard {
  /// Installs a handler for SIGBUS until the process ends. The handler forwards faults outside of mapped
  /// realms to the previous handler. May be called repeatedly, from any thread.
  ///
  /// - Throws: `inputOutput` if the system rejects the handler.
  public static func turnOn() throws(RealmFileError) {
    guard cmapping_install() != 0 else {
      throw RealmFileError(.inputOutput(SystemError(errno, "install a signal handler")))
    }
  }
}
