import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli convert`.
struct ConvertCommand: ParsableCommand {
  /// What a realm can be converted to.
  enum Target: String, ExpressibleByArgument, CaseIterable {
    case local
    case synced
  }

  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a realm to a local or a synced one, or to another file format.",
    discussion: """
      --to local: the result has every object, and opens without an account or a server. The data of \
      sync is left out: the history, the identity of the file and the internal tables.

      Changes that were not uploaded are part of the data and stay. Only objects of asymmetric \
      classes exist nowhere but in the history; --discard-unsynced gives them up. If the app's classes \
      lack a property of the realm, such as realm_id, which a server adds, the app must open the \
      result with a schema version above the stored one. --drop-property leaves the property out, and \
      --schema-version stores another version.

      --to synced: the result has every object, and an SDK that opens it with partition-based sync \
      uploads all of them. Objects with the same _id on the server are overwritten. Every class needs a \
      primary key named _id: --add-primary-keys gives it to the classes that lack it. A class without a \
      primary key gets a property _id with new ObjectIds, or its property _id becomes the key if it has \
      one; a primary key of another name is renamed. The app's classes must then declare these keys.

      --file-format: the result has the same objects in another file format, also in an older one, which an app with an older \
      SDK opens; no SDK can write it. What the format cannot hold is listed, and nothing is written.

      Without --in-place, the source realm is not changed.

      EXAMPLE: realm-cli convert synced.realm --to local -o local.realm
      EXAMPLE: realm-cli convert synced.realm --to local --drop-property realm_id -o local.realm
      EXAMPLE: realm-cli convert local.realm --to synced -o synced.realm
      EXAMPLE: realm-cli convert local.realm --to synced --add-primary-keys -o synced.realm
      EXAMPLE: realm-cli convert upgraded.realm --file-format 22 -o for-the-old-app.realm

      Exit codes: 69 the realm cannot be converted, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "The kind of realm to convert to: local or synced.")
  var to: Target?

  @Option(
    help: ArgumentHelp(
      "The file format to convert to: 20, 22, 23 or 24.", valueName: "n"))
  var fileFormat: Int?

  @Option(help: ArgumentHelp("To local: schema version of the result.", valueName: "n"))
  var schemaVersion: UInt64?

  @Option(
    name: .customLong("drop-property"), parsing: .singleValue,
    help: ArgumentHelp(
      "To local: leave this property out of all classes; can be given several times.",
      valueName: "name"))
  var droppedProperties: [String] = []

  @Flag(help: "To local: give up objects of asymmetric classes that were not uploaded.")
  var discardUnsynced = false

  @Flag(help: "To synced: give every class a primary key named _id.")
  var addPrimaryKeys = false

  @Flag(help: "To synced: request flexible sync, which no realm can be converted to.")
  var flexible = false

  @Argument(help: "The realm to convert.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard (to == nil) != (fileFormat == nil) else {
      throw ValidationError("give either --to or --file-format")
    }
    guard to == nil || !rewrite.inPlace else {
      throw ValidationError("--in-place needs --file-format; with --to, give -o")
    }
    if to != .local, schemaVersion != nil || !droppedProperties.isEmpty || discardUnsynced {
      throw ValidationError(
        "--schema-version, --drop-property and --discard-unsynced need --to local")
    }
    if to != .synced, flexible { throw ValidationError("--flexible needs --to synced") }
    if to != .synced, addPrimaryKeys {
      throw ValidationError("--add-primary-keys needs --to synced")
    }
    if schemaVersion == .max {
      throw ValidationError("--schema-version takes a number up to 18446744073709551614")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try rewrite.destination(for: realm)
    switch to {
    case .local: try convertToLocal(keys, destination)
    case .synced: try convertToSynced(keys, destination)
    case nil: try convertFormat(keys, destination)
    }
  }

  private func convertToLocal(_ keys: RealmKeys, _ destination: RealmDestination) throws {
    let request = ConvertJob.Request(
      schemaVersion: schemaVersion, droppedProperties: droppedProperties,
      discardsUnsynced: discardUnsynced)
    let report = try keys.run("converting", on: realm, output) { key, progress in
      try ConvertJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        request: request, isDryRun: rewrite.target.dryRun
      ).run(progress: progress)
    }
    for warning in report.warnings(realm) { output.warn(warning) }
    try output.write(report.json, resultIsOnStandardOutput: rewrite.target.isStandardOutput) { _ in
      report.text
    }
  }

  private func convertFormat(_ keys: RealmKeys, _ destination: RealmDestination) throws {
    let report = try keys.run("converting", on: realm, output) { key, progress in
      try UpgradeJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        format: fileFormat, allowsOlder: true, isDryRun: rewrite.target.dryRun
      ).run(progress: progress)
    }
    if let warning = report.legacy?.warning { output.warn("\(realm): \(warning)") }
    try output.write(
      report.json(realm), resultIsOnStandardOutput: rewrite.target.isStandardOutput
    ) { _ in
      report.text(realm)
    }
  }

  private func convertToSynced(_ keys: RealmKeys, _ destination: RealmDestination) throws {
    guard !flexible else {
      throw RequestError(.flexibleConversion, path: realm)
    }
    let report = try keys.run("converting", on: realm, output) { key, progress in
      try ConvertToSyncedJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        addsPrimaryKeys: addPrimaryKeys, isDryRun: rewrite.target.dryRun
      ).run(progress: progress)
    }
    for warning in report.warnings { output.warn(warning) }
    try output.write(report.json, resultIsOnStandardOutput: rewrite.target.isStandardOutput) { _ in
      report.text
    }
  }
}
