import ArgumentParser
import RealmJobs

/// `realm-cli migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a realm to a higher schema version.",
    discussion: """
      With --plan, applies the steps of a plan, which rename, add, remove and convert properties and \
      classes, compute values, and delete objects. docs/migrate.md describes plans. With --schema, \
      makes the changes that an SDK makes by itself when an app opens the realm with this schema and \
      the schema version --to. If values would be lost, names them and stops, unless --allow-data-loss \
      is given.

      The realm changes as a whole or not at all: a value that cannot be converted, a null in a required \
      property or a duplicate primary key stops the migration and is reported with its object. Object \
      keys, links and the file format stay; --file-format names another. A realm of format 2 to 11 or 21 is \
      upgraded on the way, in place only with --upgrade. A realm that already has the schema version is \
      copied with -o, and skipped with --in-place. A synced realm accepts only new \
      classes, properties and indexes, which its client uploads.

      EXAMPLE: realm-cli migrate people.realm --plan plan.yml --dry-run --show 3 -o new.realm
      EXAMPLE: realm-cli migrate people.realm --plan plan.yml --in-place --backup
      EXAMPLE: realm-cli migrate people.realm --schema schema.json --to 4 -o new.realm

      Exit codes: 65 an object cannot be changed, 69 the realm cannot be migrated, 73 the output \
      exists, 75 the realm or the output is in use, 78 the plan is invalid.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var upgrade: UpgradeOption
  @OptionGroup var fileFormat: FileFormatOption
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("The plan, in YAML or JSON.", valueName: "file"), completion: .file())
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "The new schema, as written by `schema show --format json`.", valueName: "file"),
    completion: .file())
  var schema: String?

  @Option(
    help: ArgumentHelp(
      "The schema version of the result; by default the last one of the plan.", valueName: "n"))
  var to: UInt64?

  @Flag(help: "With --schema: accept the loss of the values that an SDK would lose.")
  var allowDataLoss = false

  @Option(
    help: ArgumentHelp("Show this many objects before and after each step.", valueName: "n"))
  var show = 0

  @Argument(help: "The realm to migrate.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard (plan == nil) != (schema == nil) else {
      throw ValidationError("give either --plan or --schema")
    }
    guard schema == nil || to != nil else {
      throw ValidationError("--schema needs the schema version of the result: --to")
    }
    guard schema != nil || !allowDataLoss else {
      throw ValidationError("--allow-data-loss needs --schema; a plan names what it removes")
    }
    guard to.map({ (1..<UInt64.max).contains($0) }) ?? true else {
      throw ValidationError("--to takes a number from 1 to 18446744073709551614")
    }
    guard (0...1000).contains(show) else {
      throw ValidationError("--show takes a number from 0 to 1000, not \(show)")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try rewrite.destination(for: realm)
    let report = try keys.run("migrating", on: realm, output) { key, progress in
      try MigrateJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        source: source, formats: formats, sampleCount: show, jobs: jobs.count,
        isDryRun: rewrite.target.dryRun
      ).run(progress: progress)
    }
    if let warning = report.legacy?.warning { output.warn("\(realm): \(warning)") }
    try output.write(
      report.json, resultIsOnStandardOutput: rewrite.target.isStandardOutput
    ) { _ in
      report.text
    }
  }

  private var formats: FormatChoice {
    FormatChoice(number: fileFormat.fileFormat, upgradesInPlace: upgrade.upgrade)
  }

  private var source: MigrateJob.Source {
    if let schema, let to {
      return .schema(path: schema, to: to, allowsDataLoss: allowDataLoss)
    }
    return .plan(path: plan ?? "", to: to)
  }
}
