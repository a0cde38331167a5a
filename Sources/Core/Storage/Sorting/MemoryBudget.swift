import Synchronization

/// A limit on memory that several stores share, such as ``SortedRuns``.
///
/// Invariant 1: the stores together take at most about `limit` bytes if each calls ``isExceeded(by:)`` after it
/// grew, and moves to a file if the result is true.
package final class MemoryBudget: Sendable {
  private struct State {
    var byteCount = 0
    var storeCount = 0
  }

  /// A smaller store does not move to a file.
  private static let leastSpill = 1 << 16
  /// Largest value of ``scratchByteCount``.
  private static let mostScratch = 32 << 20

  /// An eighth of the memory that the process may use, and at least 64 MB: the limit if nobody gives one.
  package static let usualLimit = max(64 << 20, Resources.memoryByteCount / 8)

  package let limit: Int
  /// Whether what moves to a file is encrypted there.
  package let encryptsFiles: Bool
  private let state = Mutex(State())

  /// Maximum bytes that a thread uses while it sorts a store. They do not count as in use.
  package var scratchByteCount: Int { MemoryBudget.scratchByteCount(limit: limit) }

  /// ``scratchByteCount`` of a budget with this limit.
  package static func scratchByteCount(limit: Int) -> Int { min(mostScratch, limit / 8) }

  /// - Parameters:
  ///   - limit: maximum bytes in use.
  ///   - encryptsFiles: true for values of encrypted realms.
  package init(limit: Int, encryptsFiles: Bool = false) {
    (self.limit, self.encryptsFiles) = (limit, encryptsFiles)
  }

  /// Bytes in use.
  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// Adds `byteCount` to the bytes in use; a negative number releases them.
  package func add(_ byteCount: Int) { state.withLock { $0.byteCount += byteCount } }

  /// Whether no byte is left.
  package var isExhausted: Bool { byteCount >= limit }

  /// Adds a store to those that share the budget.
  package func join() { state.withLock { $0.storeCount += 1 } }

  /// Removes a store, which no longer takes memory.
  package func leave() { state.withLock { $0.storeCount -= 1 } }

  /// Whether a store of `byteCount` bytes must move to a file.
  ///
  /// Only a store that has reached its share moves, so that sorted runs are long. All stores below their share
  /// together take a quarter of the limit; the others stop growing when three quarters are in use.
  package func isExceeded(by byteCount: Int) -> Bool {
    state.withLock {
      let share = max(MemoryBudget.leastSpill, limit / (4 * max($0.storeCount, 1)))
      return $0.byteCount > limit / 4 * 3 && byteCount >= share
    }
  }
}
