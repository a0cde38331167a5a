import ArgumentParser
import CSystem
import RealmInterchange
import RealmJobs
import RealmStorage

/// `realm-cli import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import JSON or CSV into a new or existing realm.",
    discussion: """
      Reads Realm JSON, which `export` writes with --format json or ndjson; docs/realm-json.md describes \
      it. Also reads plain JSON (an array of objects, an array for each class, or one object per line), \
      CSV with a header, and folders with such a file for each class, as written by `export --format \
      ejson` and csv and by mongoexport. Their schema comes from --schema or from schema.json in the \
      folder; otherwise it is inferred from all objects and shown. docs/import.md has the rules.

      The realm appears, or changes, as a whole or not at all: an invalid object ends the import with its \
      line, its place in the file and what was expected there. With --into, the objects must fit the \
      classes of that realm, which keeps its file format; one of format 2 to 11 or 21 needs --upgrade. A \
      synced realm stays synced: its client uploads the objects.

      EXAMPLE: realm-cli import people.json -o people.realm
      EXAMPLE: zstdcat people.ndjson.zst | realm-cli import - -o people.realm
      EXAMPLE: realm-cli import new.ndjson --into people.realm --mode upsert --backup
      EXAMPLE: realm-cli import Person.csv -o people.realm --primary-key id --index name

      Exit codes: 64 the options do not fit the input, 65 the input is invalid, 69 the objects cannot \
      be synced, 73 the output exists, 75 the output is in use, 77 a key is wrong or missing.
      """)

  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var schema: ImportSchemaOptions
  @OptionGroup var target: ImportTargetOptions
  @OptionGroup var keyOptions: KeyOptions

  @Flag(help: "Ignore members of objects that the schema does not have.")
  var ignoreUnknown = false

  @Flag(
    help: "Set links to missing objects to null, and leave them out of lists and sets.")
  var nullMissingLinks = false

  @Option(
    help: ArgumentHelp("Number of errors to report before the import ends.", valueName: "n"))
  var maxErrors = 1

  @Option(
    help: ArgumentHelp(
      "Megabytes of links and index entries to keep in memory (default: an eighth of the memory of the machine).",
      valueName: "mb"))
  var memory: Int?

  @Flag(help: "Check everything and show what would be imported, and create no file.")
  var dryRun = false

  @Argument(
    help: "The file to import, or a folder with a file for each class; - is standard input.",
    completion: .file())
  var source: String

  func validate() throws {
    let hasTarget = target.destination != nil || target.into != nil
    guard hasTarget != schema.inferOnly else {
      throw ValidationError(
        schema.inferOnly
          ? "--infer-only creates no realm; leave out -o and --into"
          : "name a new realm with -o, or an existing one with --into")
    }
    guard target.into == nil || !schema.concernsSchema else {
      throw ValidationError(
        "with --into, the realm has the schema; leave out --schema, --infer-strings, --primary-key "
          + "and --index")
    }
    guard target.into != nil || keyOptions.keyFile == nil && keyOptions.keyCommand == nil else {
      throw ValidationError(
        "--key-file and --key-command need --into; a new realm takes --new-key-file")
    }
    if let memory, !(1...1_000_000).contains(memory) {
      throw ValidationError("--memory takes a number from 1 to 1000000, not \(memory)")
    }
    guard (1...100_000).contains(maxErrors) else {
      throw ValidationError("--max-errors takes a number from 1 to 100000, not \(maxErrors)")
    }
  }

  func run() throws {
    // The buffers of batches and indexes come and go. Commands that read are as fast without, and need less memory.
    csystem_keep_freed_memory()
    var request = ImportJob.Request()
    (request.options.ignoresUnknown, request.options.errorLimit) = (ignoreUnknown, maxErrors)
    request.nullsMissingLinks = nullMissingLinks
    schema.apply(to: &request.options)
    request.jobs = jobs.count
    request.formats = FormatChoice(number: target.fileFormat, upgradesInPlace: target.upgrade)
    if let memory { request.memoryByteCount = memory * 1_000_000 }
    let report: ImportJob.Report
    if let realm = target.into {
      try check(realm)
      report = try add(to: realm, request)
    } else if let destination = target.destination {
      try check(destination)
      report = try make(destination, request)
    } else {
      request.options.nullsMissingLinks = nullMissingLinks
      let job = ImportSchemaJob(path: source, options: request.options, jobs: jobs.count)
      return try output.write(result: String(decoding: try job.run(), as: UTF8.self))
    }
    warn(about: report)
    try output.write(report.json, resultIsOnStandardOutput: false) { _ in report.text }
  }

  private func make(
    _ destination: String, _ request: ImportJob.Request
  ) throws -> ImportJob.Report {
    let key = try target.newKeyFile.map { file in
      try NewKeyOption.key(in: file) { output.warn($0) }
    }
    let job = ImportJob(
      path: source, to: .new(destination, replacing: target.force, key: key), request: request,
      isDryRun: dryRun)
    return try output.withProgress("importing") { bar in
      try job.run { bar.update($0, of: $1) }
    }
  }

  private func add(to realm: String, _ request: ImportJob.Request) throws -> ImportJob.Report {
    try keyOptions.keys(output).run("importing", on: realm, output) { key, progress in
      try ImportJob(
        path: source,
        to: .existing(
          ImportJob.Target(
            path: realm, key: key, mode: target.mode ?? .insert, keepsBackup: target.backup)),
        request: request, isDryRun: dryRun
      ).run(progress: progress)
    }
  }

  private func warn(about report: ImportJob.Report) {
    if let warning = report.legacy?.warning { output.warn("\(report.output): \(warning)") }
    if let schema = report.inferredSchema {
      output.note(
        "this schema was inferred; --schema takes another one",
        details: String(decoding: schema, as: UTF8.self))
    }
    if report.ignoredMembers > 0 {
      output.warn(
        "left out \(Text.count(report.ignoredMembers, "member")) that the schema does not have")
    }
    if !report.leftOutProperties.isEmpty {
      output.warn(
        "left out \(Text.count(report.leftOutProperties.count, "property", "properties")) with links to classes "
          + "that the export does not have: "
          + report.leftOutProperties.map(\.printable).joined(separator: ", "))
    }
    if report.lostSubtypes > 0 {
      output.warn(
        "stored \(Text.count(report.lostSubtypes, "binary", "binaries")) without the subtype, which "
          + "realms do not have")
    }
  }

  /// - Throws: `ValidationError` if the realm cannot be at `path`.
  private func check(_ path: String) throws {
    guard !OutputFile.isFolder(path) else {
      throw ValidationError("\(path) is a folder; name a file in it")
    }
    guard !OutputFile.isSameFile(source, path) else {
      throw ValidationError("the output is also the file to import: \(path)")
    }
  }
}
