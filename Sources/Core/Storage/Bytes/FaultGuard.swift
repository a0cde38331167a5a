internal import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Turns reading behind the end of a file that was cut short into an error.
///
/// Realms are mapped into memory. Where another process cuts such a file short, or the disk cannot read
/// a page, the system sends SIGBUS to the thread that touches the page, and the process ends. With the
/// guard on, the reader sees zeros there, and ``Snapshot/prove()`` throws `shrankWhileReading` or
/// `inputOutput`. `realm-cli` turns it on. A library leaves the signals of its process alone unless it
/// is asked, so a program that reads realms that others may cut short turns it on itself.
public enum FaultGuard {
  /// Installs a handler for SIGBUS for the rest of the life of the process. Faults that do not come from
  /// mapped realms go to the handler that was there before. Can be called again, from any thread.
  ///
  /// - Throws: `inputOutput` where the system refuses the handler.
  public static func turnOn() throws(RealmFileError) {
    guard cmapping_install() != 0 else {
      throw RealmFileError(.inputOutput(SystemError(errno, "install a signal handler")))
    }
  }
}
