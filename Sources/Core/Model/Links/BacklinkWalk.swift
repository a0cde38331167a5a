import RealmStorage

/// Finds every backlink that a column stores (chapter 2, section 3.15).
struct BacklinkWalk {
  let reader: RealmReader

  /// Calls `body` with the row and the key of the object that links to it, once for each link.
  ///
  /// - Throws: `damaged` with rule `leaf.backlinks` or a rule of group `btree`, after the backlinks in
  ///   front of the place.
  func forEachBacklink(
    of column: BacklinkColumn, in cluster: Cluster, _ body: (Int, ObjectKey) -> Void
  ) throws(RealmFileError) {
    let nodes = reader.nodes
    let leaf = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
    guard leaf.hasRefs, !leaf.isInner, leaf.count == cluster.count else {
      throw .damaged(.leafBacklinks, at: leaf.ref)
    }
    for row in 0..<leaf.count {
      switch leaf.element(at: row) {
      case .null: continue
      case .tagged(let key): body(row, ObjectKey(Int64(key)))
      case .ref(let root):
        var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
        while let keys = try leaves.next() {
          guard keys.isIntegers else { throw .damaged(.leafBacklinks, at: keys.ref) }
          // One array of any length up to format 23: bounded by its bytes, not by a capacity.
          try Leaf.check(keys.count, rows: nil, at: keys)
          for key in keys.integers() { body(row, ObjectKey(key)) }
        }
      }
    }
  }
}
