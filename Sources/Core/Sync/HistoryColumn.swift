import RealmModel
import RealmStorage

/// A column of a history: integers, one an entry. Read a leaf at a time: a thousand zeros take eight bytes,
/// so a file can have far more of them than memory.
struct HistoryColumn {
  /// Values of a leaf, unless it is one leaf of more bytes.
  private static let leafCapacity = 1000

  private var leaves: BPlusTreeLeaves
  private var values: [Int64] = []
  private var position = 0

  init(root: Ref, nodes: NodeReader) { leaves = BPlusTreeLeaves(root: root, nodes: nodes) }

  private mutating func nextLeaf() throws(RealmFileError) -> Node? {
    guard let leaf = try leaves.next() else { return nil }
    guard leaf.isIntegers, leaf.count <= max(HistoryColumn.leafCapacity, leaf.header.nodeByteCount)
    else {
      throw .damaged(
        .historyColumn, at: leaf.ref, "a column has \(leaf.form); packed integers are expected")
    }
    return leaf
  }

  /// The next value, or nil behind the last one.
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

  /// All values that ``next()`` has not returned.
  ///
  /// - Parameter limit: the most that there may be.
  mutating func rest(limit: Int) throws(RealmFileError) -> [Int64] {
    var rest = Array(values[position...])
    while let leaf = try nextLeaf() {
      guard leaf.count <= limit - rest.count else {
        throw .damaged(.historyColumn, at: leaf.ref, "a column has more than \(limit) values")
      }
      rest += leaf.integers()
    }
    return rest
  }

  /// Number of values that ``next()`` has not returned.
  mutating func countRest() throws(RealmFileError) -> Int {
    var count = values.count - position
    while let leaf = try nextLeaf() { count += leaf.count }
    return count
  }
}
