package import RealmStorage

/// The roots of collections (chapter 2, section 6.1): one ref per object, 0 for an empty collection.
package struct CollectionRootsLeaf {
  package let node: Node

  /// - Throws: `damaged` with rule `leaf.collection`.
  package init(_ node: Node) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner else {
      throw .damaged(
        .leafCollection, at: node.ref,
        "the leaf has \(node.form), expected a ref or 0 for each object")
    }
    self.node = node
  }

  /// - Throws: `damaged` with rule `leaf.collection`; with rule `node.ref` for an element that is not a
  ///   ref.
  package func values(rows: Int) throws(RealmFileError) -> [Ref] {
    guard node.count == rows else {
      throw .damaged(
        .leafCollection, at: node.ref,
        "the leaf has \(node.count) rows, but the cluster has \(rows) objects")
    }
    var roots: [Ref] = []
    roots.reserveCapacity(rows)
    for row in 0..<rows { roots.append(try node.ref(at: row)) }
    return roots
  }
}

/// The backlinks of the objects of a cluster (chapter 2, section 3.15), one element per object: 0 for no
/// backlink, a tagged object key for one, a ref to a B+tree of object keys for several.
package struct BacklinkLeaf {
  package let node: Node

  /// - Throws: `damaged` with rule `leaf.backlinks`; with rule `leaf.rows` if the number of elements is
  ///   not `rows`.
  package init(_ node: Node, rows: Int) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner else {
      throw .damaged(
        .leafBacklinks, at: node.ref,
        "the leaf has \(node.form), expected a ref, a tagged key or 0 for each object")
    }
    guard node.count == rows else { throw Leaf.rowsError(node.count, rows: rows, at: node) }
    self.node = node
  }

  /// The element for a single backlink. The key of an object is never negative.
  package static func element(_ key: ObjectKey) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: key.raw) << 1 | 1)
  }

  /// The keys in a leaf of an object's B+tree of backlinks. Up to format 23, such a tree is one leaf of any
  /// size, limited only by the bytes of the node.
  ///
  /// - Throws: `damaged` with rule `leaf.backlinks` or `leaf.capacity`.
  package static func keys(_ leaf: Node) throws(RealmFileError) -> [Int64] {
    guard leaf.isIntegers else {
      throw .damaged(
        .leafBacklinks, at: leaf.ref,
        "the list of backlinks has \(leaf.form), expected packed object keys")
    }
    try Leaf.check(leaf.count, rows: nil, at: leaf)
    return leaf.integers()
  }
}
