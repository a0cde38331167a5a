internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a realm to a higher schema version.",
    discussion: """
      With --plan, applies the steps of a plan: it renames, adds, removes and converts properties and \
      classes, computes values, and deletes objects. docs/migrate.md describes plans. With --schema, \
      does what an SDK does by itself when an app opens the realm with this schema and the schema \
      version --to. If values would be lost, it says which and stops, unless --allow-data-loss is \
      given.

      The realm changes as a whole or not at all: a value that does not convert, a null in a required \
      property or a duplicate primary key ends the migration with the object. Object keys and links \
      stay. The result has file format 24; a realm of formats 2 to 9 is upgraded on the way. A realm \
      that has the schema version already is left alone. A synced realm takes only added classes, \
      properties and indexes, which its client uploads.

      EXAMPLE: realm-cli migrate people.realm --plan plan.yml --dry-run --show 3 -o new.realm
      EXAMPLE: realm-cli migrate people.realm --plan plan.yml --in-place --backup
      EXAMPLE: realm-cli migrate people.realm --schema schema.json --to 4 -o new.realm

      Exit codes: 65 an object cannot be changed, 69 the realm cannot be migrated, 73 the output \
      exists, 75 the realm or the output is in use, 78 the plan is wrong.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(help: ArgumentHelp("The plan, in YAML or JSON.", valueName: "file"), completion: .file())
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "The new schema, as schema show --format json writes it.", valueName: "file"),
    completion: .file())
  var schema: String?

  @Option(
    help: ArgumentHelp(
      "The schema version of the result; by default the last one of the plan.", valueName: "n"))
  var to: UInt64?

  @Flag(help: "With --schema: lose the values that an SDK would lose.")
  var allowDataLoss = false

  @Option(help: ArgumentHelp("Show so many objects before and after each step.", valueName: "n"))
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
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let destination = try rewrite.destination(for: realm)
    let report = try output.withProgress("migrating") { bar in
      try keys.open(realm) { key in
        try MigrateJob(
          path: realm, version: rewrite.target.source.version, key: key,
          destination: destination, source: source, sampleCount: show, jobs: jobs.count,
          isDryRun: rewrite.target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    if let warning = report.legacy?.warning { output.warn("\(realm): \(warning)") }
    let summary = MigrateSummary(report)
    try output.write(summary, resultIsOnStandardOutput: rewrite.target.output == "-") { _ in
      summary.text
    }
  }

  private var source: MigrateJob.Source {
    if let schema, let to {
      return .schema(path: schema, to: to, allowsDataLoss: allowDataLoss)
    }
    return .plan(path: plan ?? "", to: to)
  }
}
