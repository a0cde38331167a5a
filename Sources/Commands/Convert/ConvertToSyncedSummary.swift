internal import RealmMaintenance

/// The report of `convert --to synced`, as JSON and as text.
struct ConvertToSyncedSummary: Encodable {
  private let rewrite: RewriteSummary
  private let report: ConvertToSyncedJob.Report

  private enum CodingKeys: String, CodingKey {
    case objects, changesets, changesetBytes, droppedTables
  }

  init(_ report: ConvertToSyncedJob.Report) {
    (rewrite, self.report) = (RewriteSummary(report.rewrite), report)
  }

  func encode(to encoder: any Encoder) throws {
    try rewrite.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(report.objectCount, forKey: .objects)
    try members.encode(report.changesetCount, forKey: .changesets)
    try members.encode(report.changesetByteCount, forKey: .changesetBytes)
    try members.encode(report.droppedTables, forKey: .droppedTables)
  }

  var text: String {
    var lines = rewrite.text(done: "converted to a synced realm")
    lines +=
      "  to be uploaded: \(Text.count(report.objectCount, "object", "objects")) in "
      + "\(Text.count(report.changesetCount, "changeset", "changesets")), "
      + "\(Text.size(report.changesetByteCount))\n"
    if !report.droppedTables.isEmpty {
      lines += "  internal tables left out: \(report.droppedTables.joined(separator: ", "))\n"
    }
    return lines
  }
}
