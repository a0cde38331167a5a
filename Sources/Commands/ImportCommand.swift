internal import ArgumentParser
internal import RealmInterchange
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a new realm from a text.",
    discussion: """
      Reads what `export` writes with --format json or ndjson; docs/realm-json.md describes it. Also \
      reads plain JSON (an array of objects, an array for each class, or an object a line), CSV with a \
      header, and folders with such a file for each class, as `export` writes for ejson and csv, and \
      mongoexport does. Their schema comes from --schema or from schema.json in the folder; otherwise \
      it is inferred from all objects and shown. docs/import.md has the rules.

      The realm appears whole or not at all: an object that is wrong ends the import with its line, \
      its place in the text and what is expected there.

      EXAMPLE: realm-cli import people.json -o people.realm
      EXAMPLE: zstdcat people.ndjson.zst | realm-cli import - -o people.realm
      EXAMPLE: realm-cli import Person.csv -o people.realm --primary-key id --index name

      Exit codes: 64 the options do not go with the text, 65 the text is wrong, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var schema: ImportSchemaOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where the realm goes; not with --infer-only.", valueName: "file"),
    completion: .file(extensions: ["realm"]))
  var destination: String?

  @Flag(help: "Replace the output if it exists and is not in use.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "File with the key of the result, which is then encrypted; `realm-cli keygen` makes one.",
      valueName: "file"),
    completion: .file())
  var newKeyFile: String?

  @Flag(help: "Leave out members of objects that the schema does not have.")
  var ignoreUnknown = false

  @Option(
    help: ArgumentHelp(
      "Megabytes of links and of entries of indexes to keep in memory.", valueName: "mb"))
  var memory = 256

  @Flag(help: "Check everything and show what would be made, and make no file.")
  var dryRun = false

  @Argument(
    help: "The text to read, or a folder with a text for each class; - is standard input.",
    completion: .file())
  var source: String

  func validate() throws {
    guard (destination == nil) == schema.inferOnly else {
      throw ValidationError(
        schema.inferOnly
          ? "--infer-only makes no realm; leave out -o" : "name the realm to make with -o")
    }
    guard destination != "-" else {
      throw ValidationError("a realm is made in a file; name one with -o")
    }
    guard (1...1_000_000).contains(memory) else {
      throw ValidationError("--memory takes a number from 1 to 1000000, not \(memory)")
    }
  }

  func run() throws {
    var request = ImportJob.Request()
    request.options.ignoresUnknown = ignoreUnknown
    schema.apply(to: &request.options)
    guard let destination = try target else {
      let job = ImportSchemaJob(path: source, options: request.options, jobs: jobs.count)
      return try output.write(result: String(decoding: try job.run(), as: UTF8.self))
    }
    request.jobs = jobs.count
    request.memoryByteCount = memory * 1_000_000
    if let newKeyFile {
      let option = try NewKeyOption.parse(["--new-key-file", newKeyFile])
      request.newKey = try option.key { output.warn($0) }
    }
    let job = ImportJob(
      path: source, output: destination, replacing: force, request: request, isDryRun: dryRun)
    let report = try output.withProgress("importing") { bar in
      try job.run { bar.update($0, of: $1) }
    }
    if let schema = report.inferredSchema {
      output.tell(
        "this schema was inferred; --schema takes another one",
        details: String(decoding: schema, as: UTF8.self))
    }
    if report.ignoredMembers > 0 {
      output.warn(
        "left out \(Text.count(report.ignoredMembers, "member", "members")) that the schema does not "
          + "have")
    }
    let summary = ImportSummary(report)
    try output.write(summary, resultIsOnStandardOutput: false) { _ in summary.text }
  }

  /// The file that the realm goes to; nil where none is made.
  private var target: String? {
    get throws {
      guard let destination else { return nil }
      guard OutputFile.isFolder(destination) else {
        guard !OutputFile.isSameFile(source, destination) else {
          throw ValidationError("the output is also the text to read: \(destination)")
        }
        return destination
      }
      throw ValidationError("\(destination) is a folder; name a file in it")
    }
  }
}
