public import ArgumentParser
public import RealmInterchange
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli export`.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all objects of a realm as text.",
    discussion: """
      Reads one version of the realm and never changes it. json and ndjson hold every value and can \
      be read back; docs/realm-json.md describes them. The core formats are the texts of the \
      reference implementation, byte for byte; docs/reference-differences.md says what they lose.

      EXAMPLE: realm-cli export people.realm -o people.json
      EXAMPLE: realm-cli export people.realm --format ndjson | jq -c '.object // empty'

      A realm in use is copied first. If the realm changes while it is read, and text is already on \
      standard output, the export ends with 75: run it again.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(help: "What to write: \(ObjectTextFormat.names).")
  var format: ObjectTextFormat = .json

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp("Write only this class; can be given several times.", valueName: "name"))
  var classes: [String] = []

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
  }

  func run() throws {
    try destination.check(source: realm)
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let job = ExportJob(
      ExportJob.Request(
        format: format, classes: classes.isEmpty ? nil : classes, jobs: jobs.count))
    let report = try output.withProgress(
      "exporting", resultIsOnStandardOutput: destination.isStandardOutput
    ) { bar in
      try job.run(
        open: { access throws(JobError) in
          try keys.open(realm) { key throws(JobError) in
            try inJob(
              Snapshot(
                path: realm, key: key, version: version.version, access: access,
                cacheByteCount: memory.byteCount))
          }
        },
        makeSink: { snapshot throws(JobError) in
          try inJob(destination.open(isPrivate: snapshot.isEncrypted))
        },
        canStartAnew: !destination.isStandardOutput,
        progress: { bar.update($0, of: $1) })
    }
    tell(report)
    let summary = Summary(
      path: realm, format: format.rawValue,
      classes: report.counts.map { Summary.Class(name: $0.name, objects: $0.objects) },
      internalTables: report.internalTables, duplicateSetMembers: report.duplicateMembers)
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

  /// Warns about objects and tables that are not in the text.
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
  }
}

extension ObjectTextFormat: ExpressibleByArgument {
  /// For help texts.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
