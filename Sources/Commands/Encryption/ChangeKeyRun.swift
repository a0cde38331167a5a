internal import RealmMaintenance
internal import RealmStorage

/// Runs `encrypt`, `decrypt` and `rekey`.
struct ChangeKeyRun {
  let rewrite: RealmRewriteOptions
  let output: OutputOptions

  /// - Parameters:
  ///   - label: the text of the progress bar.
  ///   - done: the verb in the report.
  func run(
    _ path: String, _ keys: RealmKeys, _ change: ChangeKeyJob.Change, label: String, done: String
  ) throws {
    let destination = try rewrite.destination(for: path)
    let report = try output.withProgress(label) { bar in
      try keys.open(path) { key in
        try ChangeKeyJob(
          path: path, version: rewrite.target.source.version, key: key, change: change,
          destination: destination, isDryRun: rewrite.target.dryRun
        ).run { bar.update($0, of: $1) }
      }
    }
    let summary = RewriteSummary(report)
    try output.write(summary, resultIsOnStandardOutput: rewrite.target.output == "-") { _ in
      summary.text(done: done)
    }
  }
}
