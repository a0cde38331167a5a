import ArgumentParser
import RealmJobs

/// `realm-cli schema diff`.
struct SchemaDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare the schemas of two realms or schema files.",
    discussion: """
      Lists the changes from the first schema to the second, and what each means for the SDKs: whether \
      a local realm needs a higher schema version, and whether a synced realm still opens. A schema \
      file has the notation of `schema show --format json`. Changes nothing. --plan prints a migration \
      plan from the first schema to the second, which you complete and pass to `migrate`.

      EXAMPLE: realm-cli schema diff old.realm new.realm
      EXAMPLE: realm-cli schema diff people.realm schema.json --json | jq '.changes[].local'
      EXAMPLE: realm-cli schema diff people.realm schema.json --plan > plan.yml

      Exit codes: 0 the schemas are the same, 1 they differ.
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
      throw ValidationError("--plan prints YAML; leave out --json")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 2, output)
    let report = try SchemaDiffJob(
      from: before, to: after, cacheByteCount: memory.byteCount
    ).run(keys: keys)
    if plan {
      try output.write(result: report.plan)
    } else {
      try output.write(report.json) { report.text($0) }
    }
    if !report.changes.isEmpty { throw ExitStatus.negative }
  }
}
