internal import ArgumentParser
internal import RealmJobs
internal import RealmStorage

/// `realm-cli users list`.
struct UsersListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the users in the folder of an app, and the realms of each.",
    discussion: """
      The folder is that of an app, or one above it, up to the folder in which the SDK has \
      mongodb-realm or realm-object-server. Shows the state and the identities of each user, the \
      current one first marked with *, the realms with their size and state of sync, realms that belong \
      to no user, and what the SDK will do with files when the app starts again. Tokens are never shown. \
      Nothing is changed.

      EXAMPLE: realm-cli users list ~/Documents

      Exit codes: 66 there is no folder of an app.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The folder of the app, or one above it.", completion: .directory)
  var folder: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 2) { [output] in output.warn($0) }
    let report = try UsersJob(path: folder, keys: keys).run()
    for app in report.apps {
      if let problem = app.problem {
        output.warn(
          "\(app.path): the list of users cannot be read, so the owners of the realms are unknown: "
            + "\(problem)")
      } else if !app.isComplete {
        output.warn("\(app.path): the app has more users and file actions than are listed")
      }
      for problem in app.unreadable { output.warn(problem.description) }
    }
    try output.write(UsersSummary(report)) { _ in UsersText(report).text }
  }
}
