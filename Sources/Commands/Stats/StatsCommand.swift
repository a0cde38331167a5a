import ArgumentParser
import RealmJobs

/// `realm-cli stats`.
struct StatsCommand: ParsableCommand {
  /// How the sizes are divided.
  enum Division: String, ExpressibleByArgument, CaseIterable {
    case `class`, property, kind
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
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

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
  }

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    // One realm at a time: the job divides a realm among all threads.
    try run.run("reading", jobs: jobs.count, limit: 1) { realm in
      var request = StatsJob.Request(path: realm.path)
      (request.key, request.version) = (realm.key, version.version)
      request.classes = classes.isEmpty ? nil : classes
      (request.largest, request.jobs) = (top, realm.jobs)
      request.cacheByteCount = memory.byteCount
      return try StatsJob(request).run()
    } line: { path, report in
      RealmRun.Line(json: report.json) { palette in
        (path == run.paths.first ? "" : "\n") + StatsText(report, by: by, palette: palette).text
      }
    }
  }
}
