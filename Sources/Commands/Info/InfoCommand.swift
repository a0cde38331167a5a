internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli info`.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show the format, size, history and classes of a realm.",
    discussion: """
      Reads a few nodes of the file, independent of its size, even while an app has it open, and \
      never changes anything. Folders are searched for realms.

      EXAMPLE: realm-cli info people.realm
      EXAMPLE: realm-cli info --json backups/ | jq 'select(.schemaVersion == 3).path'
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Show the history and the state of sync in detail.")
  var history = false

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String]

  func run() throws {
    let search = RealmSearch(paths: realms)
    let keys = try keyOptions.keys(forRealms: search.realms.count) { [output] in output.warn($0) }
    var statuses: [ExitStatus] = []
    if search.realms.count == 1, search.problems.isEmpty {
      // One realm: its error is the error of the command.
      return try show(report(search.realms[0], keys), isFirst: true)
    }
    for problem in search.problems {
      statuses.append(try output.write(failure: problem, of: problem.path))
    }
    var isFirst = true
    try OrderedResults.run(search.realms, jobs: jobs.count) { path in
      try report(path, keys)
    } result: { path, result in
      switch result {
      case .success(let report):
        try show(report, isFirst: isFirst)
        isFirst = false
      case .failure(let error):
        statuses.append(try output.write(failure: error, of: path))
      }
    }
    if search.realms.isEmpty, search.problems.isEmpty { output.warn("no realms found") }
    let status = ExitStatus.mostSerious(of: statuses)
    if status != .done { throw status }
  }

  /// The report on the realm at `path`, opened with its key.
  private func report(_ path: String, _ keys: RealmKeys) throws -> InfoJob.Report {
    try keys.open(path) { key in
      try InfoJob(
        path: path, key: key, version: version.version, cacheByteCount: memory.byteCount,
        withDetail: history
      ).run()
    }
  }

  private func show(_ report: InfoJob.Report, isFirst: Bool) throws {
    try output.write(InfoSummary(report, withHistory: history)) { palette in
      (isFirst ? "" : "\n")
        + InfoText(report, withHistory: history, palette: palette).lines.joined(separator: "\n")
        + "\n"
    }
  }
}
