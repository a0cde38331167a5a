internal import RealmJobs
internal import RealmStorage

/// Rewrites the realms of a command line, several at a time.
struct RewriteRun {
  let search: RealmSearch
  let output: OutputOptions
  /// Number of threads.
  let jobs: Int

  /// - Parameters:
  ///   - label: what is done, for the progress bar.
  ///   - destinations: the realms, and where their results go.
  ///   - rewrite: rewrites a realm; also receives the number of threads that it may use.
  ///   - show: prints a report.
  /// - Throws: the error of the only realm; the status of the most serious error of several.
  func run<Report: Sendable>(
    _ label: String, _ destinations: [(path: String, destination: RealmDestination)],
    _ rewrite:
      @escaping @Sendable (
        _ path: String, RealmDestination, _ jobs: Int, _ progress: @escaping (Int, Int) -> Void
      ) throws -> Report,
    show: (_ path: String, Report) throws -> Void
  ) throws {
    if search.realms.count == 1, search.problems.isEmpty {
      let (path, destination) = destinations[0]
      let report = try output.withProgress(label) { bar in
        try rewrite(path, destination, jobs) { bar.update($0, of: $1) }
      }
      return try show(path, report)
    }
    var statuses: [ExitStatus] = []
    for problem in search.problems {
      statuses.append(try output.write(failure: problem, of: problem.path))
    }
    let files = max(1, min(jobs, destinations.count))
    try OrderedResults.run(destinations, jobs: files) { item in
      try rewrite(item.path, item.destination, max(1, jobs / files)) { _, _ in }
    } result: { item, result in
      switch result {
      case .success(let report): try show(item.path, report)
      case .failure(let error): statuses.append(try output.write(failure: error, of: item.path))
      }
    }
    if search.realms.isEmpty, search.problems.isEmpty { output.warn("no realms found") }
    let status = ExitStatus.mostSerious(of: statuses)
    if status != .done { throw status }
  }
}
