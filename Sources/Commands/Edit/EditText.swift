import RealmJobs
import RealmMigration
import RealmStorage

extension OutputOptions {
  /// Prints the report of `update` or `delete`.
  ///
  /// - Parameters:
  ///   - done: what was done to objects, as in `3 objects deleted`.
  ///   - counts: the numbers of objects that were changed or deleted.
  /// - Throws: ``ExitStatus/negative`` if another number of objects was expected.
  func write(
    _ report: EditReport, done: String, json counts: JSONObject, resultIsOnStandardOutput: Bool
  ) throws {
    let edit: JSONObject = [
      "path": report.path, "class": report.className, "found": report.found,
      "expected": report.expected, "changesets": report.changesets, "dryRun": report.isDryRun,
      "skipped": report.rewrite == nil,
    ]
    let samples: JSONObject =
      report.isDryRun ? ["samples": report.samples.map(\.json)] : [:]
    if let warning = report.legacy?.warning { warn("\(report.path): \(warning)") }
    // A report about nothing written is the result.
    try write(
      (report.rewrite?.json ?? [:]) + edit + counts + samples
        + (report.legacy?.jsonOfUpgrade ?? [:]),
      resultIsOnStandardOutput: report.rewrite == nil ? nil : resultIsOnStandardOutput
    ) { _ in
      report.text(done: done)
    }
    if !report.isExpected { throw ExitStatus.negative }
  }
}

extension EditReport {
  /// One line for the realm, and for a dry run one for each object that is shown.
  fileprivate func text(done: String) -> String {
    let objects = Text.count(changed, "object")
    let name = className.printable
    guard let rewrite else {
      guard let expected, !isExpected else {
        return "\(path.printable): unchanged, 0 objects of \(name) \(done)\n"
      }
      return "\(path.printable): unchanged, \(objects) of \(name) would be \(done), expected "
        + "\(expected)\n" + lines
    }
    let inside = embedded > 0 ? " with \(Text.count(embedded, "embedded object"))" : ""
    return rewrite.text("\(objects) of \(name)\(inside)", done: done)
      + (changesets.map { "  \(Text.count($0, "changeset")) to upload\n" } ?? "")
      + (legacy?.text ?? "") + lines
  }

  private var lines: String {
    let more = samples.isEmpty ? 0 : changed - samples.count
    return samples.map(\.line).joined() + (more > 0 ? "  … and \(more) more\n" : "")
  }
}

extension MigrationSample {
  /// `~ 7  age: 31 -> 32` for a changed object, `- 7  age: 31` for a deleted one.
  fileprivate var line: String {
    let isDeleted = after.isEmpty
    let values = before.enumerated().map { i, value in
      "\(value.property.printable): \(value.value.printable)"
        + (isDeleted ? "" : " -> \(after[i].value.printable)")
    }
    return "  \(isDeleted ? "-" : "~") \(identity.printable)  \(values.joined(separator: ", "))\n"
  }
}
