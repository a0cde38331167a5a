import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli delete-files`.
struct DeleteFilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-files",
    abstract: "Delete the files that apps leave beside a realm.",
    discussion: """
      Lists each file with the reason why it is safe to delete. Deletes nothing while a process has the \
      realm open. The lock file is emptied but stays, unless --lock is given. Also deletes the unfinished \
      outputs of killed runs of realm-cli in the folder of the realm, unless a run is writing them.

      EXAMPLE: realm-cli delete-files people.realm --dry-run
      EXAMPLE: realm-cli delete-files people.realm --all --if-exists

      Exit codes: 66 the realm does not exist, 69 changes that were not uploaded would be lost, or it is unknown \
      whether there are any, 74 a file cannot be deleted, 75 the realm is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Delete the lock file too.")
  var lock = false

  @Flag(help: "Delete the backups from upgrades of the file format too.")
  var backups = false

  @Flag(help: "Delete the realm too, with everything that belongs to it.")
  var all = false

  @Flag(help: "With --all: give up changes that were not uploaded.")
  var discardUnsynced = false

  @Flag(help: "If the realm does not exist, do nothing instead of failing.")
  var ifExists = false

  @Flag(help: "Show what would be deleted, and delete nothing.")
  var dryRun = false

  @Argument(
    help: "The realm whose files are deleted.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard all || !discardUnsynced else {
      throw ValidationError("--discard-unsynced needs --all")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let request = DeleteFilesJob.Request(
      withLock: lock, withBackups: backups, withRealm: all, discardsUnsynced: discardUnsynced,
      isDryRun: dryRun)
    guard !ifExists || OutputFile.exists(realm) else {
      return try show(DeleteFilesJob.Report(path: realm, items: [], isDryRun: dryRun))
    }
    try show(
      keys.open(realm) { key in
        try DeleteFilesJob(path: realm, key: key, request: request).run()
      })
  }

  private func show(_ report: DeleteFilesJob.Report) throws {
    let json: JSONObject = [
      "path": report.path, "dryRun": report.isDryRun, "files": report.items.map(\.json),
    ]
    try output.write(json) { _ in
      guard !report.items.isEmpty else { return "\(report.path): nothing to delete\n" }
      var table = Table([.left, .left, .left])
      for item in report.items {
        let action =
          report.isDryRun && item.action != .kept
          ? "would be \(item.action.rawValue)" : item.action.rawValue
        table.append([action, item.path, item.reasonWithOption])
      }
      return table.text()
    }
  }
}

extension DeleteFilesJob.Item {
  fileprivate var json: JSONObject {
    ["path": path, "action": action.rawValue, "reason": reasonWithOption]
  }

  /// Why the file is deleted or stays, and the option that deletes it.
  fileprivate var reasonWithOption: String {
    switch (kind, action) {
    case (.lock, .emptied): reason + "; --lock deletes it"
    case (.formatBackup, .kept): reason + "; --backups deletes it"
    default: reason
    }
  }
}
