import RealmStorage

/// The order in which the clusters of a table and their leaves lie in the file.
///
/// A writer of a whole realm puts the nodes below a node right before it, without gaps. The readable
/// clusters show whether the file was written that way. If so, a leaf is recognized by its place.
struct LeafOrder {
  typealias Element = DeadCluster.Element
  /// The most clusters that are looked at.
  private static let sampleLimit = 64

  /// The elements of a cluster in ascending order.
  let elements: [Element]
  /// Runs of elements that follow each other without gaps in all clusters.
  let segments: [Range<Int>]
  /// For each segment, whether it begins where the one of the cluster before ends.
  let isChained: [Bool]
  /// Whether all clusters have a node for their keys; false for none, nil for some.
  let hasKeys: Bool?

  /// The order of a table in a file in which every node directly follows the one before.
  init(packed form: ClusterForm) {
    elements = LeafOrder.elements(of: form)
    segments = [0..<elements.count]
    (isChained, hasKeys) = ([true], nil)
  }

  /// - Parameter entries: all clusters of a table in the order of their keys.
  /// - Returns: nil if there is no order, or no readable cluster.
  init?(_ form: ClusterForm, _ entries: [DeadClusters.Entry], _ extents: NodeExtents) {
    elements = LeafOrder.elements(of: form)
    let found = LeafOrder.sample(form, elements, entries, extents)
    guard !found.isEmpty else { return nil }
    var isAdjacent = Array(repeating: true, count: elements.count)
    for places in found.values {
      var end: Int?
      for (k, place) in places.enumerated() {
        guard let place else { continue }
        if let end {
          guard end <= place.lowerBound else { return nil }
          if end != place.lowerBound { isAdjacent[k] = false }
        }
        end = place.upperBound
      }
    }
    var segments: [Range<Int>] = []
    var start = 0
    for k in elements.indices.dropFirst() where !isAdjacent[k] {
      segments.append(start..<k)
      start = k
    }
    segments.append(start..<elements.count)
    isChained = segments.map { segment in
      let pairs = found.keys.compactMap { i in
        found[i + 1].flatMap { next in found[i].map { ($0, next) } }
      }
      return !pairs.isEmpty
        && pairs.allSatisfy { pair in
          pair.0[segment].compactMap { $0 }.last?.upperBound
            == pair.1[segment].compactMap { $0 }.first?.lowerBound
        }
    }
    self.segments = segments
    let withKeys = found.values.count { $0[0] != nil }
    hasKeys = withKeys == 0 ? false : withKeys == found.count ? true : nil
  }

  /// Whether the table is written as ``init(packed:)`` says.
  var isPacked: Bool { segments.count == 1 && elements.count > 2 }

  private static func elements(of form: ClusterForm) -> [Element] {
    [.keys] + form.columns.map { .leaf($0) } + [.node]
  }

  /// Where the elements of some clusters are, by position in `entries`: of those next to dead ones,
  /// and of the first ones.
  private static func sample(
    _ form: ClusterForm, _ elements: [Element], _ entries: [DeadClusters.Entry],
    _ extents: NodeExtents
  ) -> [Int: [Range<Int>?]] {
    var found: [Int: [Range<Int>?]] = [:]
    var wanted = Set(entries.indices.prefix(sampleLimit))
    for i in entries.indices where wanted.count < 2 * sampleLimit {
      if case .dead = entries[i] { wanted.formUnion([i - 2, i - 1, i + 1, i + 2]) }
    }
    for i in wanted where entries.indices.contains(i) {
      guard case .living(let ref) = entries[i] else { continue }
      found[i] = places(of: ref, form, elements, extents)
    }
    return found
  }

  /// Where the elements of a cluster are, with the nodes below them; nil for one that it lacks.
  static func places(
    of ref: Ref, _ form: ClusterForm, _ elements: [Element], _ extents: NodeExtents
  ) -> [Range<Int>?]? {
    guard let node = try? extents.nodes.lookUp(ref) else { return nil }
    var places: [Range<Int>?] = []
    for element in elements {
      let slot: Int
      switch element {
      case .keys: slot = 0
      case .leaf(let column): slot = form.leafIndex(column) + 1
      case .node:
        places.append(ref..<ref + node.header.nodeByteCount)
        continue
      }
      guard slot < node.count, case .ref(let leaf) = node.element(at: slot) else {
        guard element == .keys else { return nil }
        places.append(nil)
        continue
      }
      guard let extent = extents.extent(of: leaf) else { return nil }
      places.append(extent)
    }
    return places
  }
}

/// Where trees of nodes lie in a file.
struct NodeExtents {
  /// The most nodes of a tree that are looked at.
  private static let nodeLimit = 1 << 16

  let nodes: NodeReader

  /// The bytes from the first node of a tree to the end of its root; nil if a node cannot be read
  /// or lies after the root.
  func extent(of root: Ref) -> Range<Int>? {
    guard let node = try? nodes.lookUp(root) else { return nil }
    let end = root + node.header.nodeByteCount
    var (start, stack, count) = (root, [root], 0)
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    while let ref = stack.popLast() {
      count += 1
      guard count <= NodeExtents.nodeLimit, ref <= root, let node = try? nodes.lookUp(ref) else {
        return nil
      }
      start = min(start, ref)
      guard node.hasRefs, node.width > 0 else { continue }
      for i in 0..<node.count {
        guard case .ref(let child) = node.element(at: i) else { continue }
        guard count + stack.count < NodeExtents.nodeLimit else { return nil }
        stack.append(child)
      }
    }
    return start..<end
  }
}
