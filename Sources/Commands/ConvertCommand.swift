internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli convert`.
struct ConvertCommand: ParsableCommand {
  /// What a realm can be converted to.
  enum Target: String, ExpressibleByArgument, CaseIterable {
    case local
  }

  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Make a local realm from a synced one.",
    discussion: """
      The result holds every object, and opens without an account or a server. It leaves out the \
      data of sync: the history, the identity of the file and the internal tables. The realm that is \
      read is never changed.

      Changes that were not uploaded are part of the data and stay. Only objects of asymmetric \
      classes exist in the history alone; --discard-unsynced gives them up.

      If the classes of an app lack a property of the realm, such as realm_id, which a server adds, \
      the app must open the result with a schema version above the stored one. --drop-property \
      leaves the property out, and --schema-version stores another version.

      EXAMPLE: realm-cli convert synced.realm --to local -o local.realm
      EXAMPLE: realm-cli convert synced.realm --to local --drop-property realm_id -o local.realm

      Exit codes: 69 the realm cannot be converted, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "The kind of realm to make: local.")
  var to: Target

  @Option(help: ArgumentHelp("Schema version of the result.", valueName: "n"))
  var schemaVersion: UInt64?

  @Option(
    name: .customLong("drop-property"), parsing: .singleValue,
    help: ArgumentHelp(
      "Leave this property out of all classes; can be given several times.", valueName: "name"))
  var droppedProperties: [String] = []

  @Flag(help: "Give up objects of asymmetric classes that were not uploaded.")
  var discardUnsynced = false

  @Argument(help: "The realm to convert.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    if schemaVersion == .max {
      throw ValidationError("--schema-version takes a number up to 18446744073709551614")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let destination = try target.destination(for: realm)
    let request = ConvertJob.Request(
      schemaVersion: schemaVersion, droppedProperties: droppedProperties,
      discardsUnsynced: discardUnsynced)
    let report = try output.withProgress("converting") { bar in
      try keys.open(realm) { key throws(JobError) in
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

  /// Warns about facts that the user must know to open the result.
  private func tell(_ report: ConvertJob.Report) {
    if !report.wasSynced { output.warn("\(realm): this realm was local already") }
    if report.pendingChanges > 0 {
      output.warn(
        "\(Text.count(report.pendingChanges, "change", "changes")) not uploaded: they are in the result, "
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
