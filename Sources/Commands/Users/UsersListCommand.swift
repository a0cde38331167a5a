import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli users list`.
struct UsersListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the users in an app's folder, and the realms of each.",
    discussion: """
      The folder is an app's, or one above it, up to the folder in which the SDK keeps mongodb-realm or \
      realm-object-server. Shows the state and the identities of each user, with * before the current \
      one, the realms with their size and state of sync, realms that belong to no user, and what the \
      SDK will do with files when the app starts again. Tokens are never shown. Changes nothing.

      EXAMPLE: realm-cli users list ~/Documents

      Exit codes: 66 no app's folder was found.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The app's folder, or one above it.", completion: .directory)
  var folder: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 2, output)
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
    try output.write(report.json) { _ in report.text }
  }
}
