import RealmStorage

/// The nodes of a version that nothing refers to, found by a scan of the bytes that no node takes.
struct LostNodes {
  /// The most nodes, to bound memory.
  private static let limit = 1 << 20

  /// Where the nodes are, in ascending order.
  private(set) var places: [Range<Int>] = []
  /// For each node, whether another lost node refers to it.
  private(set) var isChild: [Bool] = []

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - walk: which bytes are taken. If the free space is unknown, leftover nodes of older versions
  ///     are among the lost ones.
  init(_ nodes: NodeReader, _ walk: DamageWalk) throws(RealmFileError) {
    var places: [Range<Int>] = []
    var end = 0
    for gap in walk.untakenSpace {
      try NodeScan.run(nodes, in: gap) { ref, header in
        let bytes = ref..<ref + header.nodeByteCount
        guard ref >= end, walk.isLost(bytes) else { return true }
        places.append(bytes)
        end = bytes.upperBound
        return places.count < LostNodes.limit
      }
    }
    self.places = places
    isChild = Array(repeating: false, count: places.count)
    let mark = nodes.mark()
    for place in places {
      defer { nodes.release(to: mark) }
      let node = try nodes.lookUp(place.lowerBound)
      guard node.hasRefs, node.width > 0 else { continue }
      for i in 0..<node.count {
        guard case .ref(let ref) = node.element(at: i), let child = index(of: ref) else { continue }
        isChild[child] = true
      }
    }
  }

  /// The position of the node that begins at `ref`.
  func index(of ref: Ref) -> Int? {
    let i = firstIndex(from: ref)
    return i < places.count && places[i].lowerBound == ref ? i : nil
  }

  /// The position of the node that ends at `end`.
  func index(endingAt end: Int) -> Int? {
    let i = firstIndex(from: end) - 1
    return i >= 0 && places[i].upperBound == end ? i : nil
  }

  /// The position of the first node that begins at or after `start`.
  func firstIndex(from start: Int) -> Int {
    places.prefixEnd { $0.lowerBound < start }
  }
}
