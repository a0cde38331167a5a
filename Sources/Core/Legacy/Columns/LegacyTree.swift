import RealmModel
import RealmStorage

/// Reads the values of a tree leaf by leaf, in the order of the rows. Used by one thread. It is a class, because
/// copying it would take longer than reading a short list.
final class LegacyTree {
  private let root: Ref
  private let content: LegacyLeaf.Content
  private let isNullable: Bool
  private let nodes: NodeReader
  /// What a damaged realm cannot have; nil for any other realm.
  private let doubts: LegacyDoubts?
  /// Position of the table that links refer to.
  private let target: Int?
  /// The leaves of a column of a damaged realm; nil for a tree that is read as a whole or not at all.
  private let map: LegacyLeafMap?
  private var leaves: BPlusTreeLeaves
  /// True once a leaf was requested.
  private var isStarted = false
  /// The leaf that was decoded last.
  private var leaf: (values: LeafValues, rows: Range<Int>)?
  /// Why rows of the last leaf cannot be read, counted from its first one.
  private var failures: [Int: RealmFileError] = [:]
  /// Keeps the values of the last leaf readable; nil while the scope is open in which they were read.
  private(set) var hold: Hold?

  init(
    root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool, _ reader: LegacyReader,
    target: Int? = nil, map: LegacyLeafMap? = nil
  ) {
    (self.root, self.content, self.isNullable) = (root, content, isNullable)
    (nodes, doubts, self.target, self.map) = (reader.nodes, reader.doubts, target, map)
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

  /// The values in `rows`, with nulls in place of those that cannot be read.
  ///
  /// - Parameter skip: receives the position in `rows` of each of them, and the reason.
  /// - Throws: same as ``append(_:to:)`` if the tree is read as a whole; otherwise only errors that are not damage, and
  ///   those of `skip`.
  func values(
    _ rows: Range<Int>, skip: (Int, RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> LeafValues {
    guard let map else { return try values(rows) }
    var builder = ColumnBuilder(of: content.noValues)
    var row = rows.lowerBound
    while row < rows.upperBound {
      let (end, failure) = try place(of: row, map)
      let found = row..<min(end, rows.upperBound)
      if let failure {
        for row in found {
          try skip(row - rows.lowerBound, failure)
          builder.appendNull()
        }
      } else if let leaf {
        let start = leaf.rows.lowerBound
        builder.append(leaf.values, rows: found.lowerBound - start..<found.upperBound - start)
        for row in found {
          if let failure = failures[row - start] { try skip(row - rows.lowerBound, failure) }
        }
      }
      row = found.upperBound
    }
    return builder.batch
  }

  /// Goes to the leaf with `row`.
  ///
  /// - Returns: the end of the rows in the leaf, or the end of those that are lost and why.
  private func place(
    of row: Int, _ map: LegacyLeafMap
  ) throws(RealmFileError) -> (end: Int, RealmFileError?) {
    if let leaf, leaf.rows.contains(row) { return (leaf.rows.upperBound, nil) }
    guard let place = map.leaf(with: row) else {
      return (map.nextRow(after: row) ?? .max, map.failure(of: row))
    }
    hold = nil
    do throws(RealmFileError) {
      let node = try nodes.lookUp(place.ref)
      let (values, failures) = try readable(node)
      guard values.count == place.rows.count else {
        throw .damaged(.leafRows, at: node.ref, "the leaf has \(values.count) rows")
      }
      (leaf, self.failures) = ((values, place.rows), failures)
      return (place.rows.upperBound, nil)
    } catch {
      guard error.isDamage else { throw error }
      return (place.rows.upperBound, error)
    }
  }

  /// The values of a leaf; if long values cannot be read, without these.
  private func readable(
    _ node: Node
  ) throws(RealmFileError) -> (LeafValues, [Int: RealmFileError]) {
    switch content {
    case .strings, .binaries:
      guard node.hasRefs, node.hasContext else { break }
      return try LegacyLeaf.readable(node, content, isNullable: isNullable, nodes) {
        (string, ref) throws(RealmFileError) in
        try doubts?.check(long: string, at: ref, nodes)
      }
    default: break
    }
    return (try decoded(node), [:])
  }

  /// The values of a leaf, all of which can be those of its type.
  private func decoded(_ node: Node) throws(RealmFileError) -> LeafValues {
    let values = try LegacyLeaf.decode(node, content, isNullable: isNullable, nodes)
    try doubts?.check(
      values, of: node, content, isNullable: isNullable, target: target, nodes)
    return values
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
      let values = try decoded(node)
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

  /// Whether the realm is damaged.
  var isDoubted: Bool { doubts != nil }

  /// The leaf that was decoded last; the root if it is unknown.
  var leafRef: Ref {
    guard let leaf, let place = map?.leaf(with: leaf.rows.lowerBound) else { return root }
    return place.ref
  }

  /// Called when a scope ends.
  ///
  /// - Parameter hold: keeps the values readable that were read in it.
  func endScope(_ hold: Hold) { if leaf != nil, self.hold == nil { self.hold = hold } }
}
