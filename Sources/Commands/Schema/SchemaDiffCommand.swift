internal import ArgumentParser
internal import RealmMaintenance

/// `realm-cli schema diff`.
struct SchemaDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare the schemas of two realms or schema files.",
    discussion: """
      Lists what turns the first schema into the second, and what the SDKs make of each change: \
      whether a local realm needs a higher schema version, and whether a synced realm still opens. \
      A schema file has the notation of schema show --format json. Nothing is changed. The exit \
      status is 0 if the schemas are the same, 1 if they differ. --plan prints a migration plan that \
      turns the first schema into the second, to be completed and given to migrate.

      EXAMPLE: realm-cli schema diff old.realm new.realm
      EXAMPLE: realm-cli schema diff people.realm schema.json --json | jq '.changes[].local'
      EXAMPLE: realm-cli schema diff people.realm schema.json --plan > plan.yml
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Print a migration plan instead of the differences.")
  var plan = false

  @Argument(help: "The realm or schema file before the changes.", completion: .file())
  var before: String

  @Argument(help: "The realm or schema file after the changes.", completion: .file())
  var after: String

  func validate() throws {
    guard !plan || !output.json else {
      throw ValidationError("--plan prints YAML, so it does not go with --json")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 2) { [output] in output.warn($0) }
    let report = try SchemaDiffJob(
      from: before, to: after, cacheByteCount: memory.byteCount
    ).run(keys: keys)
    if plan {
      try output.write(result: report.plan)
    } else {
      try output.write(SchemaDiffSummary(report)) { SchemaDiffText(report).text($0) }
    }
    if !report.changes.isEmpty { throw ExitStatus.negative }
  }
}
