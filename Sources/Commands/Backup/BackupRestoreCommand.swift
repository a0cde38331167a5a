import ArgumentParser
import RealmBackup
import RealmJobs
import RealmStorage

/// `realm-cli backup restore`.
struct BackupRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore realms from a backup.",
    discussion: """
      Nothing appears until the whole archive is read and every byte is checked. An existing realm is \
      replaced only with --force, and never while it is open. An archive is refused if it would write \
      outside the folder, or more than its manifest states.

      EXAMPLE: realm-cli backup restore people.tar.zst
      EXAMPLE: realm-cli backup restore data.tar.zst data/users.realm --to users.realm
      EXAMPLE: realm-cli backup restore --partial damaged.tar.zst -C saved/

      Exit codes: 65 the archive is damaged or refused, 73 a realm exists, 75 it is in use.
      """)

  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("C"), .customLong("directory")],
    help: ArgumentHelp(
      "The folder to restore to; it is created if it does not exist.", valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Option(
    help: ArgumentHelp("Restore one realm to this file.", valueName: "file"),
    completion: .file())
  var to: String?

  @Flag(help: "Replace realms that exist and are not in use.")
  var force = false

  @Flag(help: "Restore the intact realms of a damaged archive.")
  var partial = false

  @Flag(help: "Read and check the archive, and show what would be restored.")
  var dryRun = false

  @Argument(help: "The archive; - is standard input.", completion: .file())
  var archive: String

  @Argument(help: "Realms, or folders with realms, as named by `backup list` (default: all).")
  var names: [String] = []

  func validate() throws {
    guard directory == nil || to == nil else {
      throw ValidationError("-C and --to both name the target; give only one")
    }
    if to == "-" { throw ValidationError("--to takes a file, not standard output") }
    if directory?.isEmpty == true || to?.isEmpty == true {
      throw ValidationError("-C and --to do not take an empty path")
    }
  }

  func run() throws {
    let target = to.map(BackupRestoreJob.Target.file) ?? .folder(directory ?? ".")
    let job = BackupRestoreJob(
      BackupRestoreJob.Request(
        archive: archive, target: target, names: names, replaces: force, isPartial: partial,
        isDryRun: dryRun))
    let report = try output.withProgress("restoring") { bar in
      try job.run { bar.update($0, of: $1) }
    }
    for realm in report.realms where realm.problem == nil && realm.entry.synced == true {
      output.warn(
        "\(realm.output): synced; the server may require a client reset; "
          + "`realm-cli convert --to local` makes a realm that needs no server")
    }
    let json = JSONObject.omittingNulls([
      "archive": archive, "dryRun": dryRun, "problem": report.problem.map { ErrorReport($0) },
      "realms": report.realms.map { realm in
        JSONObject.omittingNulls([
          "path": realm.entry.path, "output": realm.output, "bytes": realm.entry.size,
          "synced": realm.entry.synced, "error": realm.problem.map { ErrorReport($0) },
        ])
      },
    ])
    try output.write(json, resultIsOnStandardOutput: dryRun ? nil : false) { _ in
      report.realms.filter { $0.problem == nil }.map {
        "\($0.output.printable): \(dryRun ? "would be " : "")restored, \(Text.size($0.entry.size))\n"
      }.joined()
    }
    let problems = report.realms.compactMap(\.problem) + (report.problem.map { [$0] } ?? [])
    guard !problems.isEmpty else { return }
    if !output.json { for problem in problems { ErrorReport(problem).write(asJSON: false) } }
    throw ExitStatus.invalidData
  }
}
