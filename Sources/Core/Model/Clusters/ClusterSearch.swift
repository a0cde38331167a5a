import RealmStorage

/// Finds clusters by key: in a cluster tree, or in a list of clusters. Used by one thread.
///
/// An inner node of a tree is read when a key first leads to it, so a few keys cost a few nodes, whatever the size
/// of the tree. What its children need is kept, 20 bytes for each, so many keys read each inner node once.
struct ClusterSearch {
  /// An inner node that was read.
  private struct Inner {
    /// 0 for the level above the root.
    let ref: Ref
    /// Nil for the level above the root, because the root can have any depth.
    let depth: Int?
    /// The positions of its children in the arrays below.
    let children: Range<Int>
  }

  /// What is below a child, if it is not the index of its inner node.
  private enum Below {
    static let cluster: Int32 = -1
    static let unread: Int32 = -2
  }

  private let tree: ClusterTree
  private var inners: [Inner]
  /// Start of the keys of each child. It ascends below an inner node, except in a damaged one, whose keys can lead to
  /// any of its children.
  private var bases: [UInt64]
  /// 0 if the inner node has no ref to the child.
  private var refs: [Ref]
  private var below: [Int32]

  /// - Parameter root: root of a cluster tree; 0 if there are no objects.
  init(root: Ref, nodes: NodeReader) {
    tree = ClusterTree(root: root, nodes: nodes)
    let count = root == 0 ? 0 : 1
    inners = [Inner(ref: 0, depth: nil, children: 0..<count)]
    bases = Array(repeating: 0, count: count)
    refs = Array(repeating: root, count: count)
    below = Array(repeating: Below.unread, count: count)
  }

  /// - Parameter clusters: the clusters to search, in key order; the number of each is its position here.
  init(_ clusters: [ClusterPosition], nodes: NodeReader) {
    tree = ClusterTree(root: 0, nodes: nodes)
    inners = [Inner(ref: 0, depth: nil, children: 0..<clusters.count)]
    bases = clusters.map(\.base)
    refs = clusters.map(\.ref)
    below = Array(repeating: Below.cluster, count: clusters.count)
  }

  /// The numbers of the clusters found so far are less than this.
  var numberLimit: Int { refs.count }

  /// The ref of the cluster with a number.
  func ref(of cluster: Int) -> Ref { refs[cluster] }

  /// Start of the keys of the cluster with a number.
  func base(of cluster: Int) -> UInt64 { bases[cluster] }

  /// The number of the only cluster that can have the object with `key`; nil if there are no clusters.
  ///
  /// - Throws: `damaged` with a rule of group `cluster` if an inner node on the way cannot be read;
  ///   `storage.node-overlap` if the tree has more nodes than the file has room for.
  @inline(__always)
  mutating func cluster(of key: UInt64) throws(RealmFileError) -> Int? {
    if let known = knownCluster(of: key) { return known }
    return try unknownCluster(of: key)
  }

  /// ``cluster(of:)`` for each of `keys`; -1 for a null key, and if there are no clusters.
  ///
  /// - Throws: same as ``cluster(of:)``.
  mutating func clusters(of keys: [ObjectKey]) throws(RealmFileError) -> [Int] {
    var clusters: [Int] = []
    clusters.reserveCapacity(keys.count)
    for key in keys {
      let cluster = key.isNull ? nil : try cluster(of: UInt64(bitPattern: key.raw))
      clusters.append(cluster ?? -1)
    }
    return clusters
  }

  /// Ref and base of ``cluster(of:)``.
  mutating func place(of key: UInt64) throws(RealmFileError) -> (ref: Ref, base: UInt64)? {
    try cluster(of: key).map { (refs[$0], bases[$0]) }
  }

  /// Like ``cluster(of:)``, but reads nothing: nil also if an inner node on the way was not read yet.
  @inline(__always)
  func knownCluster(of key: UInt64) -> Int? {
    guard !refs.isEmpty else { return nil }
    let (child, _) = descend(to: key)
    return below[child] == Below.cluster ? child : nil
  }

  @inline(never)
  private mutating func unknownCluster(of key: UInt64) throws(RealmFileError) -> Int? {
    guard !refs.isEmpty else { return nil }
    // Each step reads a child. Depths decrease by one per level, so there are at most `depthLimit` and one for the root.
    while true {
      let (child, inner) = descend(to: key)
      if below[child] == Below.cluster { return child }
      try read(child, of: inners[inner])
    }
  }

  /// The first child on the way to `key` that is a cluster or was not read yet, and the index of its inner node.
  @inline(__always)
  private func descend(to key: UInt64) -> (child: Int, inner: Int) {
    var inner = 0
    while true {
      let child = unsafe bases.withUnsafeBufferPointer {
        unsafe ClusterSearch.child(of: key, $0, inners[inner].children)
      }
      guard below[child] >= 0 else { return (child, inner) }
      // `read` sets it to an inner node that is behind this one.
      inner = Int(below[child])
    }
  }

  /// The last of `children` with a base of `key` or less, or the first one. The search has no data-dependent branches:
  /// object keys are hashes, so the processor could not predict them.
  ///
  /// - Parameter children: positions in `bases`, at least one.
  @inline(__always)
  private static func child(
    of key: UInt64, _ bases: UnsafeBufferPointer<UInt64>, _ children: Range<Int>
  ) -> Int {
    var low = children.lowerBound
    var rest = children.count
    while rest > 1 {
      // low + rest is at most the upper bound.
      let half = rest &>> 1
      low = unsafe bases[low &+ half] <= key ? low &+ half : low
      rest &-= half
    }
    return low
  }

  /// Reads a child of `parent` that was not read yet.
  private mutating func read(_ child: Int, of parent: Inner) throws(RealmFileError) {
    if refs[child] == 0 { try throwMissing(child - parent.children.lowerBound, of: parent) }
    guard let inner = try tree.inner(at: refs[child], below: parent.depth) else {
      below[child] = Below.cluster
      return
    }
    let start = refs.count
    // A tree with too many nodes for numbers of 32 bits takes more than 32 GB.
    try tree.checkRoom(
      for: inner, after: start <= Int(Int32.max) - ClusterTree.capacity ? start : .max)
    for i in 0..<inner.childCount {
      let ref = (try? inner.child(i)) ?? 0
      bases.append(bases[child] &+ inner.offset(of: i))
      refs.append(ref)
      below.append(inner.depth == 1 && ref != 0 ? Below.cluster : Below.unread)
    }
    // There are fewer inner nodes than children.
    below[child] = Int32(inners.count)
    inners.append(Inner(ref: refs[child], depth: inner.depth, children: start..<refs.count))
  }

  /// Throws why child `index` of `parent` has no ref.
  private func throwMissing(_ index: Int, of parent: Inner) throws(RealmFileError) {
    let node = try tree.nodes.lookUp(parent.ref)
    _ = try tree.inner(node, below: nil).child(index)
    throw tree.missingChild
  }
}
