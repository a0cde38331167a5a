package import RealmModel
package import RealmStorage

/// Packs clusters into a cluster tree (chapter 2, section 5.5).
struct ClusterTreeBuilder {
  private let nodes: FileNodes
  private var clusters: [ClusterTree.Child] = []

  init(into nodes: FileNodes) { self.nodes = nodes }

  /// Appends a cluster.
  ///
  /// - Parameters:
  ///   - keys: the object keys, ascending as unsigned numbers, and larger than those of the previous cluster.
  ///   - leaves: refs by leaf index.
  /// - Throws: the errors of the output.
  mutating func append(keys: [UInt64], leaves: [Ref]) throws(RealmFileError) {
    // Keys of the leftmost cluster are relative to 0, keys of any other cluster to its first key.
    let base = clusters.isEmpty ? 0 : keys.first ?? 0
    let isCompact = keys.last.map { $0 - base == UInt64(keys.count - 1) } ?? true
    let head: Int64 =
      isCompact
      ? Int64(keys.count) << 1 | 1
      : Int64(try nodes.append(unsigned: keys.map { $0 - base }))
    let ref = try nodes.append(refs: [head] + leaves.map { Int64($0) })
    clusters.append(ClusterTree.Child(ref: ref, base: base, objectCount: keys.count))
  }

  /// Appends the inner nodes.
  ///
  /// - Returns: the root.
  consuming func finish() throws(RealmFileError) -> Ref {
    guard let only = clusters.first, clusters.count == 1 else {
      return try ClusterTree.encode(clusters, into: nodes.buffer) { () throws(RealmFileError) in
        try nodes.relieve()
      }
    }
    return only.ref
  }
}

extension ClusterTree {
  /// A node of a tree under construction.
  package struct Child {
    let ref: Ref
    /// The keys below are relative to this one; 0 for the leftmost node of a level.
    let base: UInt64
    let objectCount: Int

    package init(ref: Ref, base: UInt64, objectCount: Int) {
      (self.ref, self.base, self.objectCount) = (ref, base, objectCount)
    }
  }

  /// Appends the inner nodes above `clusters` (chapter 2, section 5.5): at least one, even above a single cluster.
  ///
  /// - Parameters:
  ///   - clusters: in ascending order of their keys as unsigned numbers.
  ///   - afterNode: called after each node.
  /// - Returns: the root; 0 if there are no clusters.
  package static func encode(
    _ clusters: [Child], into nodes: NodeBuffer,
    afterNode: () throws(RealmFileError) -> Void = {}
  ) throws(RealmFileError) -> Ref {
    guard !clusters.isEmpty else { return 0 }
    var (level, depth) = (clusters, 0)
    while level.count > 1 || depth == 0 {
      depth += 1
      var parents: [Child] = []
      for start in stride(from: 0, to: level.count, by: capacity) {
        let children = level[start..<min(start + capacity, level.count)]
        parents.append(
          encode(children, depth: depth, base: start == 0 ? 0 : level[start].base, into: nodes))
        try afterNode()
      }
      level = parents
    }
    return level[0].ref
  }

  /// Appends an inner node, in compact form if the first keys of its children are at regular distances.
  private static func encode(
    _ children: ArraySlice<Child>, depth: Int, base: UInt64, into nodes: NodeBuffer
  ) -> Child {
    let offsets = children.map { $0.base - base }
    let shift = UInt64(shift * depth)
    let isCompact =
      shift < 64 && offsets.enumerated().allSatisfy { i, offset in offset == UInt64(i) << shift }
    let objectCount = children.reduce(0) { $0 + $1.objectCount }
    let slots = [
      isCompact ? 0 : Int64(nodes.append(unsigned: offsets)), Int64(depth) << 1 | 1,
      Int64(objectCount) << 1 | 1,
    ]
    let ref = nodes.append(
      refs: slots + children.map { Int64($0.ref) }, kind: NodeEncoder.isInner)
    return Child(ref: ref, base: base, objectCount: objectCount)
  }
}
