import RealmJobs
import RealmStorage

extension OutputOptions {
  /// Prints the report of `apply`.
  ///
  /// - Throws: ``ExitStatus/negative`` if conflicts kept the result from being written.
  func write(
    _ report: ApplyJob.Report, _ resolution: PatchResolution, resultIsOnStandardOutput: Bool
  ) throws {
    if let warning = report.legacy?.warning { warn("\(report.path): \(warning)") }
    // A report about nothing written is the result.
    try write(
      (report.rewrite?.json ?? [:]) + report.json + (report.legacy?.jsonOfUpgrade ?? [:]),
      resultIsOnStandardOutput: report.rewrite == nil ? nil : resultIsOnStandardOutput
    ) { _ in
      report.text(resolution)
    }
    if report.isRefused { throw ExitStatus.negative }
  }
}

extension ApplyJob.Report {
  /// The members of the report that do not depend on a result.
  var json: JSONObject {
    [
      "path": path, "classes": counts.map(\.json), "conflicts": conflicts.map(\.json),
      "schemaSteps": schemaSteps, "changesets": changesets, "dryRun": isDryRun,
      "skipped": rewrite == nil,
    ]
  }

  /// A line for each conflict, one for the realm, and one for each class.
  func text(_ resolution: PatchResolution) -> String {
    let conflicts = conflicts.map { $0.line(resolution) }.joined()
    guard !isRefused else {
      let count = Text.count(self.conflicts.count, "conflict")
      return conflicts + "\(path.printable): unchanged, \(count)\n"
    }
    guard let rewrite else {
      return conflicts + "\(path.printable): unchanged, it has all changes already\n"
    }
    let schema =
      schemaSteps > 0 ? "  \(Text.count(schemaSteps, "change")) of the schema\n" : ""
    return conflicts + rewrite.text("patch", done: "applied") + schema
      + counts.map(\.line).joined()
      + (changesets.map { "  \(Text.count($0, "changeset")) to upload\n" } ?? "")
      + (legacy?.text ?? "")
  }
}

extension ApplyJob.Report.Counts {
  fileprivate var line: String {
    let counts = [
      (added, "added"), (removed, "removed"), (changed, "changed"), (equal, "unchanged"),
      (skipped, "not in the realm"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "  \(className.printable): \(counts.joined(separator: ", "))\n"
  }

  fileprivate var json: JSONObject {
    [
      "name": className, "added": added, "removed": removed, "changed": changed,
      "unchanged": equal, "missing": skipped,
    ]
  }
}

extension PatchConflict {
  /// `conflict  Person 7 age: patch 31 -> 32, realm 40`, and what became of it.
  fileprivate func line(_ resolution: PatchResolution) -> String {
    let patch = "\(old ?? "no object") -> \(new ?? "no object")"
    var line = "conflict  \(className) \(identity) \(property): patch \(patch), realm "
    line += realm ?? "no object"
    if reason == .missingTarget { line += "; the target of a link is missing" }
    switch resolution {
    case .fail: break
    case .patch where reason == .missing: line += "; left out"
    case .patch: line += "; took the patch"
    case .realm: line += "; kept the realm"
    }
    return line.printable + "\n"
  }

  fileprivate var json: JSONObject {
    [
      "class": className, "id": identity, "property": property, "reason": reason.rawValue,
      "old": old, "new": new, "realm": realm,
    ]
  }
}
