package import RealmStorage

/// The tree of a table's clusters, sorted by object key as an unsigned number (chapter 2, section 5).
package struct ClusterTree {
  /// Maximum number of children of an inner node.
  package static let capacity = 256
  /// Number of bits of an object key that each level of a compact tree covers.
  package static let shift = 8
  /// Maximum number of levels above the clusters for keys of 64 bits.
  package static let depthLimit = 64 / shift

  /// Positions in an inner node.
  package enum Slot {
    static let offsets = 0
    static let depth = 1
    package static let objectCount = 2
    static let firstChild = 3
  }

  package let root: Ref
  package let nodes: NodeReader

  package init(root: Ref, nodes: NodeReader) { (self.root, self.nodes) = (root, nodes) }

  /// A checked inner node: its depth, and the start of the keys of its children.
  package struct Inner {
    package let node: Node
    /// Number of levels above the clusters, at least 1.
    let depth: Int
    /// Start of the keys of each child, relative to this node; nil in compact form.
    package let offsets: Node?

    package var childCount: Int { node.count - Slot.firstChild }

    func offset(of child: Int) -> UInt64 {
      // Compact form: depth is at most 8, children at most 256. The shift wraps like the key space.
      offsets?.unsigned(at: child) ?? UInt64(child) << UInt64(ClusterTree.shift * depth)
    }

    func child(_ index: Int) throws(RealmFileError) -> Ref {
      try node.ref(at: Slot.firstChild + index)
    }

    /// The position of child `index` of this node, which is at `place`, without its ref. No key belongs to two
    /// children, whatever the offsets are: a child whose offset contradicts others has no keys.
    func place(of index: Int, in place: ClusterPosition) -> ClusterPosition {
      let offset = offset(of: index)
      var end = place.limit
      if index + 1 < childCount { end = min(self.offset(of: index + 1), end ?? .max) }
      let (base, wraps) = place.base.addingReportingOverflow(offset)
      return ClusterPosition(
        ref: 0, base: base, limit: wraps ? 0 : end.map { $0 > offset ? $0 - offset : 0 },
        isRoot: false)
    }

    /// The stored number of objects below the node, and whether it is tagged, as it should be.
    package var statedCount: (count: Int, isTagged: Bool) {
      (node.slotInteger(at: Slot.objectCount), node.integer(at: Slot.objectCount) & 1 != 0)
    }
  }

  func inner(_ node: Node, below depth: Int?) throws(RealmFileError) -> Inner {
    guard node.hasRefs, node.count > Slot.firstChild else {
      throw .damaged(
        .clusterInner, at: node.ref,
        "the node has \(node.form), expected at least \(Slot.firstChild + 1) refs")
    }
    let childCount = node.count - Slot.firstChild
    guard childCount <= ClusterTree.capacity else {
      throw .damaged(
        .clusterInner, at: node.ref,
        "the node has \(childCount) children, expected at most \(ClusterTree.capacity)")
    }
    let found = node.slotInteger(at: Slot.depth)
    // Depths decrease by one per level, so a walk takes at most as many steps as the root's depth.
    guard found >= 1, found <= ClusterTree.depthLimit, depth.map({ found == $0 - 1 }) ?? true else {
      throw .damaged(
        .clusterDepth, at: node.ref,
        "the node has depth \(found), expected "
          + (depth.map { "\($0 - 1)" } ?? "1 to \(ClusterTree.depthLimit)"))
    }
    let ref = try node.ref(at: Slot.offsets)
    let offsets = ref == 0 ? nil : try nodes.lookUp(ref)
    if let offsets {
      guard offsets.isIntegers, offsets.count == childCount else {
        throw .damaged(
          .clusterOffsets, at: node.ref,
          "the key offsets are \(offsets.form), expected \(childCount) integers")
      }
    }
    return Inner(node: node, depth: found, offsets: offsets)
  }

  /// The inner node at `ref`, not counted for the traversal; nil for a cluster. A cluster below an inner node is not
  /// opened.
  ///
  /// - Parameters:
  ///   - ref: 0 if the inner node above has no ref to the node.
  ///   - depth: depth of the inner node above; nil for the root.
  func inner(at ref: Ref, below depth: Int?) throws(RealmFileError) -> Inner? {
    guard ref != 0 else { throw missingChild }
    guard depth != 1 else { return nil }
    let node = try nodes.lookUp(ref)
    guard node.isInner else {
      guard let depth else { return nil }
      throw .damaged(
        .clusterDepth, at: ref,
        "the cluster is below an inner node of depth \(depth), expected depth 1")
    }
    return try inner(node, below: depth)
  }

  var missingChild: RealmFileError {
    .damaged(.clusterInner, at: root, "a child of an inner node is missing")
  }

  /// Checks that the file has room for the children of `inner` and `count` other nodes of the tree: not every child is
  /// opened, but each one takes space in the file.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap`.
  func checkRoom(for inner: Inner, after count: Int) throws(RealmFileError) {
    guard count <= nodes.logicalSize / Cluster.leastByteCount - inner.childCount else {
      throw .damaged(
        .storageNodeOverlap, at: inner.node.ref,
        "the tree has more nodes than the file has room for")
    }
  }

  /// Number of objects, read from the root alone.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  func objectCount() throws(RealmFileError) -> Int {
    let node = try nodes.lookUp(root)
    if node.isInner {
      guard node.hasRefs, node.count > Slot.firstChild else {
        throw .damaged(
          .clusterInner, at: root,
          "the node has \(node.form), expected at least \(Slot.firstChild + 1) refs")
      }
      return node.slotInteger(at: Slot.objectCount)
    }
    return try Cluster(node, base: 0, nodes: nodes).count
  }

  /// The positions of all clusters, in key order.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`; `storage.node-overlap` if the tree has a
  ///   cycle.
  func clusters() throws(RealmFileError) -> [ClusterPosition] {
    var visitor = NoVisitor()
    return try clusters(&visitor)
  }

  /// The positions of all clusters, in key order. `visitor` receives the inner nodes and decides how to handle
  /// damage. The clusters themselves are not opened.
  ///
  /// - Throws: the errors that `visitor` throws for unreadable parts.
  package func clusters(
    _ visitor: inout some ClusterTreeVisitor
  ) throws(RealmFileError) -> [ClusterPosition] {
    var walked = Walked()
    try collect(
      ClusterPosition(ref: root, base: 0, limit: nil, isRoot: true), below: nil, into: &walked,
      &visitor)
    return walked.positions
  }

  private struct Walked {
    var positions: [ClusterPosition] = []
    /// Number of children of all inner nodes so far, readable or not.
    var childCount = 0
  }

  /// - Parameters:
  ///   - place: position of the node to visit.
  ///   - depth: depth of the inner node above; nil for the root.
  private func collect(
    _ place: ClusterPosition, below depth: Int?, into walked: inout Walked,
    _ visitor: inout some ClusterTreeVisitor
  ) throws(RealmFileError) {
    let inner: Inner
    do throws(RealmFileError) {
      // Clusters are opened when they are read.
      guard let found = try self.inner(at: place.ref, below: depth) else {
        walked.positions.append(place)
        return
      }
      // Counts the node for the traversal.
      _ = try nodes.node(at: place.ref)
      try checkRoom(for: found, after: walked.childCount)
      inner = found
      walked.childCount += inner.childCount
    } catch {
      return try visitor.lost(error, at: place, below: depth)
    }
    visitor.enter(inner, isRoot: place.isRoot, clusterCount: walked.positions.count)
    for child in 0..<inner.childCount {
      var next = inner.place(of: child, in: place)
      do {
        next.ref = try inner.child(child)
      } catch {
        try visitor.lost(error, at: next, below: inner.depth)
        continue
      }
      try collect(next, below: inner.depth, into: &walked, &visitor)
    }
    visitor.leave(clusterCount: walked.positions.count)
  }

  /// The keys of the objects with the numbers in `range`, in key order.
  ///
  /// Inner nodes state how many objects are below them. So of the clusters, only those are opened that have the objects,
  /// or come before them below the same inner node.
  ///
  /// - Returns: fewer keys if there are fewer objects, or if an inner node states too many.
  /// - Throws: same as ``clusters()``.
  func keys(ofObjects range: Range<Int>) throws(RealmFileError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    if !range.isEmpty {
      let place = ClusterPosition(ref: root, base: 0, limit: nil, isRoot: true)
      _ = try collectKeys(ofObjects: range, at: place, below: nil, from: 0, into: &keys)
    }
    return keys
  }

  /// - Parameter start: number of the first object below the node at `place`, before the end of `range`.
  /// - Returns: number of objects below the node, at most those before the end of `range`.
  private func collectKeys(
    ofObjects range: Range<Int>, at place: ClusterPosition, below depth: Int?, from start: Int,
    into keys: inout [ObjectKey]
  ) throws(RealmFileError) -> Int {
    let node = try nodes.lookUp(place.ref)
    let rest = range.upperBound - start
    guard node.isInner else {
      let cluster = try Cluster(node, base: place.base, nodes: nodes)
      let count = min(cluster.count, rest)
      keys += (0..<count).dropFirst(max(0, range.lowerBound - start)).map { cluster.key(at: $0) }
      return count
    }
    let inner = try inner(node, below: depth)
    let count = min(inner.statedCount.count, rest)
    // Nodes that share objects in `range` are few on each level, whatever a damaged tree states.
    guard start + count > range.lowerBound else { return count }
    var next = start
    for child in 0..<inner.childCount where next < start + count {
      var place = inner.place(of: child, in: place)
      place.ref = try inner.child(child)
      next += try collectKeys(
        ofObjects: range.lowerBound..<(start + count), at: place, below: inner.depth, from: next,
        into: &keys)
    }
    return count
  }
}

/// The position of a cluster in the file, and the base of its relative keys.
package struct ClusterPosition: Sendable {
  package fileprivate(set) var ref: Ref
  package let base: UInt64
  /// Start of the keys of the next cluster, relative to ``base``; nil if there is none.
  package let limit: UInt64?
  /// Whether the cluster is the whole tree.
  package let isRoot: Bool

  /// The keys that the objects of the cluster can have; those of tombstones are higher.
  package var keys: Range<UInt64> {
    let least = min(base, ClusterPosition.end)
    return least..<min(ClusterPosition.end, least + min(limit ?? .max, ClusterPosition.end - least))
  }

  private static let end: UInt64 = 1 << 63
}

/// Receives the inner nodes of a walk over a cluster tree and decides how to handle damage. If ``lost``
/// throws, the walk stops; if it returns, the walk skips the damaged part.
package protocol ClusterTreeVisitor {
  /// Called for an inner node, before its children.
  ///
  /// - Parameter clusterCount: number of clusters found so far.
  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int)
  /// Called for the innermost node that was entered and not left, after its children.
  mutating func leave(clusterCount: Int)
  /// Called for a node that cannot be read, whose objects are lost.
  ///
  /// - Parameters:
  ///   - place: position of the node; its ref is 0 if the inner node above has no ref to it.
  ///   - depth: depth of the inner node above; nil for the root.
  mutating func lost(
    _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
  ) throws(RealmFileError)
}

extension NoVisitor: ClusterTreeVisitor {
  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {}
  mutating func leave(clusterCount: Int) {}
  mutating func lost(
    _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
  ) throws(RealmFileError) {
    throw error
  }
}
