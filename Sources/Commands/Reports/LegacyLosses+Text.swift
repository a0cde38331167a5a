internal import RealmMaintenance
internal import RealmSync

extension LegacyLosses {
  /// One line for each kind of thing that the result does not have.
  var text: String {
    var lines: [String] = []
    if let syncHistory {
      let kind = syncHistory == .syncServer ? "server" : "client"
      lines.append(
        "the history of the sync \(kind); its changes are in the objects, but can no longer be uploaded"
      )
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
}
