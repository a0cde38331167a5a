import RealmStorage
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Work that takes longer than a page may: checking a realm, or counting all its bytes. Pages show how far it is.
final class BackgroundTask: Sendable {
  /// How far the work is.
  enum State {
    /// The amount of work done and the total; both 0 at first.
    case running(done: Int, total: Int)
    case finished(any Sendable)
    case failed(any Error)
  }

  /// Bytes of the stack of the thread.
  private static let stackByteCount = 1 << 20

  private let state = Mutex(State.running(done: 0, total: 0))

  /// Starts the work on a thread of its own.
  init(
    _ work:
      @escaping @Sendable (_ progress: @escaping @Sendable (Int, Int) -> Void) throws ->
      any Sendable
  ) {
    let run: @Sendable () -> Void = {
      let result: State
      do {
        result = .finished(
          try work { done, total in
            self.state.withLock { $0 = .running(done: done, total: total) }
          })
      } catch {
        result = .failed(error)
      }
      self.state.withLock { $0 = result }
    }
    if !BackgroundThread.start(stackByteCount: BackgroundTask.stackByteCount, run) { run() }
  }

  /// The state after at most `milliseconds`, or earlier when the work is done: work on a small realm needs no second
  /// page.
  func state(waiting milliseconds: Int) -> State {
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(milliseconds)
    while true {
      let now = state.withLock { $0 }
      guard case .running = now, clock.now < end else { return now }
      usleep(10_000)
    }
  }
}
