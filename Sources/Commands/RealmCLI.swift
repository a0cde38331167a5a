import ArgumentParser
import CSystem

/// The root command, which only lists its subcommands.
struct RealmCLI: ParsableCommand {
  /// The version of the program, of its packages and in the manifests of backups.
  static let version = "0.1.0"

  /// What `--version -v` prints: version, commit, the day of the commit, system and processor.
  static var versionDetails: String {
    let commit = unsafe String(cString: csystem_build_commit())
    let date = unsafe String(cString: csystem_build_date())
    let source = commit.isEmpty ? "unknown (not built by `make package`)" : "\(commit), \(date)"
    return """
      realm-cli \(version)
      commit: \(source)
      platform: \(platform)
      file formats: read 2 to 24, written 24
      """
  }

  private static var platform: String {
    let system = unsafe String(cString: csystem_name())
    #if arch(arm64)
      return "\(system) arm64"
    #else
      return "\(system) x86-64"
    #endif
  }

  static let configuration = CommandConfiguration(
    commandName: "realm-cli",
    abstract: "Inspect, export, verify and rewrite Realm database files, without an SDK.",
    discussion: """
      Reads realms of file formats 2 to 24, plain or encrypted. A source realm is never changed, except \
      with --in-place, by import --into and by delete-files.

      Exit codes: 0 done, 64 wrong usage, 65 damaged or invalid, 66 missing or unreadable, \
      69 not supported, 70 a bug in realm-cli, 73 the output exists or cannot be created, \
      74 input/output error, 75 in use, 77 key wrong or missing, 78 invalid plan.
      """,
    version: version,
    subcommands: [
      InfoCommand.self, StatsCommand.self, SchemaCommand.self, ExportCommand.self,
      ImportCommand.self, QueryCommand.self, BrowseCommand.self, ShellCommand.self,
      HashCommand.self, DiffCommand.self,
      ApplyCommand.self,
      VerifyCommand.self, SalvageCommand.self, CompactCommand.self, UpgradeCommand.self,
      MigrateCommand.self, UpdateCommand.self, DeleteCommand.self, RedactCommand.self,
      ConvertCommand.self, CopyCommand.self, UsersCommand.self, EncryptCommand.self,
      DecryptCommand.self, RekeyCommand.self, KeygenCommand.self, DeleteFilesCommand.self,
      BackupCommand.self,
    ])
}

/// `realm-cli schema`.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show and compare the classes and properties of realms.",
    subcommands: [SchemaShowCommand.self, SchemaDiffCommand.self])
}

/// `realm-cli users`.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "List the users of an app and their realms.",
    subcommands: [UsersListCommand.self, UsersPathCommand.self])
}

/// `realm-cli backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Create, verify, restore and prune backups.",
    discussion: """
      A backup is an archive with a manifest, which has the checksum of each realm. tar, unzip and 7z \
      can open it too.

      EXAMPLE: realm-cli backup create data/ -o backups/ && realm-cli backup prune backups/ --keep-daily 7
      """,
    subcommands: [
      BackupCreateCommand.self, BackupListCommand.self, BackupVerifyCommand.self,
      BackupRestoreCommand.self, BackupPruneCommand.self,
    ])
}
