import ArgumentParser
import RealmJobs
import RealmPictures
import RealmStorage

/// `realm-cli stats`.
struct StatsCommand: ParsableCommand {
  /// How the sizes are divided.
  enum Division: String, ExpressibleByArgument, CaseIterable {
    case `class`, property, kind

    var division: StatsTreemap.Division {
      switch self {
      case .class: .class
      case .property: .property
      case .kind: .kind
      }
    }
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, svg
  }

  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show what takes up space in a realm.",
    discussion: """
      Counts every byte of the file: values, collections, indexes, backlinks, history and free space, \
      for the file and for each class or property. Lists the largest objects, values and collections, \
      the size after compact, and what can be made smaller. Changes nothing. Folders are searched for \
      realms.

      EXAMPLE: realm-cli stats people.realm
      EXAMPLE: realm-cli stats people.realm --by property --class Person --top 10
      EXAMPLE: realm-cli stats --json people.realm | jq '.concerns'
      EXAMPLE: realm-cli stats people.realm --format svg --by property -o people.svg
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "The format: text, or svg for a treemap of one realm.")
  var format: Format = .text

  @Option(name: .customLong("class"), help: "List only this class; can be given several times.")
  var classes: [String] = []

  @Option(help: "How to divide the space: class, property, or kind for the whole file only.")
  var by: Division = .class

  @Option(help: "How many of the largest objects, values and collections to list.")
  var top = 5

  func validate() throws {
    guard (0...100_000).contains(top) else {
      throw ValidationError("--top takes a number from 0 to 100000, not \(top)")
    }
    if format == .text {
      guard destination.isStandardOutput else { throw ValidationError("-o needs --format svg") }
    } else {
      guard realms.isOneFile else { throw ValidationError("--format svg takes one realm") }
      try destination.check(source: realms.realms[0])
    }
  }

  func run() throws {
    var isFirst = true
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    // One realm at a time: the job divides a realm among all threads.
    try run.run("reading", jobs: jobs.count, limit: 1) { realm in
      var request = StatsJob.Request(path: realm.path)
      (request.key, request.version) = (realm.key, version.version)
      request.classes = classes.isEmpty ? nil : classes
      (request.largest, request.jobs) = (top, realm.jobs)
      request.cacheByteCount = memory.byteCount
      return try StatsJob(request).run()
    } line: { _, report in
      if format == .svg { return try drawn(report) }
      let separator = isFirst ? "" : "\n"
      isFirst = false
      return RealmRun.Line(json: report.json) { palette in
        separator + StatsText(report, by: by, palette: palette).text
      }
    }
  }

  /// Writes the treemap.
  private func drawn(_ report: StatsReport) throws -> RealmRun.Line {
    let sink = try destination.open(isPrivate: report.isEncrypted)
    try sink.write(StatsTreemap(report, by: by.division).svg(for: .file))
    try sink.publish()
    return RealmRun.Line(
      json: report.json, resultIsOnStandardOutput: destination.isStandardOutput
    ) { _ in
      "\(report.path.printable): treemap of \(Text.size(report.fileByteCount)) written to "
        + "\(destination.destination.printable)\n"
    }
  }
}
