internal import RealmMaintenance
internal import RealmSync

/// What a realm of formats 2 to 9 has that the result does not, as members of a report in JSON; the names are a
/// contract. The number of changesets that were not uploaded is a member of the reports themselves.
struct LegacyLossesSummary: Encodable {
  private var syncHistory: String?
  private var historyEntries: Int?
  private var objectIdColumns: Int
  private var hiddenColumns: Int
  private var emptyColumns: Int
  private var internalTables: Int

  /// - Parameter losses: nil for a realm of later formats, which loses none of this.
  init(_ losses: LegacyLosses?) {
    (syncHistory, historyEntries) = (losses?.syncHistory?.name, losses?.historyEntries)
    (objectIdColumns, hiddenColumns) = (losses?.objectIdColumns ?? 0, losses?.hiddenColumns ?? 0)
    (emptyColumns, internalTables) = (losses?.emptyColumns ?? 0, losses?.internalTables ?? 0)
  }

  private enum CodingKeys: CodingKey {
    case syncHistory, historyEntries, objectIdColumns, hiddenColumns, emptyColumns, internalTables
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    // Members without a value are null, not absent.
    try members.encode(syncHistory, forKey: .syncHistory)
    try members.encode(historyEntries, forKey: .historyEntries)
    try members.encode(objectIdColumns, forKey: .objectIdColumns)
    try members.encode(hiddenColumns, forKey: .hiddenColumns)
    try members.encode(emptyColumns, forKey: .emptyColumns)
    try members.encode(internalTables, forKey: .internalTables)
  }
}
