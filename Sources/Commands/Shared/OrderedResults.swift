internal import Dispatch
internal import RealmMaintenance
internal import Synchronization

/// Works on many items at a time, such as files, and hands over their results in order.
enum OrderedResults {
  /// Items that are finished before the first of their results is handed over.
  private static let itemsPerRound = 64

  /// Runs `work` for each of `items` on `jobs` threads, and `result` for each in order on the
  /// calling thread.
  ///
  /// - Throws: what `result` throws.
  static func run<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int,
    work: @Sendable (Item) throws(JobError) -> Value,
    result: (Item, Result<Value, JobError>) throws -> Void
  ) throws {
    for start in stride(from: 0, to: items.count, by: itemsPerRound) {
      let round = Array(items[start..<min(start + itemsPerRound, items.count)])
      let next = Atomic(0)
      let results = Mutex<[Int: Result<Value, JobError>]>([:])
      DispatchQueue.concurrentPerform(iterations: min(jobs, round.count)) { _ in
        while true {
          let i = next.add(1, ordering: .relaxed).oldValue
          guard i < round.count else { return }
          let outcome: Result<Value, JobError>
          do throws(JobError) {
            outcome = .success(try work(round[i]))
          } catch {
            outcome = .failure(error)
          }
          results.withLock { $0[i] = outcome }
        }
      }
      let done = results.withLock { $0 }
      for (i, item) in round.enumerated() {
        if let outcome = done[i] { try result(item, outcome) }
      }
    }
  }
}
