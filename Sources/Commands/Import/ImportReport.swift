import RealmJobs
import RealmStorage

extension ImportJob.Report {
  var json: JSONObject {
    let report: JSONObject = [
      "path": path, "output": output, "classes": counts.map(\.json), "bytes": byteCount,
      "schemaVersion": schemaVersion, "ignoredMembers": ignoredMembers,
      "lostSubtypes": lostSubtypes, "leftOutProperties": leftOutProperties,
      "inferredSchema": inferredSchema != nil, "backup": backup,
      "changesets": changesets, "formatBefore": formatBefore, "formatAfter": formatAfter,
      "opensWith": FormatChange.json(from: formatBefore, to: formatAfter), "dryRun": isDryRun,
    ]
    return report + (legacy?.jsonOfUpgrade ?? [:])
  }

  /// A line for the realm, and one for each class.
  var text: String {
    let objects = counts.reduce(0) { $0 + $1.objects }
    let width = counts.map { "\($0.objects)".count }.max() ?? 0
    let lines = counts.map {
      "  \(Text.padded("\($0.objects)", to: width, .right))  \($0.name.printable)\($0.changes)\n"
    }
    let uploads = changesets.map { "  \(Text.count($0, "changeset")) to upload\n" } ?? ""
    let format = FormatChange.text(from: formatBefore, to: formatAfter)
    let kept = backup.map { "  original kept as \($0.printable)\n" } ?? ""
    return
      "\(output.printable): \(isDryRun ? "would get " : "")\(Text.count(objects, "object")) of "
      + "\(Text.count(counts.count, "class", "classes")), \(Text.size(byteCount))\n"
      + lines.joined() + uploads + format + kept + (legacy?.text ?? "")
  }
}

extension ImportJob.Report.Count {
  fileprivate var json: JSONObject {
    ["name": name, "objects": objects, "inserted": inserted, "updated": updated]
  }

  /// What the import did to objects of an existing realm; empty if nothing.
  fileprivate var changes: String {
    let parts = [(inserted ?? 0, "new"), (updated ?? 0, "changed")].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return "" }
    return " (" + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + ")"
  }
}
