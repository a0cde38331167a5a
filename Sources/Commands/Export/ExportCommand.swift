public import ArgumentParser
internal import RealmInterchange
public import RealmMaintenance
internal import RealmStorage

/// `realm-cli export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all objects of a realm as text or into a database.",
    discussion: """
      Reads one version of the realm and never changes it. json and ndjson hold every value and can \
      be read back; docs/realm-json.md describes them. The core formats are the texts of the \
      reference implementation, byte for byte; docs/reference-differences.md says what they lose. \
      plain is JSON without wrappers; ejson and csv write a file for each class into the folder that \
      -o names, ejson for mongoimport; sqlite makes a database with a table for each class and each \
      collection; docs/formats.md says what they lose.

      EXAMPLE: realm-cli export people.realm -o people.json
      EXAMPLE: realm-cli export people.realm --format ndjson | jq -c '.object // empty'
      --unsynced writes the changes of a synced realm that are not uploaded instead of its objects: one \
      JSON object a line for each change.

      EXAMPLE: realm-cli export people.realm --class Person --where "age > 30" -o adults.json

      A realm in use is copied first. If the realm changes while it is read, and text is already on \
      standard output, the export ends with 75: run it again.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(help: "What to write: \(ExportFormat.names).")
  var format: ExportFormat = .text(.json)

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp("Write only this class; can be given several times.", valueName: "name"))
  var classes: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Write only the objects of one --class that this query finds; see `realm-cli query --help`.",
      valueName: "query"))
  var condition: String?

  @Flag(help: "Write the changes that are not uploaded, one a line, instead of the objects.")
  var unsynced = false

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  /// The JSON report.
  private struct Summary: Encodable {
    struct Class: Encodable {
      var name: String
      var objects: Int
    }
    var path: String
    var format: String
    var classes: [Class]
    /// Internal tables, which are left out.
    var internalTables: [String]
    var duplicateSetMembers: Int
    /// Values that the format could not hold, by what became of them.
    var losses: [String: Int]
  }

  func validate() throws {
    guard condition == nil || classes.count == 1 else {
      throw ValidationError("--where needs one class: name it with --class")
    }
    guard !unsynced || classes.isEmpty && format == .text(.json) else {
      throw ValidationError(
        "--unsynced has a format of its own, and writes the changes of all classes")
    }
  }

  func run() throws {
    try destination.check(source: realm)
    try checkDestination()
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    guard !unsynced else { return try exportUnsynced(keys) }
    let job = ExportJob(
      ExportJob.Request(
        format: format, classes: classes.isEmpty ? nil : classes, condition: condition,
        jobs: jobs.count))
    let report = try output.withProgress(
      "exporting", resultIsOnStandardOutput: destination.isStandardOutput
    ) { bar in
      try job.run(
        open: { access in
          try keys.snapshot(
            of: realm, version: version.version, access: access, cacheByteCount: memory.byteCount)
        },
        makeOutput: { snapshot in
          guard case .text(let format) = format else {
            return .database(try destination.file(isPrivate: snapshot.isEncrypted))
          }
          guard let fileExtension = format.fileExtension, !destination.isStandardOutput else {
            return .text(try destination.open(isPrivate: snapshot.isEncrypted))
          }
          return .folder(
            destination.folder(isPrivate: snapshot.isEncrypted), fileExtension: fileExtension)
        },
        canStartAnew: !destination.isStandardOutput,
        progress: { bar.update($0, of: $1) })
    }
    tell(report)
    let summary = Summary(
      path: realm, format: format.name,
      classes: report.counts.map { Summary.Class(name: $0.name, objects: $0.objects) },
      internalTables: report.internalTables, duplicateSetMembers: report.duplicateMembers,
      losses: Dictionary(
        uniqueKeysWithValues: FormatLosses.Kind.allCases.compactMap { kind in
          report.losses[kind] > 0 ? ("\(kind)", report.losses[kind]) : nil
        }))
    try output.write(summary, resultIsOnStandardOutput: destination.isStandardOutput) { _ in
      let objects = report.counts.reduce(0) { $0 + $1.objects }
      let place = destination.isStandardOutput ? "" : " to \(destination.destination.printable)"
      let leftOut =
        report.internalTables.isEmpty
        ? ""
        : ", without \(Text.count(report.internalTables.count, "internal table", "internal tables"))"
      return "\(realm.printable): \(Text.count(objects, "object", "objects")) of "
        + "\(Text.count(report.counts.count, "class", "classes")) exported\(place)\(leftOut)\n"
    }
  }

  /// - Throws: `ValidationError` if a format that cannot go to standard output has no place to go to.
  private func checkDestination() throws {
    guard destination.isStandardOutput else { return }
    switch format {
    case .sqlite: throw ValidationError("sqlite writes a database: name a file with -o")
    case .text(let text):
      guard text.fileExtension != nil, text != .csv || classes.count != 1 else { return }
      throw ValidationError(
        "\(format.name) writes a file for each class: name a folder with -o"
          + (text == .csv ? ", or one class with --class" : ""))
    }
  }

  /// Says what is not in the text.
  private func tell(_ report: ExportJob.Report) {
    if !report.internalTables.isEmpty {
      output.note(
        "left out \(Text.count(report.internalTables.count, "internal table", "internal tables")): "
          + report.internalTables.joined(separator: ", "))
    }
    if report.duplicateMembers > 0 {
      output.warn(
        "left out \(Text.count(report.duplicateMembers, "set member", "set members")) that "
          + "equal another member; old file formats and sets with NaN have them")
    }
    for kind in FormatLosses.Kind.allCases where report.losses[kind] > 0 {
      output.warn("\(format.name) cannot hold \(kind.words(report.losses[kind]))")
    }
  }
}

extension ExportFormat: ExpressibleByArgument {
  public init?(argument: String) { self.init(name: argument) }

  public var defaultValueDescription: String { name }

  public static var allValueStrings: [String] { allCases.map(\.name) }

  /// For help texts.
  static var names: String { allValueStrings.joined(separator: ", ") }
}
