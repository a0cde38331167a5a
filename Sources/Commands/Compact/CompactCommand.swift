internal import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

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

      A realm that does not meet a condition is skipped, which is not an error. Exit codes: 73 the \
      output exists, 75 the realm or the output is in use.
      """)

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
      "Compact only if less than this part of the file is used: 50%.", valueName: "percent"))
  var ifUsedBelow: Percent?

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String]

  /// The JSON report.
  private struct Summary: Encodable {
    var path: String
    var size: Int
    var used: Int
    var skipped: Bool
    var result: RewriteSummary?

    private enum CodingKeys: String, CodingKey {
      case path, size, used, skipped
    }

    func encode(to encoder: any Encoder) throws {
      try result?.encode(to: encoder)
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(path, forKey: .path)
      try members.encode(size, forKey: .size)
      try members.encode(used, forKey: .used)
      try members.encode(skipped, forKey: .skipped)
    }
  }

  func run() throws {
    let search = RealmSearch(paths: realms)
    let keys = try keyOptions.keys(forRealms: search.realms.count) { [output] in output.warn($0) }
    let destinations = try rewrite.destinations(for: search.realms)
    let condition = CompactJob.Condition(
      sizeOver: ifSizeOver?.byteCount, usedBelow: ifUsedBelow?.value)
    let (isDryRun, version) = (rewrite.target.dryRun, rewrite.target.source.version)
    try RewriteRun(search: search, output: output, jobs: jobs.count).run(
      "compacting", destinations
    ) { (path, destination, _, progress) in
      try keys.open(path) { key in
        try CompactJob(
          path: path, version: version, key: key, destination: destination,
          condition: condition, isDryRun: isDryRun
        ).run(progress: progress)
      }
    } show: { path, report in
      try show(report, of: path)
    }
  }

  private func show(_ report: CompactJob.Report, of path: String) throws {
    let result = report.rewrite.map(RewriteSummary.init)
    let summary = Summary(
      path: path, size: report.size, used: report.used, skipped: result == nil, result: result)
    try output.write(
      summary, resultIsOnStandardOutput: rewrite.target.output == "-"
    ) { _ in
      result?.text(done: "compacted")
        ?? "\(path): skipped, \(Text.size(report.used)) of \(Text.size(report.size)) used\n"
    }
  }
}
