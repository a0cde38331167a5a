package import RealmStorage

/// The objects of a table, ordered by key as unsigned number: a tree whose leaves, the clusters,
/// hold up to 256 objects each, a leaf a column (chapter 2, section 5).
struct ClusterTree {
  /// The most children of an inner node.
  private static let capacity = 256
  /// Bits of an object key that one level of a compact tree takes.
  static let shift = 8
  /// Levels above the clusters that a key of 64 bits can need.
  private static let depthLimit = 64 / shift

  /// Positions in an inner node.
  enum Slot {
    static let offsets = 0
    static let depth = 1
    static let objectCount = 2
    static let firstChild = 3
  }

  let root: Ref
  let nodes: NodeReader

  /// An inner node, checked: its depth, and where the keys of its children start.
  struct Inner {
    let node: Node
    /// Levels above the clusters, at least 1.
    let depth: Int
    /// Start of each child's keys, relative to this node; nil in compact form.
    let offsets: Node?

    var childCount: Int { node.count - Slot.firstChild }

    func offset(of child: Int) -> UInt64 {
      // Compact: depth is at most 8, children at most 256; wrapping as the key space does.
      offsets?.unsigned(at: child) ?? UInt64(child) << UInt64(ClusterTree.shift * depth)
    }

    func child(_ index: Int) throws(RealmFileError) -> Ref {
      try node.ref(at: Slot.firstChild + index)
    }
  }

  func inner(_ node: Node, below depth: Int?) throws(RealmFileError) -> Inner {
    guard node.hasRefs, node.count > Slot.firstChild else {
      throw .damaged(.clusterInner, at: node.ref)
    }
    let found = node.slotInteger(at: Slot.depth)
    // Depths shrink by one a level, so a walk ends after as many steps as the root says.
    guard found >= 1, found <= ClusterTree.depthLimit, depth.map({ found == $0 - 1 }) ?? true else {
      throw .damaged(.clusterDepth, at: node.ref)
    }
    let ref = try node.ref(at: Slot.offsets)
    let offsets = ref == 0 ? nil : try nodes.lookUp(ref)
    if let offsets {
      guard offsets.isIntegers, offsets.count == node.count - Slot.firstChild else {
        throw .damaged(.clusterOffsets, at: node.ref)
      }
    }
    return Inner(node: node, depth: found, offsets: offsets)
  }

  /// Number of objects, from the root alone.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  func objectCount() throws(RealmFileError) -> Int {
    let node = try nodes.lookUp(root)
    if node.isInner {
      guard node.hasRefs, node.count > Slot.firstChild else {
        throw .damaged(.clusterInner, at: root)
      }
      return node.slotInteger(at: Slot.objectCount)
    }
    return try Cluster(node, base: 0, nodes: nodes).count
  }

  /// Where every cluster is, in key order, and the base of its keys.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`, `storage.node-overlap` where the tree runs in
  ///   circles.
  func clusters() throws(RealmFileError) -> [ClusterPosition] {
    var positions: [ClusterPosition] = []
    try collect(root, base: 0, below: nil, into: &positions)
    return positions
  }

  private func collect(
    _ ref: Ref, base: UInt64, below depth: Int?, into positions: inout [ClusterPosition]
  ) throws(RealmFileError) {
    // What is below an inner node of depth 1 are clusters, which are opened when they are read.
    if depth == 1 {
      positions.append(ClusterPosition(ref: ref, base: base))
      return
    }
    let node = try nodes.lookUp(ref)
    guard node.isInner else {
      guard depth == nil else { throw .damaged(.clusterDepth, at: ref) }
      positions.append(ClusterPosition(ref: ref, base: base))
      return
    }
    let inner = try inner(try nodes.node(at: ref), below: depth)
    guard inner.childCount <= ClusterTree.capacity else { throw .damaged(.clusterInner, at: ref) }
    // The clusters themselves are not opened here: each needs room of its own.
    guard positions.count <= nodes.logicalSize / Cluster.leastByteCount - inner.childCount else {
      throw .damaged(.storageNodeOverlap, at: ref)
    }
    for child in 0..<inner.childCount {
      try collect(
        try inner.child(child), base: base &+ inner.offset(of: child), below: inner.depth,
        into: &positions)
    }
  }

  /// The cluster that holds the object with `key`, and its row there; nil where there is none.
  ///
  /// - Throws: as ``clusters()``.
  func find(_ key: ObjectKey) throws(RealmFileError) -> (cluster: Cluster, row: Int)? {
    var wanted = UInt64(bitPattern: key.raw)
    var base: UInt64 = 0
    var node = try nodes.lookUp(root)
    var depth: Int?
    while node.isInner {
      let inner = try inner(node, below: depth)
      let child: Int
      if let offsets = inner.offsets {
        // Children behind the wanted one start at a larger key.
        let behind = wanted == .max ? offsets.count : offsets.lowerBound(of: wanted + 1)
        guard behind > 0 else { return nil }
        child = behind - 1
      } else {
        let shift = UInt64(ClusterTree.shift * inner.depth)
        child = Int(min(shift < 64 ? wanted >> shift : 0, UInt64(inner.childCount - 1)))
      }
      let offset = inner.offset(of: child)
      // The search chose a child that does not start behind the key.
      guard offset <= wanted else { return nil }
      wanted -= offset
      base &+= offset
      node = try nodes.lookUp(try inner.child(child))
      depth = inner.depth
      if inner.depth == 1, node.isInner { throw .damaged(.clusterDepth, at: node.ref) }
    }
    let cluster = try Cluster(node, base: base, nodes: nodes)
    guard let row = cluster.row(ofRelativeKey: wanted) else { return nil }
    return (cluster, row)
  }
}

/// Where a cluster is and what its relative keys are relative to.
public struct ClusterPosition: Sendable {
  package let ref: Ref
  let base: UInt64
}
