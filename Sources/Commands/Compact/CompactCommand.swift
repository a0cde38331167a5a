import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrite realms without their free space.",
    discussion: """
      Objects, version, history and sync state stay as they are. The result appears whole or not at \
      all. With --in-place, no process may have the realm open. Folders are searched for realms.

      EXAMPLE: realm-cli compact people.realm -o small.realm
      EXAMPLE: realm-cli compact --in-place --if-size-over 100MB --if-used-below 50% data/

      A realm that does not meet a condition is copied with -o and skipped with --in-place, which is no \
      error. Exit codes: 73 the \
      output exists, 75 the realm or the output is in use.
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var rewrite: RealmRewriteOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Compact only files larger than this: 100MB, 64KiB, 4096.", valueName: "size"))
  var ifSizeOver: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Compact only if less than this percentage of the file is used: 50%.",
      valueName: "percent"))
  var ifUsedBelow: Percent?

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    let destinations = try rewrite.destinations(for: run.paths)
    let condition = CompactJob.Condition(
      sizeOver: ifSizeOver?.byteCount, usedBelow: ifUsedBelow?.value)
    let (version, isDryRun) = (rewrite.target.source.version, rewrite.target.dryRun)
    try run.run("compacting", jobs: jobs.count, effect: .init(of: rewrite)) { realm in
      try CompactJob(
        path: realm.path, version: version, key: realm.key,
        destination: destinations[realm.number], condition: condition, isDryRun: isDryRun
      ).run(progress: realm.progress)
    } line: { path, report in
      let json: JSONObject = [
        "path": path, "size": report.size, "used": report.used, "skipped": !report.isConditionMet,
      ]
      return RealmRun.Line(
        json: (report.rewrite?.json ?? [:]) + json,
        resultIsOnStandardOutput: rewrite.target.isStandardOutput
      ) { _ in
        report.rewrite?.text(
          done: report.isConditionMet ? "compacted" : "copied, because a condition is not met,")
          ?? "\(path): skipped, \(Text.size(report.used)) of \(Text.size(report.size)) used\n"
      }
    }
  }
}

/// A size with or without a unit: `100MB`, `64KiB`, `4096`.
struct ByteSize: ExpressibleByArgument, Equatable {
  let byteCount: Int

  private static let units: [(suffix: String, factor: Double)] = [
    ("KIB", 1024), ("MIB", 1_048_576), ("GIB", 1_073_741_824), ("TIB", 1_099_511_627_776),
    ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("K", 1e3), ("M", 1e6), ("G", 1e9),
    ("T", 1e12), ("B", 1), ("", 1),
  ]

  init?(argument: String) {
    let text = argument.uppercased()
    guard let unit = ByteSize.units.first(where: { text.hasSuffix($0.suffix) }),
      let number = Double(text.dropLast(unit.suffix.count)), number >= 0,
      let count = Int(exactly: (number * unit.factor).rounded())
    else { return nil }
    byteCount = count
  }
}

/// A percentage: `50%` or `50`.
struct Percent: ExpressibleByArgument, Equatable {
  let value: Double

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard let value = Double(digits), (0...100).contains(value) else { return nil }
    self.value = value
  }
}
