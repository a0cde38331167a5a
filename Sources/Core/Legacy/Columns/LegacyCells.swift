package import RealmModel
package import RealmStorage

/// Looks up single values in a tree. It can open the same node again and again, so it does not count nodes.
package struct LegacyCells {
  private let content: LegacyLeaf.Content
  private let isNullable: Bool
  private let root: Ref
  private let nodes: NodeReader
  /// The leaf that was used last, and its rows.
  private var leaf: (node: Node, rows: Range<Int>)?

  init(root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool, _ nodes: NodeReader) {
    (self.content, self.isNullable) = (content, isNullable)
    (self.root, self.nodes) = (root, nodes)
  }

  /// Cells of a column of integers or strings.
  ///
  /// - Throws: `damaged` if the distinct strings of an enumerated column cannot be read.
  package init(
    _ column: LegacyColumn, root: Ref, _ reader: LegacyReader
  ) throws(RealmFileError) {
    let content: LegacyLeaf.Content =
      switch column.kind {
      case .enumerated(let strings):
        .enumerated(try reader.strings(at: strings, isNullable: column.isNullable))
      case .values(let content, _): content
      default: .ints
      }
    self.init(root: root, content, isNullable: column.isNullable, reader.nodes)
  }

  /// Called when a scope ends, after which the nodes read in it are unreadable.
  package mutating func forgetLeaf() { leaf = nil }

  /// The value in `row`.
  ///
  /// - Throws: `damaged`, also if there is no such row.
  package mutating func value(at row: Int) throws(RealmFileError) -> MixedValue {
    if let leaf, leaf.rows.contains(row) { return try value(leaf, row) }
    let place = try BPlusTreeLeaves.leaf(
      with: row, root: root, nodes: nodes, depthLimit: BPlusTreeLeaves.legacyDepthLimit)
    guard let (node, start) = place else { throw noRow(row) }
    let count = try LegacyLeaf.count(node, content, isNullable: isNullable, nodes)
    let (end, overflows) = start.addingReportingOverflow(count)
    guard !overflows, row < end else { throw noRow(row) }
    let found = (node: node, rows: start..<end)
    leaf = found
    return try value(found, row)
  }

  private func value(
    _ leaf: (node: Node, rows: Range<Int>), _ row: Int
  ) throws(RealmFileError) -> MixedValue {
    try LegacyLeaf.value(
      leaf.node, content, row: row - leaf.rows.lowerBound, isNullable: isNullable, nodes)
  }

  private func noRow(_ row: Int) -> RealmFileError {
    .damaged(.leafRows, at: root, "the column has no row \(row)")
  }
}
