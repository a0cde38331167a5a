import Synchronization

/// Tells work on other threads that nobody waits for its result any more.
package final class Cancellation: Sendable {
  /// The cancellation of the work that runs on this thread; nil for work that is never cancelled.
  @TaskLocal package static var current: Cancellation?

  private let flag = Atomic(false)

  package init() {}

  package func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// - Throws: `brokenPipe` after ``cancel()``, as if a pipe to the reader of the result were closed.
  package func check() throws(RealmFileError) {
    guard !isCancelled else { throw RealmFileError(.brokenPipe) }
  }
}
