internal import ArgumentParser
internal import RealmJobs
internal import RealmStorage

/// `realm-cli backup verify`.
struct BackupVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check each byte of backups, and each realm in them.",
    discussion: """
      Every realm is compared with its checksum and then checked as `verify` does; without its key, \
      an encrypted realm is only compared. For a damaged archive, shows what is still good. A key \
      command gets the name of the realm in the archive in REALM_CLI_PATH.

      EXAMPLE: realm-cli backup verify people.tar.zst

      Exit codes: 0 everything is good, 65 something is not.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Argument(help: "Archives; - is standard input.", completion: .file())
  var archives: [String]

  /// The JSON report.
  private struct Summary: Encodable {
    struct Realm: Encodable {
      var path: String
      var state: String
      var problem: String?
    }
    var path: String
    var isGood: Bool
    var problem: String?
    var realms: [Realm]

    init(_ report: BackupVerifyJob.Report, of path: String) {
      (self.path, isGood, problem) = (path, report.isGood, report.problem.map { "\($0)" })
      realms = report.realms.map {
        Realm(path: $0.path, state: $0.state.rawValue, problem: $0.problem.map { "\($0)" })
      }
    }
  }

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 0) { [output] in output.warn($0) }
    var statuses: [ExitStatus] = []
    for path in archives {
      do {
        statuses.append(try verify(path, keys))
      } catch  where archives.count > 1 {
        statuses.append(try output.write(failure: error, of: path))
      }
    }
    let status = ExitStatus.mostSerious(of: statuses)
    if status != .done { throw status }
  }

  private func verify(_ path: String, _ keys: RealmKeys) throws -> ExitStatus {
    let report = try output.withProgress("checking") { bar in
      try BackupVerifyJob(path: path, jobs: jobs.count).run(keys: keys) { bar.update($0, of: $1) }
    }
    try output.write(Summary(report, of: path)) { palette in
      var lines: [String] = []
      for realm in report.realms {
        switch realm.state {
        case .good where report.isGood && !output.verbose: continue
        case .good: lines.append("  \(realm.path): good")
        case .bytesGood:
          lines.append(
            "  \(realm.path): its bytes are good; encrypted, and there is no key to check more")
        case .missing: lines.append("  \(realm.path): missing")
        case .damaged:
          lines.append(
            "  " + (realm.problem.map { "\($0.adding(path: realm.path))" } ?? realm.path))
        }
      }
      let problem = report.problem.map { ["\($0)"] } ?? []
      let count = Text.count(report.realms.count, "realm", "realms")
      let good = report.realms.count { $0.state == .good || $0.state == .bytesGood }
      let end =
        report.isGood ? "\(path): good, \(count)" : "\(path): \(good) of \(count) good"
      return (problem + lines + [end]).map { $0.printable + "\n" }.joined()
    }
    return report.isGood ? .done : .invalidData
  }
}
