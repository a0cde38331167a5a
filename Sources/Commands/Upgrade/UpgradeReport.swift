import RealmJobs
import RealmStorage

/// The report of `upgrade`, and of `convert --file-format`.
extension UpgradeJob.Report {
  func json(_ path: String) -> JSONObject {
    let upgrade: JSONObject = [
      "path": path, "skipped": isCurrent, "formatBefore": formatBefore,
      "formatAfter": formatAfter, "duplicateMembers": duplicateMembers,
      "asymmetricObjects": asymmetricObjects, "unownedObjects": unownedObjects,
      "pendingChanges": legacy?.pendingChangesets,
    ]
    return (rewrite?.json ?? [:]) + upgrade + legacy.json
  }

  /// One line for the realm, and one for each kind of thing that the result lacks.
  func text(_ path: String) -> String {
    guard let rewrite else {
      return "\(path.printable): skipped, it has format \(formatBefore) already\n"
    }
    guard !isCurrent else {
      return rewrite.text(done: "copied, because it has format \(formatBefore) already,")
    }
    let leftOut = [
      (duplicateMembers, "member of a set", "members of sets", "equal to another member"),
      (asymmetricObjects, "object", "objects", "of an asymmetric class"),
      (unownedObjects, "embedded object", "embedded objects", "without an owner"),
    ]
    let done = formatAfter > formatBefore ? "upgraded" : "converted"
    return rewrite.text(done: done)
      + leftOut.filter { $0.0 > 0 }.map { count, one, many, why in
        "  left out: \(Text.count(count, one, many)) \(why)\n"
      }.joined() + (legacy?.text ?? "")
  }
}
