import RealmJobs
import RealmStorage
import Testing

/// A job that writes realms, as tests run it: no result of theirs goes unverified.
protocol WritingJob {
  associatedtype Report

  func run(progress: @escaping (Int, Int) -> Void) throws -> Report

  /// Paths of the realms that a run wrote; those in a stream are not among them.
  static func outputs(of report: Report) -> [String]
}

extension WritingJob {
  /// Runs the job, and verifies each realm that it wrote. The realms that tests begin with are sound,
  /// so every error is the job's.
  ///
  /// - Parameter key: of the results that are encrypted.
  @discardableResult
  func runVerified(key: RealmKey? = nil) throws -> Report {
    let report = try run { _, _ in }
    for path in Self.outputs(of: report) { try expectSound(path, key: key) }
    return report
  }
}

/// Expects that the realm at `path` has no errors.
///
/// - Parameter key: not used where the realm is not encrypted.
func expectSound(_ path: String, key: RealmKey? = nil) throws {
  let report = try TestKeys(key: key).open(path) { (key) in
    try VerifyJob(VerifyJob.Request(path: path, key: key, jobs: 2)).run()
  }
  #expect(report.findings.filter { $0.severity == .error } == [], "\(path)")
}

extension RewriteReport {
  fileprivate var outputs: [String] { isDryRun ? [] : [output].compactMap(\.self) }
}

extension CompactJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension UpgradeJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension MigrateJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite?.outputs ?? [] }
}

extension ConvertJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension ConvertToSyncedJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension CopyJob: WritingJob {
  static func outputs(of report: Report) -> [String] { report.rewrite.outputs }
}

extension ChangeKeyJob: WritingJob {
  static func outputs(of report: RewriteReport) -> [String] { report.outputs }
}

extension BackupRestoreJob: WritingJob {
  static func outputs(of report: Report) -> [String] {
    report.isDryRun ? [] : report.realms.filter { $0.problem == nil }.map(\.output)
  }
}
