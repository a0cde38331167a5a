import RealmJobs
import RealmMigration
import RealmStorage

extension MigrateJob.Report {
  var json: JSONObject {
    let migration: JSONObject = [
      "path": path, "skipped": isCurrent, "schemaVersionBefore": versionBefore,
      "schemaVersionAfter": versionAfter, "steps": steps.map(\.json), "changesets": changesets,
    ]
    return (rewrite?.json ?? [:]) + migration + (legacy?.jsonOfUpgrade ?? [:])
  }

  /// One line for the realm and one for each step, with the samples below.
  var text: String {
    guard let rewrite else {
      return "\(path.printable): skipped, the schema version is already \(versionAfter)\n"
    }
    guard !isCurrent else {
      return rewrite.text(done: "copied, because the schema version is already \(versionAfter),")
    }
    let before = versionBefore.map { "schema version \($0)" } ?? "no schema version"
    return rewrite.text(done: "migrated from \(before) to \(versionAfter)")
      + steps.map(\.text).joined()
      + (changesets.map { "  \(Text.count($0, "changeset")) to upload\n" } ?? "")
      + (legacy?.text ?? "")
  }
}

extension MigrateJob.Report.Step {
  /// `samples` is absent if none were requested.
  fileprivate var json: JSONObject {
    let step: JSONObject = [
      "version": version, "step": name, "subject": subject, "changedObjects": changedObjects,
      "deletedObjects": deletedObjects, "copiedObjects": copiedObjects,
    ]
    return samples.isEmpty ? step : step + ["samples": samples.map(\.json)]
  }

  fileprivate var text: String {
    let counts = [
      (changedObjects, "changed"), (deletedObjects, "deleted"), (copiedObjects, "copied"),
    ].filter { $0.0 > 0 }.map { count, verb in "\(Text.count(count, "object")) \(verb)" }
    let done = counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")
    return "  \(version) \(name) \(subject.printable)\(done)\n" + samples.map(\.text).joined()
  }
}

extension MigrationSample {
  var json: JSONObject {
    ["object": identity, "before": before.map(\.json), "after": after.map(\.json)]
  }

  fileprivate var text: String {
    func text(_ values: [Value]) -> String {
      values.map { "\($0.property.printable): \($0.value.printable)" }.joined(separator: ", ")
    }
    return "      \(identity.printable)  \(text(before))"
      + (after.isEmpty ? "" : " -> \(text(after))") + "\n"
  }
}

extension MigrationSample.Value {
  fileprivate var json: JSONObject { ["property": property, "value": value] }
}
