internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `realm-cli verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check realms against every rule of the file format.",
    discussion: """
      Reports where a realm breaks a rule. An error is something that an SDK would misread, lose or \
      crash on. A warning is irregular, but harmless or written like this by Realm itself. Changes \
      nothing. Folders are searched for realms. docs/verify.md lists the rules.

      EXAMPLE: realm-cli verify people.realm && rm people.realm.old
      EXAMPLE: realm-cli verify --json backups/ | jq -r 'select(.errors > 0).path'

      Exit codes: 0 no errors, 65 errors (with --strict also warnings), or a file is not a realm.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Check only that every node is reachable and complete, not its content.")
  var quick = false

  @Flag(help: "Count warnings as errors.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Number of findings of each severity to print; further ones are counted.", valueName: "n"))
  var maxFindings = 100

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp(
      "Check the objects of this class only; can be given several times.", valueName: "name"))
  var classes: [String] = []

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String]

  func validate() throws {
    guard maxFindings >= 0 else {
      throw ValidationError("--max-findings takes a number from 0 on, not \(maxFindings)")
    }
    guard !quick || classes.isEmpty else {
      throw ValidationError("--quick checks no objects, so it does not go with --class")
    }
  }

  func run() throws {
    let search = RealmSearch(paths: realms)
    let keys = try keyOptions.keys(forRealms: search.realms.count) { [output] in output.warn($0) }
    var statuses: [ExitStatus] = []
    if search.realms.count == 1, search.problems.isEmpty {
      // One realm: its error is the error of the command.
      let report = try output.withProgress("verifying") { bar in
        try self.job(search.realms[0], jobs: jobs.count).run(keys) { bar.update($0, of: $1) }
      }
      statuses.append(try show(report))
    } else {
      for problem in search.problems {
        statuses.append(try output.write(failure: problem, of: problem.path))
      }
      let files = max(1, min(jobs.count, search.realms.count))
      try OrderedResults.run(search.realms, jobs: files) { path in
        try job(path, jobs: max(1, jobs.count / files)).run(keys) { _, _ in }
      } result: { path, result in
        switch result {
        case .success(let report): statuses.append(try show(report))
        case .failure(let error): statuses.append(try output.write(failure: error, of: path))
        }
      }
      if search.realms.isEmpty, search.problems.isEmpty { output.warn("no realms found") }
    }
    let status = ExitStatus.mostSerious(of: statuses)
    if status != .done { throw status }
  }

  private func job(_ path: String, jobs: Int) -> VerifyJob {
    VerifyJob(
      VerifyJob.Request(
        path: path, version: version.version, isQuick: quick,
        classes: classes.isEmpty ? nil : classes, maxFindings: maxFindings, jobs: jobs,
        cacheByteCount: memory.byteCount,
        now: Int64(Date().timeIntervalSince1970 * 1000)))
  }

  /// - Returns: the exit status for this realm.
  private func show(_ report: VerifyJob.Report) throws -> ExitStatus {
    let isBad = report.count(.error) > 0 || strict && report.count(.warning) > 0
    try output.write(VerifySummary(report, isSound: !isBad)) { palette in
      VerifyText(report, withNotes: output.verbose, palette: palette).lines
        .joined(separator: "\n") + "\n"
    }
    return isBad ? .invalidData : .done
  }
}

extension VerifyJob {
  /// The report on the realm of the request, opened with its key.
  fileprivate func run(
    _ keys: RealmKeys, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    try keys.open(request.path) { key in
      var request = request
      request.key = key
      return try VerifyJob(request).run(progress: progress)
    }
  }
}
