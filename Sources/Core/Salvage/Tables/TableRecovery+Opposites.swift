import RealmModel
import RealmStorage

/// The other ends of links.
extension TableRecovery {
  /// The keys of links and backlinks of a table that the opposites of other tables contain, by leaf
  /// index.
  func statedKeys(of draft: Draft) -> [Int: ColumnKey] {
    var keys: [Int: ColumnKey] = [:]
    for other in drafts {
      for (table, column) in zip(other.oppositeTables ?? [], other.oppositeColumns ?? [])
      where table == Int64(draft.key.raw) {
        let key = ColumnKey(column)
        if key.type == .link || key.type == .backlink { keys[key.leafIndex] = key }
      }
    }
    return keys
  }

  /// The other ends of the links of a table, by leaf index, found in the tables at these ends.
  func opposites(of draft: Draft) -> (tables: [Int64], columns: [Int64]) {
    var tables =
      draft.oppositeTables
      ?? Array(repeating: Int64(TableKey.null.raw), count: draft.leafCount)
    var columns =
      draft.oppositeColumns ?? Array(repeating: ColumnKey.null.raw, count: draft.leafCount)
    tables += Array(
      repeating: Int64(TableKey.null.raw), count: max(0, draft.leafCount - tables.count))
    columns += Array(
      repeating: ColumnKey.null.raw, count: max(0, draft.leafCount - columns.count))
    for other in drafts {
      guard let otherTables = other.oppositeTables, let otherColumns = other.oppositeColumns else {
        continue
      }
      for key in other.keys where key.leafIndex < min(otherTables.count, otherColumns.count) {
        guard otherTables[key.leafIndex] == Int64(draft.key.raw),
          let own = draft.keys.first(where: { $0.raw == otherColumns[key.leafIndex] })
        else { continue }
        tables[own.leafIndex] = Int64(other.key.raw)
        columns[own.leafIndex] = key.raw
      }
    }
    for key in draft.keys
    where key.type == .link && tables[key.leafIndex] == Int64(TableKey.null.raw) {
      if let target = onlyTarget(of: key, in: draft) { tables[key.leafIndex] = Int64(target.raw) }
    }
    return (tables, columns)
  }

  /// The only possible target of the links in a column of `draft`; nil for none or several.
  ///
  /// Each column of links has a column of backlinks in its target (chapter 3, section 6.1). If the
  /// columns of all tables are known, and only one table has a column of backlinks without a known
  /// link, and lost one of its arrays of opposites, it is the target.
  func onlyTarget(of link: ColumnKey, in draft: Draft) -> TableKey? {
    guard !lacksColumns, hasFewColumns else { return nil }
    let known = drafts.reduce(into: Set<Backlink>()) { $0.formUnion(backlinks(ofLinksIn: $1)) }
    let possible = drafts.filter { other in
      // If it had both arrays, they would contain the link.
      guard other.oppositeTables == nil || other.oppositeColumns == nil else { return false }
      return other.keys.contains { key in
        key.type == .backlink && isPossible(key, in: other, of: link, in: draft)
          && !known.contains(Backlink(table: Int64(other.key.raw), column: key.raw))
      }
    }
    return possible.count == 1 ? possible[0].key : nil
  }

  /// A column of backlinks, by the keys of table and column.
  private struct Backlink: Hashable {
    let table: Int64
    let column: Int64
  }

  /// The columns of backlinks in the opposites of the table with the links.
  private func backlinks(ofLinksIn draft: Draft) -> [Backlink] {
    guard let tables = draft.oppositeTables, let columns = draft.oppositeColumns else { return [] }
    return draft.keys.filter {
      $0.type == .link && $0.leafIndex < min(tables.count, columns.count)
    }.map { Backlink(table: tables[$0.leafIndex], column: columns[$0.leafIndex]) }
  }

  /// Whether a column of backlinks fits a column of links, according to the opposites that are left.
  private func isPossible(
    _ backlink: ColumnKey, in target: Draft, of link: ColumnKey, in draft: Draft
  ) -> Bool {
    func holds(_ values: [Int64]?, _ key: ColumnKey, _ expected: Int64) -> Bool {
      guard let values, key.leafIndex < values.count else { return true }
      return values[key.leafIndex] == expected
    }
    return holds(target.oppositeTables, backlink, Int64(draft.key.raw))
      && holds(target.oppositeColumns, backlink, link.raw)
      && holds(draft.oppositeColumns, link, backlink.raw)
  }
}
