public import RealmStorage

/// Receives the inner nodes of a walk over a B+tree. Readers do not need them; checks do.
package protocol BPlusTreeVisitor {
  /// Called for an inner node, before its children.
  mutating func enter(_ inner: Node)
  /// Called for the innermost node that was entered and not left, after its children.
  mutating func leave() throws(RealmFileError)
}

/// Ignores the inner nodes.
struct NoVisitor: BPlusTreeVisitor {
  @inline(__always) package mutating func enter(_ inner: Node) {}
  @inline(__always) package mutating func leave() {}
}

/// Walks the leaves of a B+tree in order (chapter 2, section 4): the elements of a list or set, the keys
/// or values of a dictionary, the backlinks of an object, or the entries of a history.
///
/// After an error the caller can stop, or skip the damage: ``next()`` then continues after the node that
/// cannot be read.
public struct BPlusTreeLeaves {
  /// The most children of an inner node, and the most values of a leaf (section 4.1).
  package static let capacity = Leaf.capacity
  /// Positions in an inner node: offsets or elements per child, the children, the total.
  private static let firstChild = 1
  private static let slotsBesideChildren = 2
  /// The most levels of a tree: with two children per level, 64 levels have 2⁶⁴ leaves.
  private static let depthLimit = 64

  private let nodes: NodeReader
  private let root: Ref
  /// The inner nodes on the path to the next leaf: their children, and the next child to visit. Copied,
  /// so that nodes may be released between two leaves.
  private var path: [(children: [Ref], next: Int)] = []
  private var nextRef: Ref

  /// - Parameter root: root of the tree, 0 for an empty one.
  public init(root: Ref, nodes: NodeReader) {
    (self.nodes, self.root) = (nodes, root)
    nextRef = root
  }

  /// The leaf that ``seek(to:)`` found; nil for an empty tree.
  package var nextLeaf: Ref? { nextRef == 0 ? nil : nextRef }

  /// Number of inner nodes above the last leaf.
  var depth: Int { path.count }

  /// The next leaf, or nil after the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree`; the errors of opening a node.
  public mutating func next() throws(RealmFileError) -> Node? {
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
      path.append((try children(of: node), 0))
      visitor.enter(node)
    }
  }

  /// Goes to the leaf with the value at position `target`, which ``next()`` then returns. Does not count the
  /// inner nodes on the way.
  ///
  /// - Parameter target: a position in the tree, at least 0.
  /// - Returns: the position of the first value of this leaf, by the offsets of the inner nodes.
  /// - Throws: `damaged` with a rule of group `btree`; the errors of opening a node.
  package mutating func seek(to target: Int) throws(RealmFileError) -> Int {
    path = []
    var start = 0
    var ref = root
    while ref != 0 {
      let node = try nodes.lookUp(ref)
      guard node.isInner else { break }
      let children = try children(of: node)
      let (child, offset) = try position(of: target - start, in: node, children.count)
      path.append((children, child + 1))
      start += offset
      ref = children[child]
    }
    nextRef = ref
    return start
  }

  /// The child of an inner node with the value at position `target`, and the position of its first value.
  private func position(
    of target: Int, in node: Node, _ childCount: Int
  ) throws(RealmFileError) -> (child: Int, offset: Int) {
    switch node.element(at: 0) {
    case .tagged(let each):
      guard each > 0 else {
        throw .damaged(.btreeOffsets, at: node.ref, "the node says 0 values for each child")
      }
      // Less than `target`, so it does not overflow.
      let child = min(target / each, childCount - 1)
      return (child, child * each)
    case .ref(let ref):
      let offsets = try nodes.lookUp(ref)
      guard offsets.isIntegers, offsets.count == childCount - 1 else {
        throw .damaged(
          .btreeOffsets, at: ref, "\(offsets.form) as offsets of \(childCount) children")
      }
      // The offset of a child is the last one that is not greater than the target.
      let child = offsets.lowerBound(of: UInt64(target) + 1)
      guard child > 0 else { return (0, 0) }
      let offset = offsets.unsigned(at: child - 1)
      guard offset <= UInt64(target) else {
        throw .damaged(.btreeOffsets, at: ref, "the offsets do not ascend")
      }
      return (child, Int(offset))
    case .null:
      throw .damaged(.btreeOffsets, at: node.ref, "the node has no offsets of its children")
    }
  }

  private func children(of node: Node) throws(RealmFileError) -> [Ref] {
    let childCount = node.count - BPlusTreeLeaves.slotsBesideChildren
    guard node.hasRefs, childCount >= 1, childCount <= BPlusTreeLeaves.capacity else {
      throw .damaged(
        .btreeInner, at: node.ref,
        "the node has \(max(0, childCount)) children; 1 to \(BPlusTreeLeaves.capacity) are allowed")
    }
    guard path.count < BPlusTreeLeaves.depthLimit else {
      throw .damaged(
        .btreeInner, at: node.ref, "the tree has more than \(BPlusTreeLeaves.depthLimit) levels")
    }
    var children: [Ref] = []
    children.reserveCapacity(childCount)
    for i in 0..<childCount {
      let ref = try node.ref(at: BPlusTreeLeaves.firstChild + i)
      guard ref != 0 else { throw .damaged(.btreeChild, at: node.ref, "child \(i) is missing") }
      children.append(ref)
    }
    return children
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
      throw .damaged(.btreeInner, at: root, "the node has \(node.form), so no children")
    }
    return node.slotInteger(at: node.count - 1)
  }
}
