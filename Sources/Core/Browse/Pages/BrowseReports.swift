package import RealmCompare
package import RealmJobs
package import RealmSync
package import RealmVerify

/// The words and the JSON of the commands, which this module cannot import: pages say the same as the commands.
package protocol BrowseReports: Sendable {
  /// What a user is told about an error.
  func problem(_ error: any Error) -> Problem
  /// The facts of `info` with their names.
  func facts(_ report: InfoJob.Report) -> [(name: String, value: String)]
  /// A line for each class with changes that are not uploaded.
  func lines(_ changes: UnsyncedChanges) -> [String]

  /// What saving a draft did, in lines.
  func text(_ report: ApplyJob.Report) -> String

  func json(_ report: ApplyJob.Report) throws -> String
  func json(_ report: InfoJob.Report) throws -> String
  func json(_ report: StatsReport) throws -> String
  func json(_ report: VerifyReport) throws -> String
  func json(_ report: MigrateJob.Report) throws -> String
  /// - Parameter path: path of the realm, of which the report compares the last two versions.
  func json(_ report: RealmDiff.Report, of path: String) throws -> String
}

/// An error as a page shows it.
package struct Problem: Sendable {
  /// One line: the place and the problem.
  package var message: String
  /// Lines that show the place in a query.
  package var excerpt: String?
  /// What the user can do next.
  package var hint: String?
  /// The error as `--json` prints it.
  package var json: String
  /// Whether the error is one of the program and not of the request or the realm.
  package var isInternal: Bool

  package init(
    message: String, excerpt: String?, hint: String?, json: String, isInternal: Bool
  ) {
    (self.message, self.excerpt, self.hint) = (message, excerpt, hint)
    (self.json, self.isInternal) = (json, isInternal)
  }
}
