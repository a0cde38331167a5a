internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli stats`.
struct StatsCommand: ParsableCommand {
  /// How the sizes are divided.
  enum Division: String, ExpressibleByArgument, CaseIterable {
    case `class`, property, kind
  }

  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show what takes the space of a realm.",
    discussion: """
      Counts every byte of the file: values, collections, indexes, backlinks, history and free space, \
      for the file and for each class or property; the largest objects, values and collections; and \
      the size after compact. What can be changed comes last. The realm is never changed. Folders are \
      searched for realms.

      EXAMPLE: realm-cli stats people.realm
      EXAMPLE: realm-cli stats people.realm --by property --class Person --top 10
      EXAMPLE: realm-cli stats --json people.realm | jq '.concerns'
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(name: .customLong("class"), help: "List only this class; may be repeated.")
  var classes: [String] = []

  @Option(help: "How to divide the space: class, property, or kind for the whole file only.")
  var by: Division = .class

  @Option(help: "How many of the largest objects, values and collections to list.")
  var top = 5

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String]

  func validate() throws {
    guard (0...100_000).contains(top) else {
      throw ValidationError("--top takes a number from 0 to 100000, not \(top)")
    }
  }

  func run() throws {
    let search = RealmSearch(paths: realms)
    let keys = try keyOptions.keys(forRealms: search.realms.count) { [output] in output.warn($0) }
    if search.realms.count == 1, search.problems.isEmpty {
      // One realm: its error is the error of the command.
      return try show(report(search.realms[0], keys), isFirst: true)
    }
    var statuses: [ExitStatus] = []
    for problem in search.problems {
      statuses.append(try output.write(failure: problem, of: problem.path))
    }
    for (number, path) in search.realms.enumerated() {
      let report: StatsReport
      do {
        report = try self.report(path, keys)
      } catch {
        statuses.append(try output.write(failure: error, of: path))
        continue
      }
      try show(report, isFirst: number == 0)
    }
    if search.realms.isEmpty, search.problems.isEmpty { output.warn("no realms found") }
    let status = ExitStatus.mostSerious(of: statuses)
    if status != .done { throw status }
  }

  private func report(_ path: String, _ keys: RealmKeys) throws -> StatsReport {
    try keys.open(path) { key in
      var request = StatsJob.Request(path: path)
      (request.key, request.version) = (key, version.version)
      request.classes = classes.isEmpty ? nil : classes
      (request.largest, request.jobs) = (top, jobs.count)
      request.cacheByteCount = memory.byteCount
      return try StatsJob(request).run()
    }
  }

  private func show(_ report: StatsReport, isFirst: Bool) throws {
    try output.write(StatsSummary(report)) { palette in
      (isFirst ? "" : "\n") + StatsText(report, by: by, palette: palette).text
    }
  }
}
