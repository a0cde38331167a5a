import RealmModel

extension ColumnValues {
  /// Whether a link in `row` may be unresolved. For values of a text, which never come in runs.
  func hasUnresolvedLink(in row: Int) -> Bool {
    switch self {
    case .scalar: false
    case .link(let column): column.unresolved[row]
    case .embedded(let column):
      column.rows[row] >= 0
        && column.objects.columns.contains {
          $0?.hasUnresolvedLink(in: column.rows[row]) ?? false
        }
    case .mixed(let column):
      switch column.values[row] {
      case .link(let i): column.links[i].isUnresolved
      case .list(let i): column.lists?.hasUnresolvedLink(in: i) ?? false
      case .dictionary(let i): column.dictionaries?.hasUnresolvedLink(in: i) ?? false
      default: false
      }
    case .collection(let column): column.hasUnresolvedLink(in: row)
    }
  }
}

extension CollectionColumn {
  fileprivate func hasUnresolvedLink(in row: Int) -> Bool {
    range(of: row).contains { elements.hasUnresolvedLink(in: $0) }
  }
}
