internal import RealmMaintenance

/// The report of `migrate`, as JSON; its names are a contract.
struct MigrateSummary: Encodable {
  private let report: MigrateJob.Report
  private let result: RewriteSummary?

  private enum CodingKeys: CodingKey {
    case path, skipped, schemaVersionBefore, schemaVersionAfter, steps, changesets, pendingChanges
  }

  /// A step; `samples` is absent if none were asked for.
  private struct Step: Encodable {
    struct Value: Encodable {
      var property: String
      var value: String
    }

    struct Sample: Encodable {
      var object: String
      var before: [Value]
      var after: [Value]
    }

    var version: UInt64
    var step: String
    var subject: String
    var changedObjects: Int
    var deletedObjects: Int
    var copiedObjects: Int
    var samples: [Sample]?

    init(_ step: MigrateJob.Report.Step) {
      (version, self.step, subject) = (step.version, step.name, step.subject)
      (changedObjects, deletedObjects) = (step.changedObjects, step.deletedObjects)
      copiedObjects = step.copiedObjects
      guard !step.samples.isEmpty else { return }
      samples = step.samples.map { sample in
        Sample(
          object: sample.identity,
          before: sample.before.map { Value(property: $0.property, value: $0.value) },
          after: sample.after.map { Value(property: $0.property, value: $0.value) })
      }
    }
  }

  init(_ report: MigrateJob.Report) {
    self.report = report
    result = report.rewrite.map(RewriteSummary.init)
  }

  func encode(to encoder: any Encoder) throws {
    try result?.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(report.path, forKey: .path)
    try members.encode(result == nil, forKey: .skipped)
    try members.encode(report.versionBefore, forKey: .schemaVersionBefore)
    try members.encode(report.versionAfter, forKey: .schemaVersionAfter)
    try members.encode(report.steps.map(Step.init), forKey: .steps)
    try members.encode(report.changesets, forKey: .changesets)
    guard let legacy = report.legacy else { return }
    try members.encode(legacy.pendingChangesets, forKey: .pendingChanges)
    try LegacyLossesSummary(legacy).encode(to: encoder)
  }

  /// One line for the realm and one for each step, with the samples below.
  var text: String {
    guard let result else {
      return
        "\(report.path.printable): skipped, the schema version is \(report.versionAfter) already\n"
    }
    let before = report.versionBefore.map { "schema version \($0)" } ?? "no schema version"
    return result.text(done: "migrated from \(before) to \(report.versionAfter)")
      + report.steps.map(text).joined()
      + (report.changesets.map { "  \(Text.count($0, "changeset", "changesets")) to upload\n" }
        ?? "") + (report.legacy?.text ?? "")
  }

  private func text(_ step: MigrateJob.Report.Step) -> String {
    let counts = [
      (step.changedObjects, "changed"), (step.deletedObjects, "deleted"),
      (step.copiedObjects, "copied"),
    ].filter { $0.0 > 0 }.map { count, verb in
      "\(Text.count(count, "object", "objects")) \(verb)"
    }
    let done = counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")
    return "  \(step.version) \(step.name) \(step.subject.printable)\(done)\n"
      + step.samples.map(text).joined()
  }

  private func text(_ sample: MigrateJob.Report.Sample) -> String {
    func values(_ values: [MigrateJob.Report.Sample.Value]) -> String {
      values.map { "\($0.property.printable): \($0.value.printable)" }.joined(separator: ", ")
    }
    let after = sample.after.isEmpty ? "" : " -> \(values(sample.after))"
    return "      \(sample.identity.printable)  \(values(sample.before))\(after)\n"
  }
}
