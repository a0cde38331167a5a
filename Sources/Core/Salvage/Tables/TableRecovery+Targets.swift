import RealmModel
import RealmStorage

/// Where links lead if neither their own table nor the one at the other end tells it any more.
extension TableRecovery {
  /// The only table to which the links of a column of `draft` can lead whose target nothing tells; nil for several,
  /// and for none.
  ///
  /// Each column of links has a column of backlinks in its target (chapter 3, section 6.1). So the target has one that
  /// belongs to no link whose target is known, and it lost one of its own arrays of opposites. If the columns of all
  /// tables are known and only one table has such a column, it is the target.
  func onlyTarget(of link: ColumnKey, in draft: Draft) -> TableKey? {
    guard !lacksColumns, hasFewColumns else { return nil }
    let known = drafts.reduce(into: Set<Backlink>()) { $0.formUnion(backlinks(ofLinksIn: $1)) }
    let possible = drafts.filter { other in
      // With both arrays, it would tell that the links lead to it.
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

  /// The columns of backlinks that the table of the links names.
  private func backlinks(ofLinksIn draft: Draft) -> [Backlink] {
    guard let tables = draft.oppositeTables, let columns = draft.oppositeColumns else { return [] }
    return draft.keys.filter {
      $0.type == .link && $0.leafIndex < min(tables.count, columns.count)
    }.map { Backlink(table: tables[$0.leafIndex], column: columns[$0.leafIndex]) }
  }

  /// Whether a column of backlinks can be that of a column of links, as far as what is left of the opposites tells.
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
