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
    var isFirst = true
    try RealmRun(realms, keyOptions, output).run("reading", jobs: jobs.count) { realm in
      try InfoJob(
        path: realm.path, key: realm.key, version: version.version,
        cacheByteCount: memory.byteCount, withDetail: history
      ).run()
    } show: { _, report in
      try output.write(report.json(withHistory: history)) { palette in
        (isFirst ? "" : "\n") + InfoText(report, withHistory: history, palette: palette).text
      }
      isFirst = false
      return .done
    }
  }
}
