import ArgumentParser
import RealmJobs
import RealmStorage
import RealmVerify

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `realm-cli verify`.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check realms against every rule of the file format.",
    discussion: """
      Reports each place where a realm breaks a rule. An error is something that an SDK would misread, \
      lose or crash on. A warning is irregular, but harmless or written like this by Realm itself. \
      Changes nothing. Folders are searched for realms. docs/verify.md lists the rules.

      EXAMPLE: realm-cli verify people.realm && rm people.realm.old
      EXAMPLE: realm-cli verify --json backups/ | jq -r 'select(.errors > 0).path'

      Exit codes: 0 no errors, 65 errors (with --strict also warnings), or a file is not a realm.
      """)

  @OptionGroup var realms: RealmListOptions
  @OptionGroup var skipDone: SkipDoneOption
  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Flag(help: "Check only that every node is reachable and complete, not what it contains.")
  var quick = false

  @Flag(help: "Count warnings as errors.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Maximum number of findings of each severity to print; the others are counted.",
      valueName: "n"))
  var maxFindings = 100

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp(
      "Check only the objects of this class; can be given several times.", valueName: "name"))
  var classes: [String] = []

  func validate() throws {
    guard maxFindings >= 0 else {
      throw ValidationError("--max-findings takes a number of at least 0, not \(maxFindings)")
    }
    guard !quick || classes.isEmpty else {
      throw ValidationError("--quick checks no objects, so --class has no effect; give only one")
    }
  }

  func run() throws {
    let run = try RealmRun(realms, skipDone: skipDone, keyOptions, output)
    try run.run("verifying", jobs: jobs.count) { realm in
      try VerifyJob(
        VerifyJob.Request(
          path: realm.path, key: realm.key, version: version.version, isQuick: quick,
          classes: classes.isEmpty ? nil : classes, maxFindings: maxFindings, jobs: realm.jobs,
          cacheByteCount: memory.byteCount, now: Int64(Date().timeIntervalSince1970 * 1000))
      ).run(progress: realm.progress)
    } line: { _, report in
      let isBad = report.count(.error) > 0 || strict && report.count(.warning) > 0
      return RealmRun.Line(
        json: report.json(isSound: !isBad), status: isBad ? .invalidData : .done
      ) {
        report.text(withNotes: output.verbose, $0)
      }
    }
  }
}
