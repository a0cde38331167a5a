package import RealmBrowse
package import RealmCompare
package import RealmJobs
import RealmStorage
package import RealmSync
package import RealmVerify

/// The words and the JSON of the commands, for the pages of `browse`.
package struct PageReports: BrowseReports {
  package init() {}

  package func problem(_ error: any Error) -> Problem {
    let report = ErrorReport(error)
    let messages = ([report] + (report.others ?? [])).map(\.message)
    // A report has only texts and whole numbers, which JSON always has.
    return Problem(
      message: messages.joined(separator: "\n"), excerpt: report.excerpt, hint: report.hint,
      json: (try? JSONText.line(["error": report])) ?? "",
      isInternal: report.status == .internalError)
  }

  package func facts(_ report: InfoJob.Report) -> [(name: String, value: String)] {
    InfoText.facts(report)
  }

  package func lines(_ changes: UnsyncedChanges) -> [String] { changes.lines }

  package func text(_ report: ApplyJob.Report) -> String { report.text(.fail) }

  package func json(_ report: ApplyJob.Report) throws -> String {
    try JSONText.line((report.rewrite?.json ?? [:]) + report.json)
  }

  package func json(_ report: InfoJob.Report) throws -> String {
    try JSONText.line(report.json(withHistory: report.detail != nil))
  }

  package func json(_ report: StatsReport) throws -> String { try JSONText.line(report.json) }

  package func json(_ report: VerifyReport) throws -> String {
    try JSONText.line(report.json(isSound: report.count(.error) == 0))
  }

  package func json(_ report: MigrateJob.Report) throws -> String {
    try JSONText.line(report.json)
  }

  package func json(_ report: RealmDiff.Report, of path: String) throws -> String {
    try JSONText.line(report.json(path, nil))
  }
}
