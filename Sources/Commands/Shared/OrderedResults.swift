internal import RealmStorage

/// Processes many items concurrently, such as files, and delivers their results in order.
enum OrderedResults {
  /// Maximum number of results that wait for an earlier one.
  private static let waitingLimit = 64

  /// Runs `work` for each of `items` on `jobs` threads, and `result` for each result in order, one
  /// at a time, on changing threads.
  ///
  /// - Throws: the errors of `result`.
  static func run<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int,
    work: @Sendable (Item) throws -> Value,
    result: (Item, Result<Value, any Error>) throws -> Void
  ) throws {
    try withoutActuallyEscaping(result) { result in
      let parts = OrderedParts<Result<Value, any Error>, any Error>(
        count: items.count, jobs: jobs, waitingLimit: waitingLimit, weight: { _ in 1 },
        accept: { i, outcome in try result(items[i], outcome) })
      try parts.run {
        while let turn = parts.take() {
          do {
            parts.finish(turn, .success(try work(items[turn.part])))
          } catch {
            parts.finish(turn, .failure(error))
          }
        }
      }
    }
  }
}
