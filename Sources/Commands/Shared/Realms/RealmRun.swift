import ArgumentParser
import RealmJobs
import RealmStorage

/// Runs a job on each realm of a command line, and prints the reports in the order of the realms.
///
/// If the user named one realm, its error is the error of the command. For several, a list or a folder, each error is
/// printed in its place, the job still runs on the other realms, and the command ends with the most serious status.
/// Their reports in JSON also say with which status a realm ended, and what file it was, for ``FinishedRealms``.
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

  /// What a job does to the realms.
  enum Effect: Sendable {
    case reads
    /// The realm is another file afterwards.
    case replaces
    /// A dry run: the work still has to be done.
    case shows

    init(of rewrite: RealmRewriteOptions) {
      self = rewrite.target.dryRun ? .shows : rewrite.inPlace ? .replaces : .reads
    }
  }

  /// What to print about a realm.
  struct Line {
    let json: JSONObject
    var status = ExitStatus.done
    /// See ``OutputOptions/write(_:resultIsOnStandardOutput:text:)``.
    var resultIsOnStandardOutput: Bool?
    let text: (Palette) -> String
  }

  /// Maximum number of reports that wait for an earlier one.
  private static let waitingLimit = 64

  /// Paths of the realms that were named, listed, or found in folders, and that still need the job.
  let paths: [String]

  private let problems: [RealmFileError]
  /// Whether the user named one realm, and nothing else.
  private let isAlone: Bool
  /// Number of realms that an earlier run finished.
  private let finishedCount: Int
  private let keys: RealmKeys
  private let output: OutputOptions

  /// - Throws: `ValidationError` if no realm is named, or if the environment names two sources of keys; the errors
  ///   of the list of realms and of the report of an earlier run.
  init(
    _ realms: RealmListOptions, skipDone: SkipDoneOption, _ keyOptions: KeyOptions,
    _ output: OutputOptions
  ) throws {
    guard !realms.realms.isEmpty || realms.filesFrom != nil else {
      throw ValidationError("name realms or folders, or a list of them with --files-from")
    }
    let search = RealmSearch(
      paths: realms.realms + (try realms.listed(keyOptions)), share: realms.shard)
    problems = search.problems
    if let report = skipDone.skipDone {
      let finished = try FinishedRealms(report: report)
      if finished.unknownLines > 0 {
        let count = Text.count(finished.unknownLines, "line")
        output.warn("\(report): \(count) skipped: incomplete, or not written by --json")
      }
      paths = search.realms.filter { !finished.contains($0) }
    } else {
      paths = search.realms
    }
    finishedCount = search.realms.count - paths.count
    isAlone = realms.isOneFile && skipDone.skipDone == nil
    keys = try keyOptions.keys(forRealms: search.realms.count, output)
    self.output = output
  }

  /// - Parameters:
  ///   - label: the label of the progress bar. There is a bar only for a single realm.
  ///   - jobs: number of threads. They are divided among the realms; each realm gets at least one.
  ///   - limit: maximum number of realms that are processed at once.
  ///   - effect: what the job does to the realms.
  ///   - job: called from several threads.
  ///   - line: makes what is printed of a report. Called one at a time.
  /// - Throws: the error of a single realm; the most serious ``ExitStatus`` of several; the errors of `line`.
  func run<Report: Sendable>(
    _ label: String, jobs: Int, limit: Int = .max, effect: Effect = .reads,
    _ job: @Sendable (Turn) throws -> Report,
    line: (_ path: String, Report) throws -> Line
  ) throws {
    if isAlone {
      let path = paths[0]
      let report = try keys.run(label, on: path, output) { key, progress in
        try job(Turn(number: 0, path: path, key: key, jobs: jobs, progress: progress))
      }
      let line = try line(path, report)
      try print(line, line.json)
      return try ExitStatus.end(with: [line.status])
    }
    if finishedCount > 0 {
      output.detail("\(Text.count(finishedCount, "realm")) passed over, finished by an earlier run")
    }
    var statuses = try problems.map { try output.write(failure: $0, of: $0.path) }
    let files = max(1, min(jobs, limit, paths.count))
    try inOrder(files) { number in
      let file = FileState(ofFileAt: paths[number])
      let report = try keys.open(paths[number]) { key in
        try job(
          Turn(
            number: number, path: paths[number], key: key, jobs: max(1, jobs / files),
            progress: { _, _ in }))
      }
      return (report, file)
    } take: { number, result in
      let path = paths[number]
      switch result {
      case .success((let report, let file)):
        let line = try line(path, report)
        statuses.append(line.status)
        try print(line, line.json + status(of: line, path, file, effect))
      case .failure(let error):
        statuses.append(try output.write(failure: error, of: path))
      }
    }
    if paths.isEmpty, problems.isEmpty, finishedCount == 0 { output.warn("no realms found") }
    try ExitStatus.end(with: statuses)
  }

  private func print(_ line: Line, _ json: JSONObject) throws {
    try output.write(json, resultIsOnStandardOutput: line.resultIsOnStandardOutput, text: line.text)
  }

  /// The status of a realm, and the file that a later run must find to pass over it.
  ///
  /// - Parameter file: the file before the job. If an app changes it during the job, a later run finds another one.
  private func status(
    of line: Line, _ path: String, _ file: FileState?, _ effect: Effect
  ) -> JSONObject {
    let done =
      switch effect {
      case .reads: file
      case .replaces: FileState(ofFileAt: path)
      case .shows: nil as FileState?
      }
    let state: JSONObject? = done.map { ["size": $0.size, "modified": $0.modified.text] }
    return ["exitCode": line.status.rawValue, "file": state]
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
