import RealmStorage

/// Finds every link that a column stores: single ones, those in lists, sets and dictionaries, and
/// those in collections nested in mixed values (chapter 3, section 6.1).
struct LinkWalk {
  /// Levels of collections in mixed values (chapter 2, section 6.6).
  private static let depthLimit = 100

  let reader: RealmReader

  /// True for a column that can hold links.
  static func canHoldLinks(_ column: Column) -> Bool {
    column.type == .link || column.type == .mixed || column.type == .typedLink
  }

  /// Calls `body` with the row, the target's table and key of each link of `column` in `cluster`.
  /// Null links are left out.
  ///
  /// - Throws: what reading the column or a collection throws, after the links in front of it.
  func forEachLink(
    of column: Column, in cluster: Cluster, _ body: (Int, TableKey, ObjectKey) -> Void
  ) throws(RealmFileError) {
    let batch = try reader.batch(column, of: cluster)
    guard case .collection(let roots) = batch else {
      try tell(batch, target: column.target, row: { $0 }, body)
      return
    }
    for row in roots.indices where roots[row] != 0 {
      if column.collection == .dictionary {
        let entries = try reader.entries(root: roots[row], hasIntegerKeys: column.hasIntegerKeys)
        try tell(entries.values, target: column.target, row: { _ in row }, depth: 0, body)
        continue
      }
      var elements = reader.elements(column, root: roots[row])
      while let run = try elements.next() {
        try tell(run, target: column.target, row: { _ in row }, body)
      }
    }
  }

  private func tell(
    _ batch: ColumnBatch, target: TableKey?, row: (Int) -> Int,
    _ body: (Int, TableKey, ObjectKey) -> Void
  ) throws(RealmFileError) {
    switch batch {
    case .link(let keys):
      guard let target else { return }
      for i in keys.indices where !keys[i].isNull { body(row(i), target, keys[i]) }
    case .mixed(let values): try tell(values, target: target, row: row, depth: 0, body)
    default: return
    }
  }

  private func tell(
    _ values: [MixedValue], target: TableKey?, row: (Int) -> Int, depth: Int,
    _ body: (Int, TableKey, ObjectKey) -> Void
  ) throws(RealmFileError) {
    for i in values.indices {
      switch values[i] {
      case .typedLink(let table, let key):
        if !key.isNull { body(row(i), table, key) }
      case .link(let key):
        if let target, !key.isNull { body(row(i), target, key) }
      case .list(let root):
        guard depth < LinkWalk.depthLimit else { throw .damaged(.valueDepth, at: root) }
        var elements = reader.nestedElements(root: root)
        while let run = try elements.next() {
          guard case .mixed(let nested) = run else { continue }
          try tell(nested, target: nil, row: { _ in row(i) }, depth: depth + 1, body)
        }
      case .dictionary(let root):
        guard depth < LinkWalk.depthLimit else { throw .damaged(.valueDepth, at: root) }
        let entries = try reader.entries(root: root)
        try tell(entries.values, target: nil, row: { _ in row(i) }, depth: depth + 1, body)
      default: continue
      }
    }
  }
}
