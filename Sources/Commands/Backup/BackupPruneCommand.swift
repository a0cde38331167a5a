import ArgumentParser
import RealmBackup
import RealmJobs
import RealmStorage

/// `realm-cli backup prune`.
struct BackupPruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old backups in a folder.",
    discussion: """
      Considers the archives that `backup create -o DIR` made, grouped by name: --keep-daily 7 keeps \
      the newest archive of each of the last seven days that have one, in UTC. An archive stays if \
      any option keeps it, and the newest of each name always stays. Other files are never touched.

      EXAMPLE: realm-cli backup prune /srv/backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12
      EXAMPLE: realm-cli backup prune /srv/backups --keep-last 3 --dry-run

      Exit codes: 64 no --keep option is given, 65 with --verify: a backup to keep is damaged, and \
      nothing is deleted.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("Keep the newest n.", valueName: "n"))
  var keepLast: Int?

  @Option(help: ArgumentHelp("Keep the newest of each of the last n hours.", valueName: "n"))
  var keepHourly: Int?

  @Option(help: ArgumentHelp("Keep the newest of each of the last n days.", valueName: "n"))
  var keepDaily: Int?

  @Option(
    help: ArgumentHelp("Keep the newest of each of the last n weeks, from Monday.", valueName: "n"))
  var keepWeekly: Int?

  @Option(help: ArgumentHelp("Keep the newest of each of the last n months.", valueName: "n"))
  var keepMonthly: Int?

  @Option(help: ArgumentHelp("Keep the newest of each of the last n years.", valueName: "n"))
  var keepYearly: Int?

  @Flag(help: "First verify the backups to keep, as by `backup verify`.")
  var verify = false

  @Flag(help: "Show what would be deleted, and delete nothing.")
  var dryRun = false

  @Argument(help: "The folder with the archives.", completion: .directory)
  var folder: String

  private var retention: Retention {
    Retention(
      last: keepLast, hourly: keepHourly, daily: keepDaily, weekly: keepWeekly,
      monthly: keepMonthly, yearly: keepYearly)
  }

  func validate() throws {
    guard !retention.isEmpty else {
      throw ValidationError("give an option for what to keep, such as --keep-last")
    }
    let numbers = [keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly, keepYearly]
    guard numbers.allSatisfy({ ($0 ?? 1) > 0 }) else {
      throw ValidationError("the --keep options take a number of at least 1")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 0, output)
    let job = BackupPruneJob(
      BackupPruneJob.Request(
        folder: folder, retention: retention, verifies: verify, isDryRun: dryRun,
        jobs: jobs.count))
    let report = try output.withProgress("checking") { bar in
      try job.run(keys: keys) { bar.update($0, of: $1) }
    }
    let isStopped = !report.damaged.isEmpty
    let damaged = report.damaged.map { ErrorReport($0) }
    let json: JSONObject = [
      "folder": folder, "dryRun": dryRun, "damaged": damaged,
      "archives": report.items.map { item in
        JSONObject.omittingNulls([
          "path": item.path, "name": item.name, "createdAt": item.createdAt?.text,
          "bytes": item.byteCount, "reasons": item.reasons,
          "action": isStopped && item.action == .deleted ? "kept" : item.action.rawValue,
        ])
      },
    ]
    // The text of a dry run is its result; other runs print nothing with --quiet, as from cron.
    try output.write(json, resultIsOnStandardOutput: dryRun ? nil : false) { _ in
      report.items.filter { $0.action == .deleted || output.verbose || dryRun }.map { item in
        let verb =
          item.action == .deleted
          ? (dryRun || isStopped ? "would be deleted" : "deleted")
          : item.action.rawValue
        let why = item.reasons.isEmpty ? "" : " (\(item.reasons.joined(separator: ", ")))"
        return "\(item.path.printable): \(verb)\(why)\n"
      }.joined()
    }
    guard isStopped else { return }
    if !output.json { for error in damaged { error.write(asJSON: false) } }
    try ExitStatus.end(with: damaged.map(\.status))
  }
}
