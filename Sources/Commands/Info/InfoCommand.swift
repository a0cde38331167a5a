import ArgumentParser
import RealmJobs

/// `realm-cli info`.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show the format, size, history and classes of a realm.",
    discussion: """
      Reads a few nodes, however large the file is, even while an app has it open. Changes nothing. \
      Folders are searched for realms.

      EXAMPLE: realm-cli info people.realm
      EXAMPLE: realm-cli info --json backups/ | jq 'select(.schemaVersion == 3).path'
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Show the history and the state of sync in detail.")
  var history = false

  func run() throws {
    var isFirst = true
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    try run.run("reading", jobs: jobs.count) { realm in
      try InfoJob(
        path: realm.path, key: realm.key, version: version.version,
        cacheByteCount: memory.byteCount, withDetail: history
      ).run()
    } line: { _, report in
      let separator = isFirst ? "" : "\n"
      isFirst = false
      return RealmRun.Line(json: report.json(withHistory: history)) { palette in
        separator + InfoText(report, withHistory: history, palette: palette).text
      }
    }
  }
}
