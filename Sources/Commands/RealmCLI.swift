internal import ArgumentParser
internal import RealmModel

/// The root command, which only lists its subcommands.
struct RealmCLI: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "realm-cli",
    abstract: "Inspect, export, check and rewrite Realm database files, without an SDK.",
    discussion: """
      Reads realms of file formats 2 to 24, plain or encrypted. A realm that is read is never \
      changed, except with --in-place.

      Exit codes: 0 done, 64 wrong usage, 65 damaged or invalid, 66 missing or unreadable, \
      69 not supported, 70 a bug in realm-cli, 73 the output exists or cannot be created, \
      74 input/output error, 75 in use, 77 key wrong or missing, 78 a plan is wrong.
      """,
    version: version,
    subcommands: [
      InfoCommand.self, StatsCommand.self, SchemaCommand.self, ExportCommand.self,
      ImportCommand.self,
      QueryCommand.self,
      VerifyCommand.self, SalvageCommand.self,
      CompactCommand.self, UpgradeCommand.self, MigrateCommand.self, ConvertCommand.self,
      CopyCommand.self, UsersCommand.self,
      EncryptCommand.self,
      DecryptCommand.self, RekeyCommand.self, KeygenCommand.self, DeleteFilesCommand.self,
      BackupCommand.self,
    ])
}
