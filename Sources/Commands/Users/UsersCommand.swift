internal import ArgumentParser

/// `realm-cli users`: commands about the users of apps with sync.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "List the users of an app and their realms.",
    subcommands: [UsersListCommand.self, UsersPathCommand.self])
}
