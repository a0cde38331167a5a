public import RealmStorage

/// Walks the leaves of a B+tree in order (chapter 2, section 4): the elements of a list or set, the
/// keys or values of a dictionary, the entries of a history.
public struct BPlusTreeLeaves {
  /// Positions in an inner node: offsets or elements per child, the children, the total.
  private static let firstChild = 1
  private static let slotsBesideChildren = 2
  /// Children of an inner node (section 4.1), with its two other slots.
  private static let childLimit = 1002
  /// Levels that a tree can need: two children a level would give 2⁶⁴ leaves.
  private static let depthLimit = 64

  private let nodes: NodeReader
  /// Children of the inner nodes on the way to the next leaf, and the next one to visit. Copied, so
  /// that what was read may be released between two leaves.
  private var path: [(children: [Ref], next: Int)] = []
  private var nextRef: Ref
  /// Bytes that the walk may still open: it comes to each node once, so it is stopped where it goes in
  /// circles, also outside of a traversal.
  private var budget: Int

  /// - Parameter root: root of the tree, 0 for an empty one.
  public init(root: Ref, nodes: NodeReader) {
    self.nodes = nodes
    nextRef = root
    budget = nodes.logicalSize
  }

  /// The next leaf, or nil behind the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree`, or what opening a node throws.
  public mutating func next() throws(RealmFileError) -> Node? {
    while true {
      if nextRef == 0 {
        guard let last = path.indices.last else { return nil }
        guard path[last].next < path[last].children.count else {
          path.removeLast()
          continue
        }
        nextRef = path[last].children[path[last].next]
        path[last].next += 1
      }
      let node = try nodes.node(at: nextRef)
      budget -= node.header.nodeByteCount
      guard budget >= 0 else { throw .damaged(.storageNodeOverlap, at: nextRef) }
      nextRef = 0
      guard node.isInner else { return node }
      path.append((try children(of: node), 0))
    }
  }

  private func children(of node: Node) throws(RealmFileError) -> [Ref] {
    let end = node.count - 1
    guard node.hasRefs, end > BPlusTreeLeaves.firstChild, end <= BPlusTreeLeaves.childLimit,
      path.count < BPlusTreeLeaves.depthLimit
    else { throw .damaged(.btreeInner, at: node.ref) }
    var children: [Ref] = []
    children.reserveCapacity(end)
    for slot in BPlusTreeLeaves.firstChild..<end {
      let ref = try node.ref(at: slot)
      guard ref != 0 else { throw .damaged(.btreeChild, at: node.ref) }
      children.append(ref)
    }
    return children
  }

  /// Number of values below `root`, from the root alone.
  ///
  /// - Parameter rows: counts the rows of a leaf.
  static func count(
    root: Ref, nodes: NodeReader, rows: (Node) throws(RealmFileError) -> Int
  ) throws(RealmFileError) -> Int {
    guard root != 0 else { return 0 }
    let node = try nodes.lookUp(root)
    guard node.isInner else { return try rows(node) }
    guard node.count > slotsBesideChildren else { throw .damaged(.btreeInner, at: root) }
    return node.slotInteger(at: node.count - 1)
  }
}
