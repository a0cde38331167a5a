internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli copy`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a local realm at one consistent version.",
    discussion: """
      The realm may be in use: the copy holds one version of it, without free space and with the \
      same key. The realm that is read is never changed.

      EXAMPLE: realm-cli copy people.realm -o backup.realm

      Exit codes: 69 the realm is synced, 73 the output exists, 75 the output is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var target: RealmTargetOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The realm to copy.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 1) { [output] in output.warn($0) }
    let destination = try target.destination(for: realm)
    let report = try output.withProgress("copying") { bar in
      try keys.open(realm) { key throws(JobError) in
        try CopyJob(
          path: realm, version: target.source.version, key: key, destination: destination,
          isDryRun: target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    let summary = RewriteSummary(report)
    try output.write(summary, resultIsOnStandardOutput: target.output == "-") { _ in
      summary.text(done: "copied")
    }
  }
}
