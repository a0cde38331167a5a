import RealmModel
import RealmStorage

/// Reads the values of one tree in the order of the rows, leaf by leaf. Used by one thread. A class, because
/// copying all of this would take longer than reading a short list.
final class LegacyTree {
  private let root: Ref
  private let content: LegacyLeaf.Content
  private let isNullable: Bool
  private let nodes: NodeReader
  private var leaves: BPlusTreeLeaves
  /// True as soon as a leaf was asked for.
  private var isStarted = false
  /// The leaf that was decoded last.
  private var leaf: (values: LeafValues, rows: Range<Int>)?
  /// Keeps the values of ``leaf`` readable; nil while the scope is open in which they were read.
  private var owner: Hold?

  init(root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool, _ nodes: NodeReader) {
    (self.root, self.content, self.isNullable) = (root, content, isNullable)
    self.nodes = nodes
    leaves = BPlusTreeLeaves(
      root: root, nodes: nodes, depthLimit: BPlusTreeLeaves.legacyDepthLimit)
  }

  /// Appends the values in `rows` to `builder`.
  ///
  /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
  func append(
    _ rows: Range<Int>, to builder: inout ColumnBuilder
  ) throws(RealmFileError) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      let (values, found) = try leaf(with: row)
      let end = min(found.upperBound, rows.upperBound)
      builder.append(values, rows: row - found.lowerBound..<end - found.lowerBound)
      row = end
    }
  }

  /// The values in `rows`.
  ///
  /// - Throws: as ``append(_:to:)``.
  func values(_ rows: Range<Int>) throws(RealmFileError) -> LeafValues {
    guard !rows.isEmpty else { return content.noValues }
    let (values, found) = try leaf(with: rows.lowerBound)
    if found == rows { return values }
    var builder = ColumnBuilder(of: values)
    try append(rows, to: &builder)
    return builder.batch
  }

  /// The leaf with `row`, decoded.
  private func leaf(
    with row: Int
  ) throws(RealmFileError) -> (values: LeafValues, rows: Range<Int>) {
    if let leaf, leaf.rows.contains(row) { return leaf }
    var start = row
    // Nothing was read yet: the first leaf comes next.
    let isFresh = !isStarted && row == 0
    if !isFresh, leaf?.rows.upperBound != row { start = try leaves.seek(to: row) }
    (owner, isStarted) = (nil, true)
    while true {
      let before = nodes.openedByteCount
      guard let node = try leaves.next() else {
        throw .damaged(
          .btreeCount, at: root, "the column ends before row \(row), which its table has")
      }
      let values = try LegacyLeaf.decode(node, content, isNullable: isNullable, nodes)
      // A larger leaf would be decoded again by each part that it has rows of.
      guard values.count <= BPlusTreeLeaves.capacity else {
        throw .damaged(
          .btreeCapacity, at: node.ref,
          "the leaf has \(values.count) values; the most is \(BPlusTreeLeaves.capacity)")
      }
      // A part counts the leaves that begin in it: each leaf counts once.
      if start < row { nodes.uncount(to: before) }
      let found = (values: values, rows: start..<start + values.count)
      // Other parts and look-ups find their rows by the offsets.
      guard try leaves.claimedRange() ?? found.rows == found.rows else {
        throw .damaged(
          .btreeOffsets, at: node.ref,
          "the leaf starts at row \(start) and has \(values.count) rows; the offsets and totals of the "
            + "tree say otherwise")
      }
      guard found.rows.contains(row) else {
        guard values.count == 0, start == row else {
          throw .damaged(
            .btreeOffsets, at: node.ref,
            "the leaf has rows \(start) to \(start + values.count - 1), expected row \(row) in it")
        }
        continue
      }
      leaf = found
      return found
    }
  }

  /// What keeps the leaf readable that the next rows may come from.
  var hold: Hold? { owner }

  /// Called when a scope ends, with what keeps the values that were read in it.
  func endScope(_ hold: Hold) { if leaf != nil, owner == nil { owner = hold } }
}
