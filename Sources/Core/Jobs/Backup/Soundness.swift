import RealmStorage
import RealmVerify

/// Checks whether a realm for a backup, or from a backup, is sound.
enum Soundness {
  /// Checks the realm in `file` by the rules of `verify`.
  ///
  /// - Throws: `damaged` with the first broken rule; the errors of opening a realm.
  static func check(
    _ file: FileDescriptor, key: RealmKey?, jobs: Int
  ) throws {
    let report = try VerifyJob(
      VerifyJob.Request(path: file.path, key: key, maxFindings: 1, jobs: jobs)
    ).run()
    guard report.count(.error) > 0, let finding = report.findings.first else { return }
    throw RealmFileError(
      .damaged(finding.rule), offset: finding.offset, className: finding.className,
      property: finding.property, objectKey: finding.objectKey, detail: finding.message)
  }
}
