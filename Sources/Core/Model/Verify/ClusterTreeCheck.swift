package import RealmStorage

/// Checks the shape of a cluster tree and the order of its keys (chapter 2, rules C1 to C5), and finds
/// the clusters that can be read.
package struct ClusterTreeCheck {
  private typealias Slot = ClusterTree.Slot

  /// The most children of an inner node (section 5).
  private static let capacity = 256

  /// What the keys of a tree stand for.
  package enum Keys: Sendable {
    /// Live objects.
    case objects
    /// Objects that links lead to and that do not exist.
    case tombstones
    /// Entries of a dictionary of formats 21 and 22 (section 8.3): hashes, and negative numbers for
    /// those whose hash was taken.
    case hashes
  }

  private let nodes: NodeReader
  private let keys: Keys
  package private(set) var findings: Findings
  /// The clusters that can be read, in key order.
  package private(set) var clusters: [ClusterPosition] = []
  /// Objects in them.
  package private(set) var objectCount = 0
  /// Objects that the root says there are, where it can be read.
  package private(set) var statedCount: Int?
  /// The largest sequence number among the keys that were made in this file (chapter 3, section 4.4).
  package private(set) var largestSequenceNumber: UInt64?

  /// Why a part of the tree cannot be read.
  private(set) var failure: RealmFileError?

  package init(nodes: NodeReader, keys: Keys, limit: Int) {
    (self.nodes, self.keys) = (nodes, keys)
    findings = Findings(limit: limit)
  }

  /// - Throws: errors that say nothing about the file.
  package mutating func run(root: Ref) throws(RealmFileError) {
    _ = try visit(root, base: 0, limit: nil, depth: nil)
  }

  /// - Parameters:
  ///   - base: what keys below are relative to.
  ///   - limit: where the keys of the next node start, relative to `base`.
  ///   - depth: of this node, nil for the root.
  /// - Returns: number of objects below, nil where a part cannot be read.
  private mutating func visit(
    _ ref: Ref, base: UInt64, limit: UInt64?, depth: Int?
  ) throws(RealmFileError) -> Int? {
    do throws(RealmFileError) {
      let node = try nodes.node(at: ref)
      if node.hasContext { findings.add(Finding(.nodeContext, at: ref)) }
      guard node.isInner else {
        guard depth == nil || depth == 0 else { throw .damaged(.clusterDepth, at: ref) }
        return try visitCluster(node, base: base, limit: limit, isRoot: depth == nil)
      }
      guard depth != 0 else { throw .damaged(.clusterDepth, at: ref) }
      return try visitInner(node, base: base, limit: limit, depth: depth)
    } catch {
      try findings.add(error)
      failure = error.first(of: failure)
      return nil
    }
  }

  private mutating func visitInner(
    _ node: Node, base: UInt64, limit: UInt64?, depth: Int?
  ) throws(RealmFileError) -> Int? {
    let stated = node.count > Slot.firstChild ? node.slotInteger(at: Slot.objectCount) : nil
    if depth == nil { statedCount = stated }
    let inner = try ClusterTree(root: node.ref, nodes: nodes)
      .inner(node, below: depth.map { $0 + 1 })
    if inner.childCount > ClusterTreeCheck.capacity {
      findings.add(
        Finding(.clusterInner, at: node.ref, "the node has \(inner.childCount) children"))
    }
    if let offsets = inner.offsets {
      if offsets.width < 8 { findings.add(Finding(.clusterKeyWidth, at: offsets.ref)) }
      let isAscending =
        offsets.unsigned(at: 0) == 0
        && (1..<max(1, offsets.count)).allSatisfy {
          offsets.unsigned(at: $0 - 1) < offsets.unsigned(at: $0)
        }
      if !isAscending { findings.add(Finding(.clusterOffsets, at: offsets.ref)) }
    }
    var total: Int? = 0
    for i in 0..<inner.childCount {
      let offset = inner.offset(of: i)
      let end = i + 1 < inner.childCount ? inner.offset(of: i + 1) : limit
      let ref = try inner.child(i)
      guard ref != 0 else {
        findings.add(Finding(.clusterInner, at: node.ref, "child \(i) is missing"))
        total = nil
        continue
      }
      let below = try visit(
        ref, base: base &+ offset, limit: end.map { $0 > offset ? $0 - offset : 0 },
        depth: inner.depth - 1)
      total = total.flatMap { sum in below.map { sum + $0 } }
    }
    if node.integer(at: Slot.objectCount) & 1 == 0 || total != nil && total != stated {
      findings.add(
        Finding(
          .clusterCount, at: node.ref,
          "the node says \(stated ?? 0) objects, but there are \(total ?? 0)"))
    }
    return total
  }

  private mutating func visitCluster(
    _ node: Node, base: UInt64, limit: UInt64?, isRoot: Bool
  ) throws(RealmFileError) -> Int {
    let cluster = try Cluster(node, base: base, nodes: nodes)
    if isRoot { statedCount = cluster.count }
    if cluster.count == 0, !isRoot { findings.add(Finding(.clusterEmpty, at: node.ref)) }
    if let keys = cluster.keys, keys.width < 8 {
      findings.add(Finding(.clusterKeyWidth, at: keys.ref))
    }
    var previous: UInt64?
    // One finding a cluster and rule: keys that are wrong are so together.
    var told: Set<Rule> = []
    func tell(_ rule: Rule, _ key: ObjectKey, _ findings: inout Findings) {
      guard told.insert(rule).inserted else { return }
      findings.add(Finding(rule, at: cluster.keys?.ref ?? node.ref, objectKey: key.raw))
    }
    for row in 0..<cluster.count {
      let relative = cluster.relativeKey(at: row)
      let key = cluster.key(at: row)
      if let previous, relative <= previous { tell(.clusterKeyOrder, key, &findings) }
      if base.addingReportingOverflow(relative).overflow {
        tell(.clusterKeyOrder, key, &findings)
      }
      if let limit, relative >= limit { tell(.clusterKeyRange, key, &findings) }
      if !isLegal(key) { tell(.clusterKeySign, key, &findings) }
      if let number = key.ownSequenceNumber {
        largestSequenceNumber = max(largestSequenceNumber ?? 0, number)
      }
      previous = relative
    }
    clusters.append(ClusterPosition(ref: node.ref, base: base))
    objectCount += cluster.count
    return cluster.count
  }

  private func isLegal(_ key: ObjectKey) -> Bool {
    switch keys {
    case .objects: key.raw >= 0
    case .tombstones: key.raw <= -2
    case .hashes: key.raw != -1
    }
  }
}

extension ObjectKey {
  /// The sequence number that the key was made from, if that was in this file (chapter 3, section
  /// 4.4): bits 0–7 and 16–39; the others are the number of another file.
  fileprivate var ownSequenceNumber: UInt64? {
    guard raw >= 0, raw & 0xFF00 == 0, raw >> 40 == 0 else { return nil }
    return UInt64(raw & 0xFF | raw >> 8 & 0xFFFF_FF00)
  }
}
