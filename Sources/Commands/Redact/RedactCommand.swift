import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli redact`.
struct RedactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact",
    abstract: "Make a copy of a realm without its content, to send to somebody else.",
    discussion: """
      The copy has the same classes, counts, links and nulls; collections, strings and binaries keep \
      their lengths. Letters become letters, digits become digits, numbers keep their magnitude, dates \
      move by up to a year, binaries become noise. Equal values of a property stay equal, and primary \
      keys stay unique. Names of classes and properties stay; so does what --keep and --keep-class name.

      The copy is a local realm of the same file format, or of 24 if that is 2 to 11 or 21, without \
      history, free space and earlier commits, and with the same key. Nobody can undo the changes, unless --seed is known. docs/redact.md shows what \
      the copy still shows.

      EXAMPLE: realm-cli redact people.realm -o redacted.realm
      EXAMPLE: realm-cli redact people.realm -o redacted.realm --keep Person.country --keep-class Settings

      Exit codes: 64 a class or property does not exist, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Keep the values of this property; can be given several times.", valueName: "Class.property"))
  var keep: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep the values of all properties of this class; can be given several times.",
      valueName: "class"))
  var keepClass: [String] = []

  @Option(
    help: ArgumentHelp(
      "Make the same copy as another run with this number, instead of a random one.",
      valueName: "n"))
  var seed: UInt64?

  @Argument(help: "The realm to copy.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try target.destination(for: realm)
    var request = RedactJob.Request()
    (request.keptProperties, request.keptClasses) = (keep, keepClass)
    (request.seed, request.jobs) = (seed, jobs.count)
    let report = try keys.run("redacting", on: realm, output) { key, progress in
      try RedactJob(
        path: realm, version: target.source.version, key: key, destination: destination,
        request: request, isDryRun: target.dryRun
      ).run(progress: progress)
    }
    output.warn(
      "the copy still shows the names of classes and properties, counts, links, nulls, and lengths of values"
    )
    try output.write(report.json, resultIsOnStandardOutput: target.isStandardOutput) { _ in
      report.text
    }
  }
}

extension RedactJob.Report {
  fileprivate var json: JSONObject {
    rewrite.json + [
      "objects": objects, "kept": kept, "wasSynced": wasSynced, "droppedTables": droppedTables,
    ]
  }

  fileprivate var text: String {
    rewrite.text(Text.count(objects, "object"), done: "redacted")
      + (kept.isEmpty ? "" : "  kept: \(kept.joined(separator: ", ").printable)\n")
      + (wasSynced ? "  the realm is synced; the copy is local and has no history\n" : "")
      + (droppedTables.isEmpty
        ? "" : "  left out: internal tables \(droppedTables.joined(separator: ", ").printable)\n")
  }
}
