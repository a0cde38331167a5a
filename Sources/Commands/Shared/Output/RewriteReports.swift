import RealmJobs
import RealmStorage
import RealmSync

// What the reports of all commands that write a realm have in common.

extension RewriteReport {
  var json: JSONObject {
    [
      "path": path, "output": output, "formatBefore": formatBefore, "formatAfter": formatAfter,
      "opensWith": FormatChange.json(from: formatBefore, to: formatAfter),
      "bytesBefore": bytesBefore, "bytesAfter": bytesAfter, "backup": backup, "dryRun": isDryRun,
    ]
  }

  /// `people.realm: compacted as small.realm, 75.1 MB -> 43.0 MB`, and a line for the backup.
  ///
  /// - Parameter subject: what it was done to, if not the realm: `people.realm: 3 objects changed, 75.1 MB -> 43.0 MB`.
  func text(_ subject: String = "", done: String) -> String {
    let preposition = subject.isEmpty ? "as" : "in"
    let place = output.map { $0 == path ? "" : " \(preposition) \($0.printable)" } ?? ""
    let sizes = "\(Text.size(bytesBefore)) -> \(Text.size(bytesAfter))"
    let kept =
      backup.map { "  original \(isDryRun ? "would be " : "")kept as \($0.printable)\n" } ?? ""
    let verb = (subject.isEmpty ? "" : subject + " ") + (isDryRun ? "would be " : "") + done
    return "\(path.printable): \(verb)\(place), \(sizes)\n"
      + FormatChange.text(from: formatBefore, to: formatAfter) + kept
  }
}

/// A result of another file format than its source.
enum FormatChange {
  /// A line about it, with the releases of SDKs that open the result; empty if there is none.
  ///
  /// - Parameter before: nil or 0 for no realm, or one without any commit.
  static func text(from before: Int?, to after: Int) -> String {
    guard isChange(from: before, to: after), let before else { return "" }
    let releases = SDKReleases.openingText(format: after).map { ", opened by \($0)" } ?? ""
    return "  file format \(before) -> \(after)\(releases)\n"
  }

  /// The member `opensWith` of a report; nil if there is none.
  static func json(from before: Int?, to after: Int) -> [JSONObject]? {
    isChange(from: before, to: after) ? SDKReleases.json(format: after) : nil
  }

  private static func isChange(from before: Int?, to after: Int) -> Bool {
    before ?? 0 != 0 && before != after
  }
}

extension LegacyLosses? {
  /// The members of a report about what the result lacks; null or 0 for a realm of later formats. The number
  /// of changesets that were not uploaded is not among them: each report adds it itself.
  var json: JSONObject {
    [
      "syncHistory": self?.syncHistory?.name, "historyEntries": self?.historyEntries,
      "objectIdColumns": self?.objectIdColumns ?? 0, "hiddenColumns": self?.hiddenColumns ?? 0,
      "emptyColumns": self?.emptyColumns ?? 0, "internalTables": self?.internalTables ?? 0,
    ]
  }
}

extension LegacyLosses {
  /// The members of a report about a command that upgraded the realm on the way.
  var jsonOfUpgrade: JSONObject { ["pendingChanges": pendingChangesets] + Optional(self).json }

  /// One line for each kind of thing that the result lacks.
  var text: String {
    var lines: [String] = []
    if let syncHistory {
      let kind = syncHistory == .syncServer ? "server" : "client"
      let entries = historyEntries.map { " with \(Text.count($0, "entry", "entries"))" } ?? ""
      lines.append("the history of the sync \(kind)\(entries)")
    }
    if objectIdColumns > 0 {
      lines.append("\(Text.count(objectIdColumns, "column")) !OID with the object keys of sync")
    }
    if hiddenColumns > 0 {
      lines.append("\(Text.count(hiddenColumns, "column")) that SDKs hide")
    }
    if emptyColumns > 0 {
      lines.append("\(Text.count(emptyColumns, "column")) of tables without columns")
    }
    if internalTables > 0 {
      lines.append("\(Text.count(internalTables, "table")) with a name that SDKs reserve")
    }
    return lines.map { "  left out: \($0)\n" }.joined()
  }

  /// What the user must know about a realm that was synced; nil for a local one.
  var warning: String? {
    guard syncHistory != nil else { return nil }
    let pending =
      switch pendingChangesets {
      case 0?: "everything was uploaded"
      case let count?:
        "\(Text.count(count, "changeset was", "changesets were")) not uploaded: the changes are in the "
          + "result, but no server will ever get them"
      case nil: "how many changes were not uploaded is unknown; they are in the result"
      }
    return "the realm was synced, and the result is a local one; \(pending)"
  }
}
