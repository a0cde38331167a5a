import RealmModel
package import RealmStorage

/// Reads a column of a history, which has one integer per entry. It reads leaf by leaf, because a file can hold more
/// entries than fit in memory: a thousand zeros take eight bytes.
package struct HistoryColumn {
  /// Number of values in a full leaf. Only a single leaf may have more, at most one per byte.
  private static let leafCapacity = 1000

  private var leaves: BPlusTreeLeaves
  private var values: [Int64] = []
  private var position = 0

  package init(root: Ref, nodes: NodeReader) { leaves = BPlusTreeLeaves(root: root, nodes: nodes) }

  private mutating func nextLeaf() throws(RealmFileError) -> Node? {
    guard let leaf = try leaves.next() else { return nil }
    guard leaf.isIntegers, leaf.count <= max(HistoryColumn.leafCapacity, leaf.header.nodeByteCount)
    else {
      throw .damaged(
        .historyColumn, at: leaf.ref,
        "a column has \(leaf.form), expected integers, at most \(HistoryColumn.leafCapacity) in a leaf of few bytes"
      )
    }
    return leaf
  }

  /// The next value; nil after the last one.
  ///
  /// - Throws: `damaged` with rule `history.column` or a rule of group `btree`.
  mutating func next() throws(RealmFileError) -> Int64? {
    while position == values.count {
      guard let leaf = try nextLeaf() else { return nil }
      (values, position) = (leaf.integers(), 0)
    }
    defer { position += 1 }
    return values[position]
  }

  /// All values that ``next()`` has not returned yet.
  ///
  /// - Parameter limit: maximum number of values.
  /// - Throws: same as ``next()``; `damaged` with rule `history.column` if there are more than `limit`.
  package mutating func rest(limit: Int) throws(RealmFileError) -> [Int64] {
    var rest = Array(values[position...])
    while let leaf = try nextLeaf() {
      guard leaf.count <= limit - rest.count else {
        throw .damaged(.historyColumn, at: leaf.ref, "a column has more than \(limit) values")
      }
      rest += leaf.integers()
    }
    return rest
  }

  /// The number of values that ``next()`` has not returned yet.
  mutating func countRest() throws(RealmFileError) -> Int {
    var count = values.count - position
    while let leaf = try nextLeaf() { count += leaf.count }
    return count
  }
}
