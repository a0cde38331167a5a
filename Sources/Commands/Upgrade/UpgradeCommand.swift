import ArgumentParser
import RealmBuilding
import RealmJobs
import RealmStorage

/// `realm-cli upgrade`.
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Upgrade realms to the current file format.",
    discussion: """
      Reads realms of file formats 2 to 23 and writes realms of format 24, which the last SDKs open \
      without upgrading them. Objects, their keys, links and the schema version stay; sets and \
      dictionaries get the order of format 24; indexes are rebuilt. The result appears whole or not at \
      all. A realm of format 24 is copied with -o and skipped with --in-place; a damaged one is refused: \
      realm-cli salvage converts what can be read of it. Folders are searched for realms.

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
  @OptionGroup var output: OutputOptions

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    let destinations = try rewrite.destinations(for: run.paths)
    let (version, isDryRun) = (rewrite.target.source.version, rewrite.target.dryRun)
    try run.run("upgrading", jobs: jobs.count, effect: .init(of: rewrite)) { realm in
      try UpgradeJob(
        path: realm.path, version: version, key: realm.key,
        destination: destinations[realm.number], jobs: realm.jobs, isDryRun: isDryRun
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

extension UpgradeJob.Report {
  fileprivate func json(_ path: String) -> JSONObject {
    let upgrade: JSONObject = [
      "path": path, "skipped": isCurrent, "formatBefore": formatBefore,
      "formatAfter": RealmBuilder.format, "duplicateMembers": duplicateMembers,
      "asymmetricObjects": asymmetricObjects, "unownedObjects": unownedObjects,
      "pendingChanges": legacy?.pendingChangesets,
    ]
    return (rewrite?.json ?? [:]) + upgrade + legacy.json
  }

  /// One line for the realm, and one for each kind of thing that the result lacks.
  fileprivate func text(_ path: String) -> String {
    guard let rewrite else {
      return "\(path.printable): skipped, format \(formatBefore) is the current one\n"
    }
    guard !isCurrent else {
      return rewrite.text(done: "copied, because format \(formatBefore) is the current one,")
    }
    let leftOut = [
      (duplicateMembers, "member of a set", "members of sets", "equal to another member"),
      (asymmetricObjects, "object", "objects", "of an asymmetric class"),
      (unownedObjects, "embedded object", "embedded objects", "without an owner"),
    ]
    return rewrite.text(done: "upgraded from format \(formatBefore) to \(RealmBuilder.format)")
      + leftOut.filter { $0.0 > 0 }.map { count, one, many, why in
        "  left out: \(Text.count(count, one, many)) \(why)\n"
      }.joined() + (legacy?.text ?? "")
  }
}
