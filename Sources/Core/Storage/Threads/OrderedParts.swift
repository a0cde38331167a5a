/// Processes the parts of a job in parallel, and hands over the results one at a time, in the order of
/// the parts. Exports, checks and jobs over folders of realms use it.
///
/// Invariant 1: workers take parts in ascending order, so the lowest unfinished part belongs to a worker
/// that does not wait. No worker waits forever.
/// Invariant 2: neither the result nor the error of the job depends on the number of threads. If several
/// parts fail, the job fails with the error of the lowest one.
/// Invariant 3: waiting output is bounded: for finished parts by `waitingLimit`, for an unfinished part by
/// what its worker collects before it calls ``Turn/wait()``.
package final class OrderedParts<Output, Failure: Error>: @unchecked Sendable {
  /// A part that a worker has taken.
  package struct Turn {
    package let part: Int
    fileprivate let parts: OrderedParts

    /// Whether all earlier parts have been handed over.
    package var isNow: Bool { parts.monitor.locked { parts.current == part } }

    /// Waits until all earlier parts have been handed over.
    ///
    /// - Returns: false if an earlier part failed; the worker may stop.
    package func wait() -> Bool {
      parts.monitor.locked {
        while parts.current != part, !parts.isStopped(before: part) { parts.monitor.wait() }
        return parts.current == part
      }
    }

    /// Hands over a piece of this part, which must be unfinished. ``isNow`` must be true.
    package func handOver(_ output: Output) throws(Failure) { try parts.accept(part, output) }
  }

  private let monitor = Monitor()
  private let count: Int
  private let jobs: Int
  private let isShallow: Bool
  private let waitingLimit: Int
  private let weight: @Sendable (Output) -> Int
  private let accept: (Int, Output) throws(Failure) -> Void
  /// The lowest part that no worker has taken yet.
  private var untaken = 0
  /// The part whose turn it is.
  private var current = 0
  /// Results that wait for the turn of their part, and the sum of their weights.
  private var finished: [Int: Output] = [:]
  private var waitingWeight = 0
  /// The failure of the lowest part that failed.
  private var failure: (part: Int, error: Failure)?

  /// - Parameters:
  ///   - count: number of parts.
  ///   - jobs: number of threads.
  ///   - isShallow: whether the work needs no large stack. The caller then does a single part: starting a thread takes as
  ///     long as looking at a few hundred objects.
  ///   - waitingLimit: workers pause while finished parts of at least this weight wait for their turn.
  ///   - weight: returns the approximate size of a result in bytes.
  ///   - accept: receives the number and the result of each part, in order. Called from different threads,
  ///     one call at a time.
  package init(
    count: Int, jobs: Int, isShallow: Bool = false, waitingLimit: Int = .max,
    weight: @escaping @Sendable (Output) -> Int = { _ in 0 },
    accept: @escaping (Int, Output) throws(Failure) -> Void
  ) {
    self.count = count
    self.jobs = max(1, min(jobs, count))
    self.isShallow = isShallow
    (self.waitingLimit, self.weight, self.accept) = (waitingLimit, weight, accept)
  }

  /// Runs `worker` on all threads; unless the work is shallow, their stacks have room for deeply nested data. A worker
  /// takes parts with ``take()`` until none are left, and ends each with ``finish(_:_:)`` or ``fail(_:_:)``.
  ///
  /// - Throws: the error of the lowest part that failed.
  package func run(worker: @Sendable () -> Void) throws(Failure) {
    // If no thread is needed or none can be started, this thread does the work.
    if isShallow && count == 1 || StackRoom.run(threads: jobs, worker) == 0 { worker() }
    if let failure { throw failure.error }
  }

  /// Calls `body` with the number of each part, and with a state that belongs to one thread.
  ///
  /// - Parameter makeState: called once on each thread that takes a part.
  /// - Throws: the error of the lowest part that failed.
  package func run<State>(
    _ makeState: @Sendable () throws(Failure) -> State,
    _ body: @Sendable (State, Int) throws(Failure) -> Output
  ) throws(Failure) {
    try run {
      guard var turn = take() else { return }
      do throws(Failure) {
        let state = try makeState()
        while true {
          finish(turn, try body(state, turn.part))
          guard let next = take() else { return }
          turn = next
        }
      } catch {
        fail(turn, error)
      }
    }
  }

  /// The next part; nil if none is left or an earlier part failed.
  package func take() -> Turn? {
    monitor.locked {
      guard untaken < count, failure == nil else { return nil }
      defer { untaken += 1 }
      return Turn(part: untaken, parts: self)
    }
  }

  /// Ends a part with its result, which is kept until the part's turn comes.
  package func finish(_ turn: Turn, _ output: Output) {
    let part = turn.part
    let isNow = monitor.locked {
      while current != part, waitingWeight >= waitingLimit, !isStopped(before: part) {
        monitor.wait()
      }
      guard current != part, !isStopped(before: part) else { return current == part }
      finished[part] = output
      waitingWeight += weight(output)
      return false
    }
    if isNow { advance(from: part, output) }
  }

  /// Ends a part with an error. Earlier parts are still processed.
  package func fail(_ turn: Turn, _ error: Failure) {
    monitor.locked { note(turn.part, error) }
    monitor.wakeAll()
  }

  /// Hands over `output`, the end of part `part`, and the finished parts after it.
  private func advance(from part: Int, _ output: Output) {
    var (part, output) = (part, output)
    while true {
      do throws(Failure) {
        try accept(part, output)
      } catch {
        monitor.locked { note(part, error) }
        return monitor.wakeAll()
      }
      let next = monitor.locked { () -> Output? in
        current += 1
        part = current
        guard let next = finished.removeValue(forKey: current) else { return nil }
        waitingWeight -= weight(next)
        return next
      }
      monitor.wakeAll()
      guard let next else { return }
      output = next
    }
  }

  /// Must be called with the lock held.
  private func note(_ part: Int, _ error: Failure) {
    guard failure.map({ part < $0.part }) ?? true else { return }
    failure = (part, error)
  }

  /// Whether a part before `part` failed, so that the turn of `part` never comes. Must be called with the
  /// lock held.
  private func isStopped(before part: Int) -> Bool { failure.map { $0.part < part } ?? false }
}
