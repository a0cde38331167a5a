internal import ArgumentParser

/// `realm-cli backup`: commands about archives of realms.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Keep realms in archives, and restore them.",
    discussion: """
      An archive has a manifest with the checksum of each realm. tar, unzip and 7z can open it too.

      EXAMPLE: realm-cli backup create data/ -o backups/ && realm-cli backup prune backups/ --keep-daily 7
      """,
    subcommands: [
      BackupCreateCommand.self, BackupListCommand.self, BackupVerifyCommand.self,
      BackupRestoreCommand.self, BackupPruneCommand.self,
    ])
}
