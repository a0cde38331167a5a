import ArgumentParser
import RealmJobs
import RealmStorage
import RealmSync

/// `realm-cli copy`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a realm at one consistent version; a synced one for another user.",
    discussion: """
      The realm may be in use: the copy has one version of it, without free space and with the same \
      key. The source realm is never changed.

      The copy of a synced realm is for another user or device of the same app: when it is first opened, \
      the server gives it an identity of its own, and sends what changed since. Changes that are not \
      uploaded would stay in the copy and never reach the server: --discard-unsynced allows that.

      --app-dir, --from-user and --to-user name a realm in an app's folder, and put the copy where the \
      SDK looks for the other user's realm. That user must have logged in before.

      EXAMPLE: realm-cli copy people.realm -o backup.realm
      EXAMPLE: realm-cli copy --app-dir ~/Documents --from-user frodo --to-user sam

      Exit codes: 69 changes are not uploaded, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Copy a synced realm even if it has changes that are not uploaded.")
  var discardUnsynced = false

  @Option(
    help: ArgumentHelp("An app's folder, as for `users list`.", valueName: "folder"),
    completion: .directory)
  var appDir: String?

  @Option(help: ArgumentHelp("With --app-dir: the user whose realm is copied.", valueName: "id"))
  var fromUser: String?

  @Option(help: ArgumentHelp("With --app-dir: the user who gets the copy.", valueName: "id"))
  var toUser: String?

  @Option(
    name: .customLong("realm"),
    help: ArgumentHelp(
      "With --app-dir: the name of the realm, if the user has several.", valueName: "name"))
  var realmName: String?

  @Argument(help: "The realm to copy.", completion: .file(extensions: ["realm"]))
  var realm: String?

  func validate() throws {
    guard appDir != nil else {
      guard realm != nil else { throw ValidationError("name the realm to copy") }
      guard fromUser == nil, toUser == nil, realmName == nil else {
        throw ValidationError("--from-user, --to-user and --realm need --app-dir")
      }
      return
    }
    guard fromUser != nil, toUser != nil else {
      throw ValidationError("--app-dir needs --from-user and --to-user")
    }
    guard fromUser != toUser else {
      throw ValidationError("--from-user and --to-user are the same user")
    }
    guard realm == nil, target.output == nil else {
      throw ValidationError(
        "--app-dir determines the realm and its copy: leave out the realm and -o")
    }
  }

  func run() throws {
    if let realm {
      let keys = try keyOptions.keys(output)
      return try copy(realm, to: target.destination(for: realm), keys)
    }
    guard let appDir, let fromUser, let toUser else { return try validate() }
    let keys = try keyOptions.keys(forRealms: 2, output)
    let paths = try UserRealmPaths(
      path: appDir, from: fromUser, to: toUser, realm: realmName, keys: keys
    ).paths()
    let destination = RealmDestination.file(paths.target, replacing: target.force)
    guard !target.dryRun else { return try copy(paths.source, to: destination, keys) }
    try paths.withFolder { try copy(paths.source, to: destination, keys) }
  }

  private func copy(_ realm: String, to destination: RealmDestination, _ keys: RealmKeys) throws {
    let report = try keys.run("copying", on: realm, output) { key, progress in
      try CopyJob(
        path: realm, version: target.source.version, key: key, destination: destination,
        discardsUnsynced: discardUnsynced, isDryRun: target.dryRun
      ).run(progress: progress)
    }
    if report.sync?.isUnfinished == true {
      output.warn(
        "\(realm): queries of flexible sync were not applied completely; the copy continues with them"
      )
    }
    try output.write(report.json, resultIsOnStandardOutput: target.isStandardOutput) { _ in
      report.text
    }
  }
}

extension CopyJob.Report {
  fileprivate var json: JSONObject {
    let discarded = sync?.discarded
    return rewrite.json + [
      "synced": sync != nil, "discardedChangesets": sync?.discardedChangesets ?? 0,
      "discarded": (discarded?.classes ?? []).map(\.json),
      "schemaChanges": discarded?.schemaChanges ?? 0,
      "undecoded": (discarded?.undecoded ?? []).map(\.json),
      "complete": discarded?.isComplete ?? true,
    ]
  }

  fileprivate var text: String {
    guard let sync else { return rewrite.text(done: "copied") }
    var text = rewrite.text(done: "copied for another user")
    if sync.discardedChangesets > 0 {
      text +=
        "  would never be uploaded from the copy: "
        + Text.count(sync.discardedChangesets, "changeset") + "\n"
        + sync.discarded.lines.map { "    \($0.printable)\n" }.joined()
    }
    return text
  }
}
