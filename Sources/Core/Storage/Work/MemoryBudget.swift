import Synchronization

/// The memory that several stores share, such as ``SortedRuns``.
///
/// Invariant 1: stores that ask ``isExceeded(by:)`` after they have grown, and move to a file then, take up
/// to `limit` bytes together.
package final class MemoryBudget: Sendable {
  private struct State {
    var byteCount = 0
    var storeCount = 0
  }

  /// Smallest number of bytes that a store moves to a file at once.
  private static let leastSpill = 1 << 16

  private static let mostScratch = 32 << 20

  package let limit: Int
  private let state = Mutex(State())

  /// The most bytes that a thread uses to sort a store, for the time of the sort. They do not count as in use.
  package var scratchByteCount: Int { min(MemoryBudget.mostScratch, limit / 8) }

  /// - Parameter limit: the most bytes in use.
  package init(limit: Int) { self.limit = limit }

  /// Number of bytes in use.
  package var byteCount: Int { state.withLock { $0.byteCount } }

  package func add(_ byteCount: Int) { state.withLock { $0.byteCount += byteCount } }

  /// Adds a store to those that share the budget.
  package func join() { state.withLock { $0.storeCount += 1 } }

  /// Removes a store, which takes no memory any more.
  package func leave() { state.withLock { $0.storeCount -= 1 } }

  /// Whether a store of `byteCount` bytes must move to a file.
  ///
  /// A store moves only if it has its share, so that sorted runs are long. All stores below their share take
  /// a quarter of the limit together, and others stop growing when three quarters are in use.
  package func isExceeded(by byteCount: Int) -> Bool {
    state.withLock {
      let share = max(MemoryBudget.leastSpill, limit / (4 * max($0.storeCount, 1)))
      return $0.byteCount > limit / 4 * 3 && byteCount >= share
    }
  }
}
