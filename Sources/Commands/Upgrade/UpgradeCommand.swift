import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli upgrade`.
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Upgrade realms to the current file format.",
    discussion: """
      Reads realms of file formats 2 to 23 and writes realms of format 24, which the last SDKs open \
      without upgrading them, or with --file-format of another one for an older app. Objects, their keys, \
      links and the schema version stay; sets and dictionaries get the order of the format; indexes are \
      rebuilt. The result appears whole or not at all. A realm of that format is copied with -o and skipped \
      with --in-place; a damaged one is refused: realm-cli salvage converts what can be read of it. Folders \
      are searched for realms.

      A synced realm of format 10 or later stays synced: it keeps its identity, its place in the server's \
      history, and the changes that are not uploaded. A synced realm from before 2020, whose history has \
      a schema version below 11, is refused; realm-cli convert --to local makes a local copy of it. A \
      synced realm of formats 2 to 9, which no server accepts any more, becomes a local one; \
      docs/legacy.md lists what else changes.

      EXAMPLE: realm-cli upgrade old.realm -o new.realm
      EXAMPLE: realm-cli upgrade --in-place --backup data/

      Exit codes: 69 the realm cannot be upgraded, 73 the output exists, 75 the realm or the output \
      is in use.
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var fileFormat: FileFormatOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    let destinations = try rewrite.destinations(for: run.paths)
    let (version, isDryRun) = (rewrite.target.source.version, rewrite.target.dryRun)
    try run.run("upgrading", jobs: jobs.count, effect: .init(of: rewrite)) { realm in
      try UpgradeJob(
        path: realm.path, version: version, key: realm.key,
        destination: destinations[realm.number], format: fileFormat.fileFormat, jobs: realm.jobs,
        isDryRun: isDryRun
      ).run(progress: realm.progress)
    } line: { path, report in
      if let warning = report.legacy?.warning { output.warn("\(path): \(warning)") }
      return RealmRun.Line(
        json: report.json(path), resultIsOnStandardOutput: rewrite.target.isStandardOutput
      ) { _ in
        report.text(path)
      }
    }
  }
}
