import RealmStorage

/// The filler bytes that a trusted node may have (chapter 2, section 1; chapter 5, section 3). They mean nothing by themselves.
/// In a damaged realm, unusual ones show that there is no header.
enum FillerRule {
  /// Any bytes, except that eight zeros are no header: no library writes an empty node without filler.
  case any
  /// The bytes that libraries write today.
  case current
  /// Those of a realm of formats 2 to 9.
  case legacy(LegacyFillers)

  func accepts(_ node: Node) -> Bool {
    switch self {
    case .any: node.hasFiller || !node.isZeroed
    case .current: node.hasFiller
    case .legacy(let fillers): !node.isZeroed && fillers.accepts(node)
    }
  }
}

/// The filler bytes of the nodes of a realm of formats 2 to 9. Their libraries wrote the same ones in all nodes, or overwrote
/// the first three with the number of bytes for which a node had room in memory.
struct LegacyFillers {
  /// If all but fewer than one in this many nodes have the bytes that libraries write today, all others are damage: these
  /// libraries leave no capacities.
  private static let nodesPerOdd = 10
  /// Bytes that this many nodes have come from a library.
  private static let leastShared = 3
  /// Different bytes that are counted.
  private static let countLimit = 1 << 12

  private var counts: [UInt32: Int] = [:]
  private var nodeCount = 0
  private var usual: UInt32 = 0
  private var acceptsOnlyUsual = false

  /// - Parameter node: one that was not counted before.
  mutating func count(_ node: Node) {
    nodeCount += 1
    guard counts[node.filler] != nil || counts.count < LegacyFillers.countLimit else { return }
    counts[node.filler, default: 0] += 1
  }

  /// What nodes must have, now that all are counted; nil if the bytes show nothing, because they are all the same, or no
  /// bytes are those of most nodes.
  var rule: FillerRule? {
    guard let most = counts.max(by: { $0.value < $1.value }), most.value < nodeCount,
      2 * most.value > nodeCount
    else { return nil }
    var fillers = self
    fillers.usual = most.key
    fillers.acceptsOnlyUsual =
      most.key == NodeScan.filler
      && nodeCount - most.value < nodeCount / LegacyFillers.nodesPerOdd
    return .legacy(fillers)
  }

  func accepts(_ node: Node) -> Bool {
    let filler = node.filler
    if filler == usual { return true }
    // Zeros are one bit away from a capacity, and the most common bytes in the place of a header.
    if filler != 0, (filler ^ usual).nonzeroBitCount == 1 { return true }
    guard !acceptsOnlyUsual else { return false }
    return hasCapacity(node) || counts[filler, default: 0] >= LegacyFillers.leastShared
  }

  /// Whether the first three bytes can be a capacity, which is a multiple of 8 as the sizes of nodes are (chapter 5,
  /// section 3), and the fourth one is what it was before.
  private func hasCapacity(_ node: Node) -> Bool {
    let bytes = node.filler.bigEndian
    let capacity = Int(bytes >> 8)
    return capacity % 8 == 0 && capacity >= node.header.nodeByteCount
      && (bytes & 0xFF == 0 || bytes & 0xFF == usual.bigEndian & 0xFF)
  }
}
