import RealmStorage
import RealmSync

// What is not uploaded, in the reports of `info --history` and `copy`.

extension UnsyncedChanges {
  /// A line for each class, and for what cannot be counted.
  var lines: [String] {
    var lines = classes.map(\.description)
    if schemaChanges > 0 {
      lines.append(Text.count(schemaChanges, "change of the schema", "changes of the schema"))
    }
    lines += undecoded.map { "not decoded: " + $0.text }
    if !isComplete { lines.append("and more, not counted") }
    return lines
  }
}

extension UnsyncedChanges.ClassChanges {
  var json: JSONObject {
    ["class": className, "created": created, "updated": updated, "deleted": deleted]
  }
}

extension UnsyncedChanges.Undecoded {
  var json: JSONObject { ["version": version, "byteCount": byteCount, "reason": reason] }

  /// `version 3, 300 bytes: a changeset compressed with LZFSE cannot be checked`.
  fileprivate var text: String {
    "version \(version), \(byteCount.map { Text.size($0) } ?? "of unknown size"): \(reason)"
  }
}
