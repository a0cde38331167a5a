public import ArgumentParser
import RealmInterchange
public import RealmJobs
import RealmStorage

/// `realm-cli export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export objects as JSON, CSV, a SQLite database or a script for PostgreSQL.",
    discussion: """
      Reads one version of the realm and never changes it. json and ndjson are lossless and can be \
      imported again; docs/realm-json.md describes them. The core formats are the output of the \
      reference implementation, byte for byte; docs/reference-differences.md lists what they lose. \
      plain is JSON without wrappers; ejson and csv write a file for each class into the folder that \
      -o names, ejson for mongoimport; sqlite creates a database with a table for each class and each \
      collection; `realm-cli schema show` prints model classes for these tables. postgres is a script for \
      `psql -v ON_ERROR_STOP=1 -f`, which loads all or nothing. docs/formats.md lists what these lose.

      --unsynced exports the changes of a synced realm that are not uploaded instead of its objects: \
      one JSON object per line for each change.

      A realm in use is copied first. If the realm changes while it is read, and a part of the export is \
      already on standard output, the command ends with 75: run it again.

      EXAMPLE: realm-cli export people.realm -o people.json
      EXAMPLE: realm-cli export people.realm --format ndjson | jq -c '.object // empty'
      EXAMPLE: realm-cli export people.realm --class Person --where "age > 30" -o adults.json
      EXAMPLE: realm-cli export people.realm --format sqlite --dates unix-ms -o people.sqlite
      EXAMPLE: realm-cli export people.realm --format postgres | psql -v ON_ERROR_STOP=1 people
      EXAMPLE: realm-cli export synced.realm --unsynced -o changes.ndjson
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var tables: TableArguments

  @Option(help: "The format: \(ExportFormat.names).")
  var format: ExportFormat = .text(.json)

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp("Export only this class; can be given several times.", valueName: "name"))
  var classes: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Export only the objects of one --class that this query finds; see `realm-cli query --help`.",
      valueName: "query"))
  var condition: String?

  @Option(
    help: ArgumentHelp(
      "Name of the schema for the tables in PostgreSQL (default: \(ExportJob.Request.usualSchemaName)).",
      valueName: "name"))
  var schemaName: String?

  @Flag(help: "Accept that a script for PostgreSQL cannot hold some values.")
  var allowDataLoss = false

  @Flag(help: "Export the changes that are not uploaded, one per line, instead of the objects.")
  var unsynced = false

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard condition == nil || classes.count == 1 else {
      throw ValidationError("--where needs one class: name it with --class")
    }
    guard format == .sqlite || !tables.areGiven else {
      throw ValidationError("--dates, --ids and --for are for --format sqlite")
    }
    guard format == .postgres || schemaName == nil && !allowDataLoss else {
      throw ValidationError("--schema-name and --allow-data-loss are for --format postgres")
    }
    let name = Array((schemaName ?? ExportJob.Request.usualSchemaName).utf8)
    guard 1...63 ~= name.count, !name.contains(0), !name.starts(with: "pg_".utf8) else {
      throw ValidationError(
        "--schema-name is the name of a schema: 1 to 63 bytes, and not one that starts with pg_")
    }
    guard !unsynced || classes.isEmpty && format == .text(.json) else {
      throw ValidationError(
        "--unsynced has a format of its own, and writes the changes of all classes")
    }
  }

  func run() throws {
    try destination.check(source: realm)
    try checkDestination()
    let keys = try keyOptions.keys(output)
    if unsynced { try exportChanges(keys) } else { try exportObjects(keys) }
  }

  private func exportObjects(_ keys: RealmKeys) throws {
    var request = ExportJob.Request(
      format: format, classes: classes.isEmpty ? nil : classes, condition: condition,
      jobs: jobs.count)
    request.tables = tables.options
    if let schemaName { request.schemaName = schemaName }
    request.acceptsLosses = allowDataLoss
    let job = ExportJob(request)
    let report = try output.withProgress(
      "exporting", resultIsOnStandardOutput: destination.isStandardOutput
    ) { bar in
      try job.run(
        open: { try snapshot(keys, $0) },
        makeOutput: { snapshot in
          guard format != .sqlite else {
            return .database(try destination.file(isPrivate: snapshot.isEncrypted))
          }
          guard case .text(let format) = format, let fileExtension = format.fileExtension,
            !destination.isStandardOutput
          else {
            return .text(try destination.open(isPrivate: snapshot.isEncrypted))
          }
          return .folder(
            destination.folder(isPrivate: snapshot.isEncrypted), fileExtension: fileExtension)
        },
        canStartOver: !destination.isStandardOutput,
        progress: { bar.update($0, of: $1) })
    }
    noteLosses(report)
    try output.write(json(report), resultIsOnStandardOutput: destination.isStandardOutput) { _ in
      let objects = report.counts.reduce(0) { $0 + $1.objects }
      let place = destination.isStandardOutput ? "" : " to \(destination.destination.printable)"
      let leftOut =
        report.internalTables.isEmpty
        ? "" : ", without \(Text.count(report.internalTables.count, "internal table"))"
      return "\(realm.printable): \(Text.count(objects, "object")) of "
        + "\(Text.count(report.counts.count, "class", "classes")) exported\(place)\(leftOut)\n"
    }
  }

  private func json(_ report: ExportJob.Report) -> JSONObject {
    let losses = FormatLosses.Kind.allCases.map { ("\($0)", report.losses[$0]) }
      .filter { $0.1 > 0 }
    return [
      "path": realm, "format": format.name,
      "classes": report.counts.map { ["name": $0.name, "objects": $0.objects] as JSONObject },
      "internalTables": report.internalTables, "duplicateSetMembers": report.duplicateMembers,
      "losses": Dictionary(uniqueKeysWithValues: losses),
    ]
  }

  /// Reports what is not in the export.
  private func noteLosses(_ report: ExportJob.Report) {
    if !report.internalTables.isEmpty {
      output.detail(
        "left out \(Text.count(report.internalTables.count, "internal table")): "
          + report.internalTables.joined(separator: ", "))
    }
    if report.duplicateMembers > 0 {
      output.warn(
        "left out \(Text.count(report.duplicateMembers, "set member")) that "
          + "equal another member; old file formats and sets with NaN have them")
    }
    for kind in FormatLosses.Kind.allCases where report.losses[kind] > 0 {
      output.warn("\(format.name) cannot hold \(kind.words(report.losses[kind]))")
    }
  }

  private func exportChanges(_ keys: RealmKeys) throws {
    let report = try UnsyncedExportJob().run(
      open: { try snapshot(keys, $0) },
      makeOutput: { .text(try destination.open(isPrivate: $0.isEncrypted)) },
      canStartOver: !destination.isStandardOutput)
    if report.undecoded > 0 {
      output.warn("\(realm): \(Text.count(report.undecoded, "changeset")) could not be decoded")
    }
    let json: JSONObject = [
      "path": realm, "changesets": report.changesets, "changes": report.changes,
      "notDecoded": report.undecoded,
    ]
    try output.write(json, resultIsOnStandardOutput: destination.isStandardOutput) { _ in
      "\(realm.printable): \(Text.count(report.changes, "change")) in "
        + "\(Text.count(report.changesets, "changeset")) not uploaded\n"
    }
  }

  private func snapshot(_ keys: RealmKeys, _ access: Snapshot.Access) throws -> Snapshot {
    try keys.snapshot(
      of: realm, version: version.version, access: access, cacheByteCount: memory.byteCount)
  }

  /// - Throws: `ValidationError` if the format cannot go to standard output and there is no `-o`.
  private func checkDestination() throws {
    guard destination.isStandardOutput else { return }
    switch format {
    case .sqlite: throw ValidationError("sqlite writes a database: name a file with -o")
    case .postgres: return
    case .text(let text):
      guard text.fileExtension != nil, text != .csv || classes.count != 1 else { return }
      throw ValidationError(
        "\(format.name) writes a file for each class: name a folder with -o"
          + (text == .csv ? ", or one class with --class" : ""))
    }
  }
}

extension ExportFormat: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }

  public var defaultValueDescription: String { name }

  public static var allValueStrings: [String] { allCases.map(\.name) }

  /// For the help.
  static var names: String { allValueStrings.joined(separator: ", ") }
}
