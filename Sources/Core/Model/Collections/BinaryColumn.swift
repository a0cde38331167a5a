package import RealmStorage

/// Reads the values of a B+tree of binaries run by run. Histories store their changesets in such trees
/// (chapter 4, sections 1.4 and 2.1).
package struct BinaryColumn {
  private var leaves: BPlusTreeLeaves
  private let nodes: NodeReader

  /// - Parameter root: root of the tree, 0 for an empty one.
  package init(root: Ref, nodes: NodeReader) {
    leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    self.nodes = nodes
  }

  /// The next run, or nil after the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
  package mutating func next() throws(RealmFileError) -> SliceColumn? {
    guard let leaf = try leaves.next() else { return nil }
    return try StringLeaf(binaries: leaf, nodes).values(rows: nil)
  }

  /// Number of values, read from the root alone.
  package static func count(root: Ref, nodes: NodeReader) throws(RealmFileError) -> Int {
    try BPlusTreeLeaves.count(root: root, nodes: nodes) { leaf throws(RealmFileError) in
      try StringLeaf(binaries: leaf, nodes, isLookUp: true).count
    }
  }
}
