internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli convert`.
struct ConvertCommand: ParsableCommand {
  /// What a realm can be converted to.
  enum Target: String, ExpressibleByArgument, CaseIterable {
    case local
    case synced
  }

  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Make a local realm from a synced one, or a synced one from a local one.",
    discussion: """
      --to local: the result holds every object, and opens without an account or a server. It leaves \
      out the data of sync: the history, the identity of the file and the internal tables.

      Changes that were not uploaded are part of the data and stay. Only objects of asymmetric \
      classes exist in the history alone; --discard-unsynced gives them up. If the classes of an app \
      lack a property of the realm, such as realm_id, which a server adds, the app must open the \
      result with a schema version above the stored one. --drop-property leaves the property out, and \
      --schema-version stores another version.

      --to synced: the result holds every object, and an SDK that opens it with partition-based sync \
      uploads all of them. Every class needs a primary key named _id. Objects with the same _id on \
      the server are overwritten.

      The realm that is read is never changed.

      EXAMPLE: realm-cli convert synced.realm --to local -o local.realm
      EXAMPLE: realm-cli convert synced.realm --to local --drop-property realm_id -o local.realm
      EXAMPLE: realm-cli convert local.realm --to synced -o synced.realm

      Exit codes: 69 the realm cannot be converted, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "The kind of realm to make: local or synced.")
  var to: Target

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

  @Flag(help: "To synced: ask for flexible sync, to which no realm can be converted.")
  var flexible = false

  @Argument(help: "The realm to convert.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    if to == .synced, schemaVersion != nil || !droppedProperties.isEmpty || discardUnsynced {
      throw ValidationError(
        "--schema-version, --drop-property and --discard-unsynced need --to local")
    }
    if to == .local, flexible { throw ValidationError("--flexible needs --to synced") }
    if schemaVersion == .max {
      throw ValidationError("--schema-version takes a number up to 18446744073709551614")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let destination = try target.destination(for: realm)
    switch to {
    case .local: try convertToLocal(keys, destination)
    case .synced: try convertToSynced(keys, destination)
    }
  }

  private func convertToLocal(_ keys: RealmKeys, _ destination: RealmDestination) throws {
    let request = ConvertJob.Request(
      schemaVersion: schemaVersion, droppedProperties: droppedProperties,
      discardsUnsynced: discardUnsynced)
    let report = try output.withProgress("converting") { bar in
      try keys.open(realm) { key in
        try ConvertJob(
          path: realm, version: target.source.version, key: key, destination: destination,
          request: request, isDryRun: target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    tell(report)
    let summary = ConvertSummary(report)
    try output.write(summary, resultIsOnStandardOutput: target.output == "-") { _ in
      summary.text
    }
  }

  private func convertToSynced(_ keys: RealmKeys, _ destination: RealmDestination) throws {
    guard !flexible else {
      throw RequestError(.flexibleConversion, path: realm)
    }
    let report = try output.withProgress("converting") { bar in
      try keys.open(realm) { key in
        try ConvertToSyncedJob(
          path: realm, version: target.source.version, key: key, destination: destination,
          isDryRun: target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    if report.objectCount > 0 {
      output.warn(
        "objects of the server with the same _id will be overwritten: all properties, and lists as a "
          + "whole")
    }
    let summary = ConvertToSyncedSummary(report)
    try output.write(summary, resultIsOnStandardOutput: target.output == "-") { _ in
      summary.text
    }
  }

  /// Warns about facts that the user must know to open the result.
  private func tell(_ report: ConvertJob.Report) {
    if !report.wasSynced { output.warn("\(realm): this realm was local already") }
    if let warning = report.legacy?.warning {
      output.warn("\(realm): \(warning)")
    } else if report.pendingChanges > 0 {
      output.warn(
        "\(Text.count(report.pendingChanges, "changeset", "changesets")) not uploaded: they are in the result, "
          + "but the server will never get \(report.pendingChanges == 1 ? "it" : "them")")
    }
    if !report.asymmetricClasses.isEmpty {
      output.warn(
        "local realms of the SDKs have no asymmetric classes: "
          + report.asymmetricClasses.joined(separator: ", "))
    }
    if !report.keptTables.isEmpty {
      output.warn(
        "internal tables of sync stay because links connect them with other tables: "
          + report.keptTables.joined(separator: ", "))
    }
    if !report.serverProperties.isEmpty {
      let names = Set(report.serverProperties.map(\.property)).sorted().joined(separator: ", ")
      output.warn(
        "an app whose classes do not declare \(names) must open the result with a schema version "
          + "above \(report.schemaVersion.map(String.init) ?? "0"); or use --drop-property")
    }
  }
}
