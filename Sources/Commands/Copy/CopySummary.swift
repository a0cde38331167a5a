internal import RealmMaintenance
internal import RealmSync

/// The report of `copy`, as JSON and as text.
struct CopySummary: Encodable {
  private let rewrite: RewriteSummary
  private let sync: CopyJob.Report.Sync?

  private enum CodingKeys: String, CodingKey {
    case synced, discardedChangesets, discarded, schemaChanges, undecoded, complete
  }

  init(_ report: CopyJob.Report) { (rewrite, sync) = (RewriteSummary(report.rewrite), report.sync) }

  func encode(to encoder: any Encoder) throws {
    try rewrite.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(sync != nil, forKey: .synced)
    try members.encode(sync?.discardedChangesets ?? 0, forKey: .discardedChangesets)
    try members.encode(
      (sync?.discarded.classes ?? []).map { SyncDetailSummary.Changes($0) }, forKey: .discarded)
    try members.encode(sync?.discarded.schemaChanges ?? 0, forKey: .schemaChanges)
    try members.encode(
      (sync?.discarded.undecoded ?? []).map { SyncDetailSummary.Undecoded($0) }, forKey: .undecoded)
    try members.encode(sync?.discarded.isComplete ?? true, forKey: .complete)
  }

  var text: String {
    guard let sync else { return rewrite.text(done: "copied") }
    var lines = rewrite.text(done: "copied for another user")
    if sync.discardedChangesets > 0 {
      lines +=
        "  would never be uploaded from the copy: "
        + Text.count(sync.discardedChangesets, "changeset", "changesets") + "\n"
      for line in SyncDetailText.lines(sync.discarded) { lines += "    \(line.printable)\n" }
    }
    return lines
  }
}
