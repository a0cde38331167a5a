internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli copy`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a realm at one consistent version; a synced one for another user.",
    discussion: """
      The realm may be in use: the copy holds one version of it, without free space and with the \
      same key. The realm that is read is never changed.

      The copy of a synced realm is for another user or device of the same app: when it is first opened, \
      the server gives it an identity of its own, and sends what changed since. Changes that are not \
      uploaded would stay in the copy and never reach the server: --discard-unsynced allows that.

      EXAMPLE: realm-cli copy people.realm -o backup.realm

      Exit codes: 69 changes are not uploaded, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Copy a synced realm even if changes of it are not uploaded.")
  var discardUnsynced = false

  @Argument(help: "The realm to copy.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let destination = try target.destination(for: realm)
    let report = try output.withProgress("copying") { bar in
      try keys.open(realm) { key throws(JobError) in
        try CopyJob(
          path: realm, version: target.source.version, key: key, destination: destination,
          discardsUnsynced: discardUnsynced, isDryRun: target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    if report.sync?.isUnfinished == true {
      output.warn(
        "\(realm): queries of flexible sync were not applied completely; the copy continues with them")
    }
    let summary = CopySummary(report)
    try output.write(summary, resultIsOnStandardOutput: target.output == "-") { _ in
      summary.text
    }
  }
}
