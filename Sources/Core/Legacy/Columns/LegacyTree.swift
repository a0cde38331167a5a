import RealmModel
import RealmStorage

/// Reads the values of a tree leaf by leaf, in the order of the rows. Used by one thread. It is a class, because
/// copying it would take longer than reading a short list.
final class LegacyTree {
  private let root: Ref
  private let content: LegacyLeaf.Content
  private let isNullable: Bool
  private let nodes: NodeReader
  private var leaves: BPlusTreeLeaves
  /// True once a leaf was requested.
  private var isStarted = false
  /// The leaf that was decoded last.
  private var leaf: (values: LeafValues, rows: Range<Int>)?
  /// Keeps the values of the last leaf readable; nil while the scope is open in which they were read.
  private(set) var hold: Hold?

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
  /// - Throws: same as ``append(_:to:)``.
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
    // A new tree begins with its first leaf.
    let isFresh = !isStarted && row == 0
    if !isFresh, leaf?.rows.upperBound != row { start = try leaves.seek(to: row) }
    (hold, isStarted) = (nil, true)
    while true {
      let before = nodes.openedByteCount
      guard let node = try leaves.next() else {
        throw .damaged(
          .btreeCount, at: root, "the column ends before row \(row) of its table")
      }
      let values = try LegacyLeaf.decode(node, content, isNullable: isNullable, nodes)
      // Each part that has rows of the leaf decodes it, so its size is limited.
      guard values.count <= BPlusTreeLeaves.capacity else {
        throw .damaged(
          .btreeCapacity, at: node.ref,
          "the leaf has \(values.count) values, expected at most \(BPlusTreeLeaves.capacity)")
      }
      // Each leaf counts once, for the part in which it begins.
      if start < row { nodes.uncount(to: before) }
      let found = (values: values, rows: start..<start + values.count)
      // The offsets must be right, because other parts and look-ups find their rows by them.
      let claimed = try leaves.claimedRange() ?? found.rows
      guard claimed == found.rows else {
        throw .damaged(
          .btreeOffsets, at: node.ref,
          "the leaf has \(values.count) rows from row \(start) on, but the offsets of the tree say "
            + "\(claimed.count) from row \(claimed.lowerBound) on")
      }
      guard found.rows.contains(row) else {
        guard values.count == 0, start == row else {
          throw .damaged(
            .btreeOffsets, at: node.ref,
            "the leaf has \(values.count) rows from row \(start) on, expected row \(row) among them"
          )
        }
        continue
      }
      leaf = found
      return found
    }
  }

  /// Called when a scope ends.
  ///
  /// - Parameter hold: keeps the values readable that were read in it.
  func endScope(_ hold: Hold) { if leaf != nil, self.hold == nil { self.hold = hold } }
}
