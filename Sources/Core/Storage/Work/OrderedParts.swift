/// Does the parts of a piece of work side by side, and hands their results over one at a time in the
/// order of the parts: exports, checks and folders of realms all run through it.
///
/// Invariant 1: parts are taken in ascending order, so the lowest part that is not finished belongs to a
/// worker that does not wait. Nobody waits for ever.
/// Invariant 2: the result, and the failure of the work, do not depend on the number of threads: the
/// failure that counts is the one of the lowest part that failed.
/// Invariant 3: what waits for its turn is bounded: finished parts by `waitingLimit`, an unfinished part
/// by what its worker piles up before it calls ``Turn/wait()``.
package final class OrderedParts<Output, Failure: Error>: @unchecked Sendable {
  /// A part that a worker has taken.
  package struct Turn {
    package let part: Int
    fileprivate let parts: OrderedParts

    /// True where all parts before this one are handed over.
    package var isNow: Bool { parts.monitor.locked { parts.current == part } }

    /// Waits until all parts before this one are handed over.
    ///
    /// - Returns: false where one of them failed; the worker may stop then.
    package func wait() -> Bool {
      parts.monitor.locked {
        while parts.current != part, !parts.isStopped(before: part) { parts.monitor.wait() }
        return parts.current == part
      }
    }

    /// Hands over a piece of the part, which is not finished and whose turn it is.
    package func handOver(_ output: Output) throws(Failure) { try parts.accept(part, output) }
  }

  private let monitor = Monitor()
  private let count: Int
  private let jobs: Int
  private let waitingLimit: Int
  private let weight: @Sendable (Output) -> Int
  private let accept: (Int, Output) throws(Failure) -> Void
  /// The part that no worker has taken yet.
  private var untaken = 0
  /// The part whose turn it is.
  private var current = 0
  /// Finished parts whose turn has not come, and their weight.
  private var finished: [Int: Output] = [:]
  private var waitingWeight = 0
  /// The failure of the lowest part that failed.
  private var failure: (part: Int, error: Failure)?

  /// - Parameters:
  ///   - count: number of parts.
  ///   - jobs: number of threads.
  ///   - waitingLimit: weight of finished parts that may wait for their turn.
  ///   - weight: of a result, about its bytes.
  ///   - accept: takes part and result in order, from changing threads, one at a time.
  package init(
    count: Int, jobs: Int, waitingLimit: Int = .max,
    weight: @escaping @Sendable (Output) -> Int = { _ in 0 },
    accept: @escaping (Int, Output) throws(Failure) -> Void
  ) {
    self.count = count
    self.jobs = max(1, min(jobs, count))
    (self.waitingLimit, self.weight, self.accept) = (waitingLimit, weight, accept)
  }

  /// Runs `worker` on all threads, which have stacks for data nested as deep as any. Each takes parts with ``take()`` until there are none, and ends each
  /// of them with ``finish(_:_:)`` or ``fail(_:_:)``.
  ///
  /// - Throws: the failure of the lowest part that failed.
  package func run(worker: @Sendable () -> Void) throws(Failure) {
    // A system that has no more threads has this one.
    if StackRoom.run(threads: jobs, worker) == 0 { worker() }
    if let failure { throw failure.error }
  }

  /// The next part, or nil where none is left or one before it failed.
  package func take() -> Turn? {
    monitor.locked {
      guard untaken < count, failure == nil else { return nil }
      defer { untaken += 1 }
      return Turn(part: untaken, parts: self)
    }
  }

  /// Ends a part with its result. Where the turn is another part's, the result is kept until then.
  package func finish(_ turn: Turn, _ output: Output) {
    let part = turn.part
    let isTurn = monitor.locked {
      while current != part, waitingWeight >= waitingLimit, !isStopped(before: part) {
        monitor.wait()
      }
      guard current != part, !isStopped(before: part) else { return current == part }
      finished[part] = output
      waitingWeight += weight(output)
      return false
    }
    if isTurn { advance(from: part, output) }
  }

  /// Ends a part that failed. The parts before it are still finished.
  package func fail(_ turn: Turn, _ error: Failure) {
    monitor.locked { note(turn.part, error) }
    monitor.wakeAll()
  }

  /// Hands over `output`, which ends part `part`, and the finished parts behind it.
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

  /// Only with the lock held.
  private func note(_ part: Int, _ error: Failure) {
    guard failure.map({ part < $0.part }) ?? true else { return }
    failure = (part, error)
  }

  /// True where a part before `part` failed, so that its turn never comes. Only with the lock held.
  private func isStopped(before part: Int) -> Bool { failure.map { $0.part < part } ?? false }
}
