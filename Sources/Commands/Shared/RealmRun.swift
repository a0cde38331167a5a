import RealmJobs
import RealmStorage

/// Runs a job on each realm of a command line, and prints the reports in the order of the realms.
///
/// If there is only one realm, its error is the error of the command. If there are several, or if a folder
/// cannot be searched, each error is printed in its place, the job still runs on the other realms, and the
/// command ends with the most serious status.
struct RealmRun {
  /// A realm, and what its job may use.
  struct Turn: Sendable {
    /// Position among the realms of the command line.
    let number: Int
    let path: String
    /// Nil if the realm is not encrypted, or if there is no key.
    let key: RealmKey?
    /// Number of threads.
    let jobs: Int
    /// Receives the amount of work done and the total.
    let progress: @Sendable (Int, Int) -> Void
  }

  /// Maximum number of reports that wait for an earlier one.
  private static let waitingLimit = 64

  /// Paths of the realms that were named, or found in folders.
  var paths: [String] { search.realms }

  private let search: RealmSearch
  private let keys: RealmKeys
  private let output: OutputOptions

  /// - Parameter arguments: realms, and folders with realms.
  /// - Throws: `ValidationError` if the environment names two sources of keys.
  init(_ arguments: [String], _ keyOptions: KeyOptions, _ output: OutputOptions) throws {
    search = RealmSearch(paths: arguments)
    keys = try keyOptions.keys(forRealms: search.realms.count, output)
    self.output = output
  }

  /// - Parameters:
  ///   - label: the label of the progress bar. There is a bar only for a single realm.
  ///   - jobs: number of threads. They are divided among the realms; each realm gets at least one.
  ///   - limit: maximum number of realms that are processed at once.
  ///   - job: called from several threads.
  ///   - show: prints a report, and returns the exit status for its realm. Called one at a time.
  /// - Throws: the error of a single realm; the most serious ``ExitStatus`` of several; the errors of `show`.
  func run<Report: Sendable>(
    _ label: String, jobs: Int, limit: Int = .max, _ job: @Sendable (Turn) throws -> Report,
    show: (_ path: String, Report) throws -> ExitStatus
  ) throws {
    if paths.count == 1, search.problems.isEmpty {
      let path = paths[0]
      let report = try keys.run(label, on: path, output) { key, progress in
        try job(Turn(number: 0, path: path, key: key, jobs: jobs, progress: progress))
      }
      return try ExitStatus.end(with: [try show(path, report)])
    }
    var statuses = try search.problems.map { try output.write(failure: $0, of: $0.path) }
    let files = max(1, min(jobs, limit, paths.count))
    try inOrder(files) { number in
      try keys.open(paths[number]) { key in
        try job(
          Turn(
            number: number, path: paths[number], key: key, jobs: max(1, jobs / files),
            progress: { _, _ in }))
      }
    } take: { number, result in
      switch result {
      case .success(let report): statuses.append(try show(paths[number], report))
      case .failure(let error):
        statuses.append(try output.write(failure: error, of: paths[number]))
      }
    }
    if paths.isEmpty, search.problems.isEmpty { output.warn("no realms found") }
    try ExitStatus.end(with: statuses)
  }

  /// Calls `work` for each realm on `threads` threads, and `take` for each result in order, one at a time, from
  /// changing threads.
  ///
  /// - Throws: the errors of `take`.
  private func inOrder<Report: Sendable>(
    _ threads: Int, _ work: @Sendable (Int) throws -> Report,
    take: (Int, Result<Report, any Error>) throws -> Void
  ) throws {
    try withoutActuallyEscaping(take) { take in
      let parts = OrderedParts<Result<Report, any Error>, any Error>(
        count: paths.count, jobs: threads, waitingLimit: RealmRun.waitingLimit, weight: { _ in 1 },
        accept: take)
      try parts.run {
        while let turn = parts.take() {
          parts.finish(turn, Result { try work(turn.part) })
        }
      }
    }
  }
}

extension RealmKeys {
  /// Runs a job on the realm at `path` with its key, and with a progress bar.
  ///
  /// - Parameter resultIsOnStandardOutput: see ``OutputOptions/withProgress(_:resultIsOnStandardOutput:_:)``.
  /// - Throws: the errors of `job`; ``KeyError`` if there is no usable key.
  func run<Report>(
    _ label: String, on path: String, _ output: OutputOptions,
    resultIsOnStandardOutput: Bool = false,
    _ job: (RealmKey?, _ progress: @escaping @Sendable (Int, Int) -> Void) throws -> Report
  ) throws -> Report {
    try output.withProgress(label, resultIsOnStandardOutput: resultIsOnStandardOutput) { bar in
      try open(path) { key in try job(key) { bar.update($0, of: $1) } }
    }
  }
}
