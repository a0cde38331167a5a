import CSystem
import Synchronization

/// The signal that a terminal sends for the key for interrupts, for programs that end their current work and go on.
package enum Interrupts {
  private static let current = Mutex<Cancellation?>(nil)

  /// From now on, the signal cancels the work of ``cancelling(_:)``, and has no effect while there is none.
  package static func catchAll() {
    _ = csystem_catch_interrupts { Interrupts.current.withLock { $0?.cancel() } }
  }

  /// Calls `body` with a cancellation, which is also that of this thread. The signal cancels it.
  package static func cancelling<Result>(
    _ body: (Cancellation) throws -> Result
  ) rethrows -> Result {
    let cancellation = Cancellation()
    current.withLock { $0 = cancellation }
    defer { current.withLock { $0 = nil } }
    return try Cancellation.$current.withValue(cancellation) { try body(cancellation) }
  }
}
