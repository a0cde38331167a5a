internal import ArgumentParser
internal import RealmInterchange
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a realm from a text, or add its objects to one.",
    discussion: """
      Reads what `export` writes with --format json or ndjson; docs/realm-json.md describes it. Also \
      reads plain JSON (an array of objects, an array for each class, or an object a line), CSV with a \
      header, and folders with such a file for each class, as `export` writes for ejson and csv, and \
      mongoexport does. Their schema comes from --schema or from schema.json in the folder; otherwise \
      it is inferred from all objects and shown. docs/import.md has the rules.

      The realm appears, or changes, as a whole or not at all: an object that is wrong ends the import \
      with its line, its place in the text and what is expected there. With --into, the objects are of \
      the classes of that realm; a realm of an older file format becomes one of format 24. A synced \
      realm stays synced: its client uploads the objects.

      EXAMPLE: realm-cli import people.json -o people.realm
      EXAMPLE: zstdcat people.ndjson.zst | realm-cli import - -o people.realm
      EXAMPLE: realm-cli import new.ndjson --into people.realm --mode upsert --backup
      EXAMPLE: realm-cli import Person.csv -o people.realm --primary-key id --index name

      Exit codes: 64 the options do not go with the text, 65 the text is wrong, 69 the objects \
      cannot be synced, 73 the output exists, 75 the output is in use, 77 a key is wrong or missing.
      """)

  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var schema: ImportSchemaOptions
  @OptionGroup var target: ImportTargetOptions
  @OptionGroup var keyOptions: KeyOptions

  @Flag(help: "Leave out members of objects that the schema does not have.")
  var ignoreUnknown = false

  @Flag(
    help: "Set links to objects that do not exist to null, and leave them out of lists and sets.")
  var nullMissingLinks = false

  @Option(
    help: ArgumentHelp("Errors to tell before the import ends.", valueName: "n"))
  var maxErrors = 1

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
    let hasTarget = target.destination != nil || target.into != nil
    guard hasTarget != schema.inferOnly else {
      throw ValidationError(
        schema.inferOnly
          ? "--infer-only makes no realm; leave out -o and --into"
          : "name the realm to make with -o, or the one to change with --into")
    }
    guard target.into == nil || !schema.concernsSchema else {
      throw ValidationError(
        "with --into, the classes are those of the realm; leave out --schema, --infer-strings, "
          + "--primary-key and --index")
    }
    guard target.into != nil || keyOptions.keyFile == nil && keyOptions.keyCommand == nil else {
      throw ValidationError(
        "--key-file and --key-command need --into; a new realm takes --new-key-file")
    }
    guard (1...1_000_000).contains(memory) else {
      throw ValidationError("--memory takes a number from 1 to 1000000, not \(memory)")
    }
    guard (1...100_000).contains(maxErrors) else {
      throw ValidationError("--max-errors takes a number from 1 to 100000, not \(maxErrors)")
    }
  }

  func run() throws {
    var request = ImportJob.Request()
    (request.options.ignoresUnknown, request.options.errorLimit) = (ignoreUnknown, maxErrors)
    request.nullsMissingLinks = nullMissingLinks
    schema.apply(to: &request.options)
    request.jobs = jobs.count
    request.memoryByteCount = memory * 1_000_000
    let report: ImportJob.Report
    if let realm = target.into {
      try check(realm)
      report = try add(to: realm, request)
    } else if let destination = target.destination {
      try check(destination)
      report = try make(destination, request)
    } else {
      let job = ImportSchemaJob(path: source, options: request.options, jobs: jobs.count)
      return try output.write(result: String(decoding: try job.run(), as: UTF8.self))
    }
    tell(report)
    let summary = ImportSummary(report)
    try output.write(summary, resultIsOnStandardOutput: false) { _ in summary.text }
  }

  private func make(
    _ destination: String, _ request: ImportJob.Request
  ) throws -> ImportJob.Report {
    var key: RealmKey?
    if let file = target.newKeyFile {
      key = try NewKeyOption.parse(["--new-key-file", file]).key { output.warn($0) }
    }
    let job = ImportJob(
      path: source, to: .new(destination, replacing: target.force, key: key), request: request,
      isDryRun: dryRun)
    return try output.withProgress("importing") { bar in
      try job.run { bar.update($0, of: $1) }
    }
  }

  private func add(to realm: String, _ request: ImportJob.Request) throws -> ImportJob.Report {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    return try output.withProgress("importing") { bar in
      try keys.open(realm) { key in
        try ImportJob(
          path: source,
          to: .existing(
            ImportJob.Target(
              path: realm, key: key, mode: target.mode ?? .insert, keepsBackup: target.backup)),
          request: request, isDryRun: dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
  }

  private func tell(_ report: ImportJob.Report) {
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
    if report.lostSubtypes > 0 {
      output.warn(
        "stored \(Text.count(report.lostSubtypes, "binary", "binaries")) without the subtype, which "
          + "realms do not have")
    }
  }

  /// - Throws: `ValidationError` where the realm cannot be in the file at `path`.
  private func check(_ path: String) throws {
    guard !OutputFile.isFolder(path) else {
      throw ValidationError("\(path) is a folder; name a file in it")
    }
    guard !OutputFile.isSameFile(source, path) else {
      throw ValidationError("the output is also the text to read: \(path)")
    }
  }
}
