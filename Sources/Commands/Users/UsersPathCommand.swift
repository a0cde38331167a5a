import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli users path`.
struct UsersPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Show where an SDK stores a user's realm.",
    discussion: """
      Lists the places in the order in which the SDKs look; + marks places with a file, and > the place \
      of a new realm. A partition is a value of Realm JSON, or a bare word, which is a string.

      EXAMPLE: realm-cli users path ~/Documents --user 5f3c… --partition '"store 7"'
      EXAMPLE: realm-cli users path ~/Documents --user 5f3c… --flexible settings
      EXAMPLE: realm-cli users path ~/Documents --user ann --url realms://host/~/settings

      Exit codes: 66 no app's folder was found.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("The identifier of the user.", valueName: "id"))
  var user: String

  @Option(help: ArgumentHelp("The value of the partition.", valueName: "value"))
  var partition: String?

  @Flag(help: "The realm of flexible sync.")
  var flexible = false

  @Option(help: ArgumentHelp("The URL of a realm of an object server.", valueName: "url"))
  var url: String?

  @Argument(help: "The app's folder, or one above it.", completion: .directory)
  var folder: String

  @Argument(help: "With --flexible: the name of the realm, if the app gave it one.")
  var name: String?

  func validate() throws {
    guard [partition != nil, flexible, url != nil].filter({ $0 }).count == 1 else {
      throw ValidationError("give one of --partition, --flexible and --url")
    }
    if let name, !flexible { throw ValidationError("the name \(name) needs --flexible") }
    guard let url else { return }
    guard ["realm://", "realms://"].contains(where: { url.hasPrefix($0) }) else {
      throw ValidationError("a URL of a realm starts with realm:// or realms://: \(url)")
    }
  }

  private func realmName() throws -> RealmName {
    if let url { return .url(url) }
    guard let partition else { return .flexible(name) }
    return try RealmName(partition: partition)
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 2, output)
    let report = try RealmPathJob(
      path: folder, user: user, realm: realmName(), keys: keys
    ).run()
    let candidates = report.candidates.map {
      ["path": $0.path, "sdks": $0.sdks, "exists": $0.exists, "usual": $0.isUsual] as JSONObject
    }
    let json = JSONObject.omittingNulls([
      "candidates": candidates, "serverPath": report.serverPath,
    ])
    try output.write(json) { _ in
      var table = Table([.left, .left, .left])
      for candidate in report.candidates {
        table.append(
          [
            (candidate.exists ? "+" : "") + (candidate.isUsual ? ">" : ""), candidate.path,
            candidate.sdks,
          ])
      }
      let server = report.serverPath.map { "on the server: \($0.printable)\n" } ?? ""
      return table.text() + server
    }
  }
}
