internal import RealmMaintenance
internal import RealmStorage

/// The text of `verify` for people.
struct VerifyText {
  private(set) var lines: [String] = []

  /// - Parameter withNotes: whether notes are printed one by one.
  init(_ report: VerifyJob.Report, withNotes: Bool, palette: Palette) {
    lines.append(
      "\(palette.bold(report.path.printable)): \(VerifyText.verdict(report, palette))"
        + VerifyText.extent(report))
    let told = report.findings.filter { withNotes || $0.severity != .note }
    for finding in told { lines.append("  " + VerifyText.line(finding, palette)) }
    for total in report.totals where withNotes || total.severity != .note {
      let shown = told.count { $0.rule == total.rule && $0.severity == total.severity }
      guard shown < total.count else { continue }
      lines.append("  \(total.count - shown) more of rule \(total.rule.rawValue)")
    }
    for damage in report.damage { lines.append("  " + VerifyText.line(damage)) }
  }

  private static func verdict(_ report: VerifyJob.Report, _ palette: Palette) -> String {
    let (errors, warnings) = (report.count(.error), report.count(.warning))
    let notes = report.count(.note)
    var parts: [String] = []
    if errors > 0 { parts.append(palette.red(Text.count(errors, "error", "errors"))) }
    if warnings > 0 { parts.append(palette.yellow(Text.count(warnings, "warning", "warnings"))) }
    if notes > 0 { parts.append(Text.count(notes, "note", "notes")) }
    let found = parts.joined(separator: ", ")
    if errors > 0 { return found }
    return palette.green("sound") + (found.isEmpty ? "" : " (\(found))")
  }

  /// What was checked; nothing for a realm that cannot be opened.
  private static func extent(_ report: VerifyJob.Report) -> String {
    guard report.fileFormat != nil else { return "" }
    let objects = Text.count(report.objectCount, "object", "objects")
    return "; \(objects), \(Text.count(report.nodeCount, "node", "nodes")), "
      + "\(Text.size(report.byteCount)) checked"
  }

  private static func line(_ finding: Finding, _ palette: Palette) -> String {
    let severity =
      switch finding.severity {
      case .error: palette.red("error")
      case .warning: palette.yellow("warning")
      case .note: palette.dim("note")
      }
    var place = "byte \(finding.offset)"
    if let name = finding.className {
      place += ", class \(name)" + (finding.property.map { ".\($0)" } ?? "")
    }
    if let key = finding.objectKey { place += ", object \(key)" }
    return "\(severity) \(finding.rule.rawValue): \(place.printable): \(finding.message.printable)"
  }

  private static func line(_ damage: VerifyJob.Report.ClassDamage) -> String {
    guard let unreadable = damage.unreadableObjects, let count = damage.objectCount else {
      return "class \(damage.name.printable): no objects readable"
    }
    return "class \(damage.name.printable): \(unreadable) of "
      + "\(Text.count(count, "object", "objects")) unreadable"
  }
}
