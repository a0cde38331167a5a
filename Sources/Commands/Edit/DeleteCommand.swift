import ArgumentParser
import RealmJobs

/// `realm-cli delete`.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete the objects that a query finds.",
    discussion: """
      Deletes objects as the SDKs do: embedded objects go with their owners, links to a deleted object \
      become null, and lists and sets lose it. The realm changes as a whole or not at all; the schema \
      and its version stay.

      The client of a synced realm uploads the changes when an app next opens it. The file format stays: \
      a realm of format 2 to 11 or 21 changes in place only with --upgrade. Nothing is written in place if no \
      object is found.

      EXAMPLE: realm-cli delete people.realm Dog 'owner == null' --dry-run --in-place
      EXAMPLE: realm-cli delete people.realm Person '_id == $0' --arg 7 --expect 1 --in-place --backup
      EXAMPLE: realm-cli delete people.realm LogEntry --all -o small.realm

      Exit codes: 1 another number of objects than --expect, 64 the query is wrong, 69 the realm cannot \
      be changed, 73 the output exists, 75 the realm or the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var edit: EditOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var upgrade: UpgradeOption
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Delete all objects of the class.")
  var all = false

  @Argument(help: "The realm to change.", completion: .file(extensions: ["realm"]))
  var realm: String

  @Argument(help: ArgumentHelp("The class of the objects.", valueName: "class"))
  var className: String

  @Argument(help: "The query.")
  var query: String?

  func validate() throws {
    guard !all || query == nil else { throw ValidationError("give either a query or --all") }
    guard all || query?.contains(where: { !$0.isWhitespace }) ?? false else {
      throw ValidationError("give a query, or --all to delete all objects of the class")
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(output)
    let destination = try rewrite.destination(for: realm)
    let isDryRun = rewrite.target.dryRun
    let report = try keys.run("deleting", on: realm, output) { key, progress in
      try DeleteJob(
        path: realm, version: rewrite.target.source.version, key: key, destination: destination,
        request: edit.request(
          className: className, query: query ?? "", jobs: jobs, isDryRun: isDryRun),
        formats: upgrade.choice, isDryRun: isDryRun
      ).run(progress: progress)
    }
    try output.write(
      report, done: "deleted",
      json: ["deleted": report.changed, "deletedEmbedded": report.embedded],
      resultIsOnStandardOutput: rewrite.target.isStandardOutput)
  }
}
