import RealmModel
package import RealmStorage

/// Packs the leaves of one collection into a B+tree (chapter 2, section 4.4).
package struct BPlusTreeBuilder {
  private var leaves: [NodePlace] = []
  private var counts: [Int] = []

  package init() {}

  /// Number of values so far.
  package private(set) var count = 0

  /// Appends a leaf of `count` values, 1 to ``BPlusTreeLeaves/capacity``.
  mutating func append(_ leaf: NodePlace, count: Int) {
    leaves.append(leaf)
    counts.append(count)
    self.count += count
  }

  /// Appends a leaf of `count` values at `ref`, 1 to ``BPlusTreeLeaves/capacity``.
  package mutating func append(leaf ref: Ref, count: Int) { append(.placed(ref), count: count) }

  /// Updates the refs of moved leaves. No leaf may wait for keys.
  mutating func move(_ move: RefMove) {
    leaves = leaves.map {
      if case .placed(let ref) = $0 { .placed(move[ref]) } else { $0 }
    }
  }

  /// Appends the inner nodes.
  ///
  /// - Parameter options: for the root, if it is an inner node. A leaf has its options already.
  /// - Returns: the root; ref 0 if there are no leaves.
  func finish(_ encoder: PendingEncoder, root options: PendingProgram.Options = []) -> NodePlace {
    var (level, counts) = (leaves, counts)
    let capacity = BPlusTreeLeaves.capacity
    // The compact form has one count for all children, so only the last child may have fewer values. No node
    // above a general node is compact.
    let each = counts.first ?? 0
    let isCompact =
      counts.count <= capacity
      ? counts.dropLast().allSatisfy { $0 == each } && counts.last ?? 0 <= each
      : counts.dropLast().allSatisfy { $0 == capacity }
    while level.count > 1 {
      var (next, nextCounts): ([NodePlace], [Int]) = ([], [])
      for start in stride(from: 0, to: level.count, by: capacity) {
        let children = start..<min(start + capacity, level.count)
        let isRoot = level.count <= capacity
        next.append(
          inner(level[children], counts[children], isCompact, encoder, isRoot ? options : []))
        nextCounts.append(counts[children].reduce(0, +))
      }
      (level, counts) = (next, nextCounts)
    }
    return level.first ?? .placed(0)
  }

  /// Appends the inner nodes. No leaf may wait for keys.
  package func finish(into nodes: NodeBuffer) -> Ref {
    let piece = PendingEncoder(nodes)
    guard case .placed(let root) = finish(piece) else { return 0 }
    return root
  }

  private func inner(
    _ children: ArraySlice<NodePlace>, _ counts: ArraySlice<Int>, _ isCompact: Bool,
    _ encoder: PendingEncoder, _ options: PendingProgram.Options
  ) -> NodePlace {
    var elements = ElementList()
    if isCompact {
      elements.append(Int64(counts.first ?? 0) << 1 | 1)
    } else {
      var total: UInt64 = 0
      let offsets = counts.dropLast().map { count in
        total += UInt64(count)
        return total
      }
      elements.append(ref: encoder.nodes.append(unsigned: offsets))
    }
    for child in children { elements.append(child) }
    elements.append(Int64(counts.reduce(0, +)) << 1 | 1)
    let inner = PendingProgram.Options(kind: NodeEncoder.isInner | NodeEncoder.hasRefs)
    return encoder.append(elements, options.union(inner))
  }
}
