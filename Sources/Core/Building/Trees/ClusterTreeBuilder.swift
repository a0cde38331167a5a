package import RealmModel
package import RealmStorage

/// Packs clusters into a cluster tree (chapter 2, section 5.5).
struct ClusterTreeBuilder {
  private var clusters: [ClusterTree.Child] = []

  /// Appends a cluster.
  ///
  /// - Parameters:
  ///   - keys: the object keys, ascending as unsigned numbers, and larger than those of the previous cluster.
  ///   - leaves: the leaves by leaf index.
  mutating func append(keys: [UInt64], leaves: [NodePlace], into encoder: PendingEncoder) {
    // Keys of the leftmost cluster are relative to 0, keys of any other cluster to its first key.
    let base = clusters.isEmpty ? 0 : keys.first ?? 0
    let isCompact = keys.last.map { $0 - base == UInt64(keys.count - 1) } ?? true
    var elements = ElementList()
    if isCompact {
      elements.append(Int64(keys.count) << 1 | 1)
    } else {
      elements.append(ref: encoder.nodes.append(unsigned: keys.map { $0 - base }))
    }
    for leaf in leaves { elements.append(leaf) }
    clusters.append(
      ClusterTree.Child(
        place: encoder.append(elements, .refs), base: base, objectCount: keys.count))
  }

  /// Appends a cluster that is in the file with its keys.
  ///
  /// - Parameter base: what its keys are relative to; 0 for the first cluster.
  mutating func append(copy ref: Ref, base: UInt64, objectCount: Int) {
    clusters.append(ClusterTree.Child(ref: ref, base: base, objectCount: objectCount))
  }

  /// Appends the inner nodes.
  ///
  /// - Parameter afterNode: called after each inner node.
  /// - Returns: the root.
  consuming func finish(
    into encoder: PendingEncoder, afterNode: () throws(RealmFileError) -> Void = {}
  ) throws(RealmFileError) -> NodePlace {
    guard let only = clusters.first, clusters.count == 1 else {
      return try ClusterTree.encode(clusters, into: encoder, afterNode: afterNode)
    }
    return only.place
  }
}

extension ClusterTreeBuilder {
  /// Appends a cluster whose leaves are in the file.
  ///
  /// - Throws: the errors of the output.
  mutating func append(
    keys: [UInt64], leaves: [Ref], into nodes: FileNodes
  ) throws(RealmFileError) {
    append(keys: keys, leaves: leaves.map { .placed($0) }, into: PendingEncoder(nodes.buffer))
    try nodes.relieve()
  }

  /// Appends the inner nodes above clusters in the file.
  ///
  /// - Returns: the root.
  consuming func finish(into nodes: FileNodes) throws(RealmFileError) -> Ref {
    let root = try finish(into: PendingEncoder(nodes.buffer)) { () throws(RealmFileError) in
      try nodes.relieve()
    }
    guard case .placed(let ref) = root else { return 0 }
    return ref
  }
}

extension ClusterTree {
  /// A node of a tree under construction.
  package struct Child {
    let place: NodePlace
    /// The keys below are relative to this one; 0 for the leftmost node of a level.
    let base: UInt64
    let objectCount: Int

    init(place: NodePlace, base: UInt64, objectCount: Int) {
      (self.place, self.base, self.objectCount) = (place, base, objectCount)
    }

    package init(ref: Ref, base: UInt64, objectCount: Int) {
      self.init(place: .placed(ref), base: base, objectCount: objectCount)
    }
  }

  /// Appends the inner nodes above `clusters` (chapter 2, section 5.5): at least one, even above a single cluster.
  ///
  /// - Parameter clusters: in ascending order of their keys as unsigned numbers.
  /// - Returns: the root; 0 if there are no clusters.
  package static func encode(
    _ clusters: [Child], into nodes: NodeBuffer
  ) throws(RealmFileError) -> Ref {
    let root = try encode(clusters, into: PendingEncoder(nodes)) {}
    guard case .placed(let ref) = root else { return 0 }
    return ref
  }

  /// Like ``encode(_:into:)``, also above clusters that wait for keys.
  fileprivate static func encode(
    _ clusters: [Child], into encoder: PendingEncoder,
    afterNode: () throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> NodePlace {
    guard !clusters.isEmpty else { return .placed(0) }
    var (level, depth) = (clusters, 0)
    while level.count > 1 || depth == 0 {
      depth += 1
      var parents: [Child] = []
      for start in stride(from: 0, to: level.count, by: capacity) {
        let children = level[start..<min(start + capacity, level.count)]
        parents.append(
          encode(children, depth: depth, base: start == 0 ? 0 : level[start].base, into: encoder))
        try afterNode()
      }
      level = parents
    }
    return level[0].place
  }

  /// Appends an inner node, in compact form if the first keys of its children are at regular distances.
  private static func encode(
    _ children: ArraySlice<Child>, depth: Int, base: UInt64, into encoder: PendingEncoder
  ) -> Child {
    let offsets = children.map { $0.base - base }
    let shift = UInt64(shift * depth)
    let isCompact =
      shift < 64 && offsets.enumerated().allSatisfy { i, offset in offset == UInt64(i) << shift }
    let objectCount = children.reduce(0) { $0 + $1.objectCount }
    var elements = ElementList()
    elements.append(isCompact ? 0 : Int64(encoder.nodes.append(unsigned: offsets)))
    elements.append(Int64(depth) << 1 | 1)
    elements.append(Int64(objectCount) << 1 | 1)
    for child in children { elements.append(child.place) }
    let place = encoder.append(
      elements, PendingProgram.Options(kind: NodeEncoder.isInner | NodeEncoder.hasRefs))
    return Child(place: place, base: base, objectCount: objectCount)
  }
}
