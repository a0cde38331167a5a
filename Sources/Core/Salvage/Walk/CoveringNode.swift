import RealmStorage

/// Finds the node around each of some places in ascending order: every part of the file is searched once, and the values of
/// every node are read once, however many places it covers.
struct CoveringNode {
  /// Where the search goes on, in units.
  private var searched = 0
  /// The unit in which the last node before it begins.
  private var start: Int?
  /// The last node whose values were read, and whether they are other ones than zeros.
  private var read: (ref: Ref, hasOthers: Bool)?

  /// The node of a walk that `place` is in, unless it begins there.
  ///
  /// - Parameter place: byte offset, not before that of the last call.
  /// - Throws: errors that are not damage.
  mutating func find(_ place: Int, in walk: DamageWalk) throws(RealmFileError) -> Node? {
    let unit = place / DamageWalk.unitByteCount
    start = walk.starts.last(in: min(searched, unit)..<unit) ?? start
    searched = unit
    guard let start, let node = try undamaged(walk.nodes.lookUp(start * DamageWalk.unitByteCount))
    else { return nil }
    return node.extent.upperBound > place ? node : nil
  }

  /// Whether a node has other values than zeros.
  ///
  /// - Throws: errors that are not damage.
  mutating func hasValues(_ node: Node, in walk: DamageWalk) throws(RealmFileError) -> Bool {
    if let read, read.ref == node.ref { return read.hasOthers }
    let values = node.ref + NodeHeader.byteCount..<node.extent.upperBound
    let hasOthers = try walk.differsFromZero(values)
    read = (node.ref, hasOthers)
    return hasOthers
  }
}
