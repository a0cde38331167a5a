import CSystem

/// Threads that nobody waits for.
package enum BackgroundThread {
  /// Calls `body` on a new thread.
  ///
  /// - Parameter stackByteCount: size of its stack; only the part in use takes memory.
  /// - Returns: false if the thread could not be started.
  package static func start(
    stackByteCount: Int, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    let call = unsafe Unmanaged.passRetained(Call(body))
    let isStarted = unsafe csystem_start_thread(
      stackByteCount,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Call>.fromOpaque(context).takeRetainedValue().body()
      }, call.toOpaque())
    if isStarted == 0 { unsafe call.release() }
    return isStarted != 0
  }

  /// The function that the thread calls.
  private final class Call: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
