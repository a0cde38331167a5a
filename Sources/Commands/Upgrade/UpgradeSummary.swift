internal import RealmMaintenance
internal import RealmModel

/// The report of `upgrade` on one realm, as JSON; its names are a contract.
struct UpgradeSummary: Encodable {
  private let path: String
  private let report: UpgradeJob.Report
  private let result: RewriteSummary?

  private enum CodingKeys: CodingKey {
    case path, skipped, formatBefore, formatAfter
    case duplicateMembers, asymmetricObjects, unownedObjects, pendingChanges
  }

  init(_ path: String, _ report: UpgradeJob.Report) {
    (self.path, self.report) = (path, report)
    result = report.rewrite.map(RewriteSummary.init)
  }

  func encode(to encoder: any Encoder) throws {
    try result?.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(path, forKey: .path)
    try members.encode(result == nil, forKey: .skipped)
    try members.encode(report.formatBefore, forKey: .formatBefore)
    try members.encode(RealmBuilder.format, forKey: .formatAfter)
    try members.encode(report.duplicateMembers, forKey: .duplicateMembers)
    try members.encode(report.asymmetricObjects, forKey: .asymmetricObjects)
    try members.encode(report.unownedObjects, forKey: .unownedObjects)
    try members.encode(report.legacy?.pendingChangesets, forKey: .pendingChanges)
    try LegacyLossesSummary(report.legacy).encode(to: encoder)
  }

  /// One line, and one for each kind of thing that the result does not have.
  var text: String {
    guard let result else {
      return "\(path.printable): skipped, format \(report.formatBefore) is the current one\n"
    }
    let done = "upgraded from format \(report.formatBefore) to \(RealmBuilder.format)"
    let lost = [
      (report.duplicateMembers, "member of a set", "members of sets", "equal to another member"),
      (report.asymmetricObjects, "object", "objects", "of an asymmetric class"),
      (report.unownedObjects, "embedded object", "embedded objects", "without an owner"),
    ]
    return result.text(done: done)
      + lost.filter { $0.0 > 0 }.map { count, one, many, why in
        "  left out: \(Text.count(count, one, many)) \(why)\n"
      }.joined() + (report.legacy?.text ?? "")
  }
}
