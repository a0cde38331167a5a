import RealmBackup
package import RealmJobs
package import RealmStorage
import RealmVerify

/// A job that writes realms. Tests verify each of them.
package protocol WritingJob {
  associatedtype Report

  func run(progress: @escaping (Int, Int) -> Void) throws -> Report

  /// Paths of the realms that a run wrote, without those in a stream.
  static func outputs(of report: Report) -> [String]
}

extension WritingJob {
  /// Runs the job, and verifies each realm that it wrote. The realms that tests begin with have no errors,
  /// so every error is the job's.
  ///
  /// - Parameter key: the key of results that are encrypted.
  @discardableResult
  package func runVerified(key: RealmKey? = nil) throws -> Report {
    let report = try run { _, _ in }
    for path in Self.outputs(of: report) { try expectNoErrors(path, key: key) }
    return report
  }
}

/// A realm that a test wrote has errors.
package struct RealmErrors: Error, CustomStringConvertible {
  let path: String
  let findings: [Finding]

  package var description: String { "\(path) has errors: \(findings)" }
}

/// Verifies the realm at `path`, and throws if it has errors.
///
/// - Parameter key: the key if the realm is encrypted; not used otherwise.
package func expectNoErrors(_ path: String, key: RealmKey? = nil) throws {
  let errors = try errors(of: path, key: key)
  guard errors.isEmpty else { throw RealmErrors(path: path, findings: errors) }
}

/// The errors that verify finds in the realm at `path`, without warnings.
package func errors(of path: String, key: RealmKey? = nil) throws -> [Finding] {
  try TestKeys(key: key).open(path) { key in
    try VerifyJob(VerifyJob.Request(path: path, key: key, jobs: 2)).run()
  }.findings.filter { $0.severity == .error }
}

/// One key for all realms that are encrypted, or none.
package struct TestKeys: RealmKeySource {
  package var key: RealmKey?

  package init(key: RealmKey? = nil) { self.key = key }

  package func open<Realm>(_ path: String, _ open: (RealmKey?) throws -> Realm) throws -> Realm {
    do {
      return try open(nil)
    } catch {
      guard case .keyMissing? = error.fileKind, key != nil else { throw error }
    }
    return try open(key)
  }
}

extension RewriteReport {
  fileprivate var outputs: [String] { isDryRun ? [] : [output].compactMap(\.self) }
}

extension CompactJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension UpgradeJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension MigrateJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension ConvertJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension ConvertToSyncedJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension CopyJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension UpdateJob: WritingJob {
  package static func outputs(of report: EditReport) -> [String] { report.rewrite?.outputs ?? [] }
}

extension DeleteJob: WritingJob {
  package static func outputs(of report: EditReport) -> [String] { report.rewrite?.outputs ?? [] }
}

extension RedactJob: WritingJob {
  package static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension ChangeKeyJob: WritingJob {
  package static func outputs(of report: RewriteReport) -> [String] { report.outputs }
}

extension BackupRestoreJob: WritingJob {
  package static func outputs(of report: Report) -> [String] {
    report.isDryRun ? [] : report.realms.filter { $0.problem == nil }.map(\.output)
  }
}
