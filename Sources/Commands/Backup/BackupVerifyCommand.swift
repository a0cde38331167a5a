import ArgumentParser
import RealmJobs
import RealmStorage

/// `realm-cli backup verify`.
struct BackupVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify backups and the realms inside them.",
    discussion: """
      Every realm is compared with its checksum and then verified as by `verify`; without its key, an \
      encrypted realm is only compared. For a damaged archive, shows which realms are intact. A key \
      command gets the realm's name in the archive in REALM_CLI_PATH.

      EXAMPLE: realm-cli backup verify people.tar.zst
      EXAMPLE: realm-cli backup verify people.tar.zst --against people.realm

      Exit codes: 0 everything is intact, 1 the realm of --against has another content, 65 something is not intact.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Also compare the content of this realm with the realm of the same name in the backup, or with the only one.",
      valueName: "realm"),
    completion: .file(extensions: ["realm"]))
  var against: String?

  @Argument(help: "Archives; - is standard input.", completion: .file())
  var archives: [String]

  func run() throws {
    let keys = try keyOptions.keys(forRealms: 0, output)
    var statuses: [ExitStatus] = []
    for path in archives {
      do {
        statuses.append(try verify(path, keys))
      } catch  where archives.count > 1 {
        statuses.append(try output.write(failure: error, of: path))
      }
    }
    try ExitStatus.end(with: statuses)
  }

  private func verify(_ path: String, _ keys: RealmKeys) throws -> ExitStatus {
    let report = try output.withProgress("checking") { bar in
      try BackupVerifyJob(path: path, against: against, jobs: jobs.count).run(keys: keys) {
        bar.update($0, of: $1)
      }
    }
    let json = JSONObject.omittingNulls([
      "path": path, "isGood": report.isGood, "equalsGiven": report.equalsGiven,
      "problem": report.problem.map { "\($0)" },
      "realms": report.realms.map { realm in
        JSONObject.omittingNulls([
          "path": realm.path, "state": realm.state.rawValue,
          "problem": realm.problem.map { "\($0)" },
        ])
      },
    ])
    try output.write(json) { _ in
      var lines: [String] = []
      for realm in report.realms {
        switch realm.state {
        case .good where report.isGood && !output.verbose: continue
        case .good: lines.append("  \(realm.path): good")
        case .bytesGood:
          lines.append(
            "  \(realm.path): matches its checksum; encrypted, and not verified without a key")
        case .missing: lines.append("  \(realm.path): missing")
        case .damaged:
          lines.append(
            "  " + (realm.problem.map { "\($0.adding(path: realm.path))" } ?? realm.path))
        }
      }
      let problem = report.problem.map { ["\($0)"] } ?? []
      let count = Text.count(report.realms.count, "realm")
      let good = report.realms.count { $0.state == .good || $0.state == .bytesGood }
      let end =
        report.isGood ? "\(path): good, \(count)" : "\(path): \(good) of \(count) good"
      let comparison = report.equalsGiven.map { isEqual in
        [
          isEqual
            ? "\(against ?? ""): has the content of the backup"
            : "\(against ?? ""): differs from the backup"
        ]
      }
      return (problem + lines + [end] + (comparison ?? [])).map { $0.printable + "\n" }.joined()
    }
    guard report.isGood else { return .invalidData }
    return report.equalsGiven == false ? .negative : .done
  }
}
