package import RealmStorage

/// Receives the inner nodes of a walk over a B+tree. Readers do not need them; checks do.
package protocol BPlusTreeVisitor {
  /// Called for an inner node, before its children.
  mutating func enter(_ inner: Node)
  /// Called for the innermost node that was entered and not left, after its children.
  mutating func leave() throws(RealmFileError)
}

/// The visitor of a walk that only reads: it ignores what it receives, and stops at damage.
struct NoVisitor: BPlusTreeVisitor {
  @inline(__always) package mutating func enter(_ inner: Node) {}
  @inline(__always) package mutating func leave() {}
}

/// Walks the leaves of a B+tree in order (chapter 2, section 4). Such a tree holds the elements of a list or set,
/// the keys or values of a dictionary, the backlinks of an object, or the entries of a history.
///
/// After an error the caller can stop, or skip the damage by another call of ``next()``, which continues after
/// the unreadable node.
@usableFromInline
package struct BPlusTreeLeaves {
  /// Maximum number of children of an inner node, and of values in a leaf (section 4.1).
  @inlinable package static var capacity: Int { Leaf.capacity }
  /// Positions in an inner node, which has the offsets or the number of values per child, the children, and the
  /// total.
  private static let firstChild = 1
  private static let slotsBesideChildren = 2
  /// Maximum number of levels of a tree: with two children per level, 64 levels have 2⁶⁴ leaves.
  package static let depthLimit = 64
  /// Maximum number of levels of a column of formats 2 to 9. The smallest nodes that the library can be built for
  /// have four children; 16 levels of them have more leaves than any file of its time.
  package static let legacyDepthLimit = 16

  private let nodes: NodeReader
  private let root: Ref
  private let depthLimit: Int
  /// The inner nodes on the path to the next leaf: their children, and the next child to visit. The children
  /// are copies, so that nodes may be released between two leaves.
  private var path: [(inner: Ref, children: [Ref], next: Int)] = []
  private var nextRef: Ref

  /// - Parameters:
  ///   - root: root of the tree, 0 for an empty one.
  ///   - depthLimit: maximum number of inner nodes above a leaf; a tree with more is damaged.
  package init(root: Ref, nodes: NodeReader, depthLimit: Int = BPlusTreeLeaves.depthLimit) {
    (self.nodes, self.root, self.depthLimit) = (nodes, root, depthLimit)
    nextRef = root
  }

  /// Number of inner nodes above the last leaf.
  var depth: Int { path.count }

  /// The next leaf, or nil after the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree`; the errors of opening a node.
  package mutating func next() throws(RealmFileError) -> Node? {
    var visitor = NoVisitor()
    return try next(&visitor)
  }

  /// The next leaf. `visitor` receives the inner nodes on the way.
  @inline(__always)
  package mutating func next(
    _ visitor: inout some BPlusTreeVisitor
  ) throws(RealmFileError) -> Node? {
    while true {
      if nextRef == 0 {
        guard let last = path.indices.last else { return nil }
        guard path[last].next < path[last].children.count else {
          path.removeLast()
          try visitor.leave()
          continue
        }
        nextRef = path[last].children[path[last].next]
        path[last].next += 1
      }
      let ref = nextRef
      nextRef = 0
      let node = try nodes.node(at: ref)
      guard node.isInner else { return node }
      path.append((ref, try children(of: node), 0))
      visitor.enter(node)
    }
  }

  /// Goes to the leaf with the value at position `target`, which ``next()`` then returns. The inner nodes on the
  /// way are not counted.
  ///
  /// - Parameter target: a position in the tree, at least 0.
  /// - Returns: the position of the first value of the leaf according to the offsets of the inner nodes.
  /// - Throws: `damaged` with a rule of group `btree`; the errors of opening a node.
  package mutating func seek(to target: Int) throws(RealmFileError) -> Int {
    path = []
    var start = 0
    var ref = root
    while ref != 0 {
      let node = try nodes.lookUp(ref)
      guard node.isInner else { break }
      let children = try children(of: node)
      let (child, offset) = try BPlusTreeOffsets(of: node, children.count, nodes)
        .child(with: target - start)
      path.append((ref, children, child + 1))
      start += offset
      ref = children[child]
    }
    nextRef = ref
    return start
  }

  /// The positions of the values in the leaf returned last, according to the offsets and the total of the inner
  /// nodes above it; nil for a leaf that is the whole tree. The nodes that this opens are not counted.
  ///
  /// - Throws: `damaged` with rule `btree.offsets`; the errors of opening a node.
  package func claimedRange() throws(RealmFileError) -> Range<Int>? {
    guard let top = path.first else { return nil }
    let total = try nodes.lookUp(top.inner)
    var (start, end) = (0, total.slotInteger(at: total.count - 1))
    for level in path {
      let offsets = try BPlusTreeOffsets(
        of: try nodes.lookUp(level.inner), level.children.count, nodes)
      if level.next < level.children.count { end = start + (try offsets.start(of: level.next)) }
      start += try offsets.start(of: level.next - 1)
    }
    guard start <= end else {
      throw .damaged(
        .btreeOffsets, at: path[path.count - 1].inner,
        "a leaf starts at value \(start), but ends at value \(end)")
    }
    return start..<end
  }

  /// Finds the leaf with the value at position `target`. Reads one child of each inner node, without counting
  /// the nodes.
  ///
  /// - Parameters:
  ///   - target: a position in the tree, at least 0.
  ///   - depthLimit: as in ``init(root:nodes:depthLimit:)``.
  /// - Returns: the leaf, and the position of its first value according to the offsets of the inner nodes; nil for
  ///   an empty tree.
  /// - Throws: `damaged` with a rule of group `btree`; the errors of opening a node.
  package static func leaf(
    with target: Int, root: Ref, nodes: NodeReader, depthLimit: Int
  ) throws(RealmFileError) -> (node: Node, start: Int)? {
    guard root != 0 else { return nil }
    var node = try nodes.lookUp(root)
    var (start, depth) = (0, 0)
    while node.isInner {
      try check(node, depth: depth, depthLimit)
      depth += 1
      let (child, offset) = try BPlusTreeOffsets(of: node, childCount(of: node), nodes)
        .child(with: target - start)
      start += offset
      node = try nodes.lookUp(try BPlusTreeLeaves.child(child, of: node))
    }
    return (node, start)
  }

  private static func childCount(of node: Node) -> Int { node.count - slotsBesideChildren }

  private static func check(
    _ node: Node, depth: Int, _ depthLimit: Int
  ) throws(RealmFileError) {
    let childCount = childCount(of: node)
    guard node.hasRefs, childCount >= 1, childCount <= capacity else {
      throw .damaged(
        .btreeInner, at: node.ref,
        "the node has \(max(0, childCount)) children, expected 1 to \(capacity)")
    }
    guard depth < depthLimit else {
      throw .damaged(.btreeInner, at: node.ref, "the tree has more than \(depthLimit) levels")
    }
  }

  private static func child(_ i: Int, of node: Node) throws(RealmFileError) -> Ref {
    let ref = try node.ref(at: firstChild + i)
    guard ref != 0 else { throw .damaged(.btreeChild, at: node.ref, "child \(i) is missing") }
    return ref
  }

  private func children(of node: Node) throws(RealmFileError) -> [Ref] {
    try BPlusTreeLeaves.check(node, depth: path.count, depthLimit)
    return try BPlusTreeLeaves.allChildren(of: node)
  }

  private static func allChildren(of node: Node) throws(RealmFileError) -> [Ref] {
    let childCount = BPlusTreeLeaves.childCount(of: node)
    var children: [Ref] = []
    children.reserveCapacity(childCount)
    for i in 0..<childCount { children.append(try BPlusTreeLeaves.child(i, of: node)) }
    return children
  }

  /// The children of an inner node.
  ///
  /// - Throws: `damaged` with rule `btree.inner` or `btree.child`.
  package static func children(of node: Node) throws(RealmFileError) -> [Ref] {
    try check(node, depth: 0, depthLimit)
    return try allChildren(of: node)
  }

  /// Where the values below each child of an inner node start, counted from the first value below the node. The nodes
  /// that this opens are not counted.
  ///
  /// - Throws: `damaged` with rule `btree.offsets`; the errors of opening a node.
  package static func starts(
    of node: Node, _ childCount: Int, _ nodes: NodeReader
  ) throws(RealmFileError) -> [Int] {
    let offsets = try BPlusTreeOffsets(of: node, childCount, nodes)
    var starts: [Int] = []
    starts.reserveCapacity(childCount)
    for child in 0..<childCount { starts.append(try offsets.start(of: child)) }
    return starts
  }

  /// Number of values below `root`, read from the root alone.
  ///
  /// - Parameter rows: returns the number of rows of a leaf.
  package static func count(
    root: Ref, nodes: NodeReader, rows: (Node) throws(RealmFileError) -> Int
  ) throws(RealmFileError) -> Int {
    guard root != 0 else { return 0 }
    let node = try nodes.lookUp(root)
    guard node.isInner else { return try rows(node) }
    guard node.count > slotsBesideChildren else {
      throw .damaged(
        .btreeInner, at: root,
        "the node has \(node.form), expected at least \(slotsBesideChildren + 1)")
    }
    return node.slotInteger(at: node.count - 1)
  }
}
