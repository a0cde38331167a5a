import ArgumentParser
import RealmJobs

/// `realm-cli update`.
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Set properties of the objects that a query finds.",
    discussion: """
      Without a query, sets the properties of all objects of the class. --set takes a property and an \
      expression, which can use the properties of the object as they were before; docs/migrate.md \
      describes expressions. A value that does not fit stops the update and is reported with its \
      object. The realm changes as a whole or not at all; the schema and its version stay.

      The client of a synced realm uploads the changes when an app next opens it. The file format stays: \
      a realm of format 2 to 11 or 21 changes in place only with --upgrade. Nothing is written in place if no \
      value changes.

      EXAMPLE: realm-cli update people.realm Person 'age < 0' --set 'age = null' --dry-run --in-place
      EXAMPLE: realm-cli update people.realm Person --set 'name = trim(name)' --in-place --backup
      EXAMPLE: realm-cli update people.realm Person '_id == 7' --set 'age = age + 1' --expect 1 --in-place

      Exit codes: 1 another number of objects than --expect, 64 the query or an expression is wrong, \
      65 an object cannot be changed, 69 the realm cannot be changed, 73 the output exists, \
      75 the realm or the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var edit: EditOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var upgrade: UpgradeOption
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Set a property to the value of an expression; can be given several times.",
      valueName: "property = expression"))
  var assignments: [String] = []

  @Argument(help: "The realm to change.", completion: .file(extensions: ["realm"]))
  var realm: String

  @Argument(help: ArgumentHelp("The class of the objects.", valueName: "class"))
  var className: String

  @Argument(help: "The query.")
  var query: String = ""

  func validate() throws {
    guard !assignments.isEmpty else {
      throw ValidationError("give a property and its new value with --set 'property = expression'")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try rewrite.destination(for: realm)
    let isDryRun = rewrite.target.dryRun
    let report = try keys.run("updating", on: realm, output) { key, progress in
      try UpdateJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        request: edit.request(className: className, query: query, jobs: jobs, isDryRun: isDryRun),
        assignments: assignments, formats: upgrade.choice, isDryRun: isDryRun
      ).run(progress: progress)
    }
    try output.write(
      report, done: "changed", json: ["changed": report.changed],
      resultIsOnStandardOutput: rewrite.target.isStandardOutput)
  }
}
