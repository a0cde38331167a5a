internal import Dispatch
internal import RealmStorage
internal import Synchronization

/// Works on many files at one time and hands over what comes of each in the order of the files.
enum OrderedResults {
  /// Files that are worked on before any of their results is handed over.
  private static let filesPerRound = 64

  /// Runs `work` for each of `paths` on `jobs` threads, and `result` for each in order on the
  /// calling thread.
  ///
  /// - Throws: what `result` throws.
  static func run<Value: Sendable>(
    _ paths: [String], jobs: Int,
    work: @Sendable (String) throws(RealmFileError) -> Value,
    result: (String, Result<Value, RealmFileError>) throws -> Void
  ) throws {
    for start in stride(from: 0, to: paths.count, by: filesPerRound) {
      let round = Array(paths[start..<min(start + filesPerRound, paths.count)])
      let next = Atomic(0)
      let results = Mutex<[Int: Result<Value, RealmFileError>]>([:])
      DispatchQueue.concurrentPerform(iterations: min(jobs, round.count)) { _ in
        while true {
          let i = next.add(1, ordering: .relaxed).oldValue
          guard i < round.count else { return }
          let outcome: Result<Value, RealmFileError>
          do throws(RealmFileError) {
            outcome = .success(try work(round[i]))
          } catch {
            outcome = .failure(error)
          }
          results.withLock { $0[i] = outcome }
        }
      }
      let done = results.withLock { $0 }
      for (i, path) in round.enumerated() {
        if let outcome = done[i] { try result(path, outcome) }
      }
    }
  }
}
