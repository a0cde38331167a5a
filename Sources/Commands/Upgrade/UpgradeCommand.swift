internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli upgrade`.
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Bring realms to the current file format.",
    discussion: """
      Reads realms of the file formats 2 to 23 and writes realms of format 24, which the last SDKs \
      open without an upgrade of their own. Objects, their keys, links and the schema version stay; \
      sets and dictionaries get the order of format 24; indexes are built anew. The result appears \
      whole or not at all. A realm of format 24 is left alone. Folders are searched for realms.

      A synced realm of format 10 or later stays synced: it keeps its identity, its place in the history \
      of the server, and the changes that are not uploaded. One of before 2020, whose history has a \
      schema version below 11, is refused; realm-cli convert --to local makes a local copy of it. A synced \
      realm of formats 2 to 9, which no server accepts any more, becomes a local one; docs/legacy.md says \
      what else changes.

      EXAMPLE: realm-cli upgrade old.realm -o new.realm
      EXAMPLE: realm-cli upgrade --in-place --backup data/

      Exit codes: 69 the realm cannot be upgraded, 73 the output exists, 75 the realm or the output \
      is in use.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String]

  func run() throws {
    let search = RealmSearch(paths: realms)
    let keys = try keyOptions.keys(forRealms: search.realms.count) { [output] in output.warn($0) }
    let destinations = try rewrite.destinations(for: search.realms)
    let (isDryRun, version) = (rewrite.target.dryRun, rewrite.target.source.version)
    try RewriteRun(search: search, output: output, jobs: jobs.count).run(
      "upgrading", destinations
    ) { (path, destination, jobs, progress) in
      try keys.open(path) { key in
        try UpgradeJob(
          path: path, version: version, key: key, destination: destination, jobs: jobs,
          isDryRun: isDryRun
        ).run(progress: progress)
      }
    } show: { path, report in
      try show(report, of: path)
    }
  }

  private func show(_ report: UpgradeJob.Report, of path: String) throws {
    if let warning = report.legacy?.warning { output.warn("\(path): \(warning)") }
    let summary = UpgradeSummary(path, report)
    try output.write(
      summary, resultIsOnStandardOutput: rewrite.target.output == "-"
    ) { _ in
      summary.text
    }
  }
}
