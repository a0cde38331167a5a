import RealmStorage

/// The roots of collections (chapter 2, section 6.1): a ref an object, 0 for an empty collection.
struct CollectionRootsLeaf {
  let node: Node

  /// - Throws: `damaged` with rule `leaf.collection`.
  init(_ node: Node) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner else {
      throw .damaged(
        .leafCollection, at: node.ref,
        "the leaf has \(node.form); a ref or 0 for each object is expected")
    }
    self.node = node
  }

  /// - Throws: `damaged` with rule `leaf.collection`, or `node.ref` for an element that is none.
  func values(rows: Int) throws(RealmFileError) -> [Ref] {
    guard node.count == rows else {
      throw .damaged(
        .leafCollection, at: node.ref, "the leaf has \(node.count) rows for \(rows) objects")
    }
    var roots: [Ref] = []
    roots.reserveCapacity(rows)
    for row in 0..<rows { roots.append(try node.ref(at: row)) }
    return roots
  }
}

/// The objects that link to those of a cluster (chapter 2, section 3.15): an element an object. It is 0
/// for none, the tagged key of one, or a ref to a B+tree of the keys of several.
struct BacklinkLeaf {
  let node: Node

  /// - Throws: `damaged` with rule `leaf.backlinks`, or `leaf.rows` where there is not an element for
  ///   each of `rows` objects.
  init(_ node: Node, rows: Int) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner else {
      throw .damaged(
        .leafBacklinks, at: node.ref,
        "the leaf has \(node.form); a ref, a tagged key or 0 for each object is expected")
    }
    guard node.count == rows else { throw Leaf.rowsError(node.count, rows: rows, at: node) }
    self.node = node
  }

  /// The element of one backlink: an object key is never negative.
  static func element(_ key: ObjectKey) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: key.raw) << 1 | 1)
  }

  /// The keys in a leaf of the B+tree of one object. Up to format 23 such a tree is one leaf of any
  /// size: bounded by its bytes, not by a capacity.
  ///
  /// - Throws: `damaged` with rule `leaf.backlinks` or `leaf.capacity`.
  static func keys(_ leaf: Node) throws(RealmFileError) -> [Int64] {
    guard leaf.isIntegers else {
      throw .damaged(
        .leafBacklinks, at: leaf.ref,
        "a list of backlinks has \(leaf.form); packed object keys are expected")
    }
    try Leaf.check(leaf.count, rows: nil, at: leaf)
    return leaf.integers()
  }
}
