internal import RealmMaintenance

/// The report on a realm that was written, as JSON.
struct RewriteSummary: Encodable {
  var path: String
  var output: String?
  /// Bytes of the files.
  var bytesBefore: Int
  var bytesAfter: Int
  var backup: String?
  var dryRun: Bool

  private enum CodingKeys: String, CodingKey {
    case path, output, bytesBefore, bytesAfter, backup, dryRun
  }

  init(_ report: RewriteReport) {
    (path, output, backup) = (report.path, report.output, report.backup)
    (bytesBefore, bytesAfter) = (report.bytesBefore, report.bytesAfter)
    dryRun = report.isDryRun
  }

  /// Members without a value are written as null.
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(path, forKey: .path)
    try members.encode(output, forKey: .output)
    try members.encode(bytesBefore, forKey: .bytesBefore)
    try members.encode(bytesAfter, forKey: .bytesAfter)
    try members.encode(backup, forKey: .backup)
    try members.encode(dryRun, forKey: .dryRun)
  }

  /// `people.realm: 75.1 MB -> 43.0 MB (small.realm)`, and a line for the backup.
  func text(done: String) -> String {
    let place = output.map { $0 == path ? "" : " as \($0.printable)" } ?? ""
    let sizes = "\(Text.size(bytesBefore)) -> \(Text.size(bytesAfter))"
    let kept =
      backup.map { "  original \(dryRun ? "would be " : "")kept as \($0.printable)\n" } ?? ""
    return "\(path.printable): \(dryRun ? "would be " : "")\(done)\(place), \(sizes)\n" + kept
  }
}
