internal import RealmMaintenance
internal import RealmSync

extension LegacyLosses {
  /// One line for each kind of thing that the result does not have.
  var text: String {
    var lines: [String] = []
    if let syncHistory {
      let kind = syncHistory == .syncServer ? "server" : "client"
      let entries = historyEntries.map { " with \(Text.count($0, "entry", "entries"))" } ?? ""
      lines.append("the history of the sync \(kind)\(entries)")
    }
    if objectIdColumns > 0 {
      lines.append(
        "\(Text.count(objectIdColumns, "column", "columns")) !OID with the object keys of sync")
    }
    if hiddenColumns > 0 {
      lines.append("\(Text.count(hiddenColumns, "column", "columns")) that SDKs hide")
    }
    if emptyColumns > 0 {
      lines.append("\(Text.count(emptyColumns, "column", "columns")) of tables without columns")
    }
    if internalTables > 0 {
      lines.append(
        "\(Text.count(internalTables, "table", "tables")) with a name that SDKs keep for themselves"
      )
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
