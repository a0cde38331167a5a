import RealmModel
import RealmStorage

/// Checks the rules of a cluster tree that reading it does not check (chapter 2, rules C1 to C5): the
/// inner nodes when the clusters are located, the keys when a cluster is read, the counts when all
/// clusters have been read.
struct ClusterTreeShape: Sendable {
  /// The kind of the keys of a tree.
  enum Keys: Sendable {
    /// Live objects.
    case objects
    /// Placeholders of missing objects, for unresolved links.
    case tombstones
    /// Entries of a dictionary of formats 21 and 22 (section 8.3): hashes, and negative numbers for
    /// entries whose hash was taken.
    case hashes

    fileprivate func allows(_ key: ObjectKey) -> Bool {
      switch self {
      case .objects: key.raw >= 0
      case .tombstones: key.raw <= -2
      case .hashes: key.raw != -1
      }
    }

    fileprivate var expectation: String {
      switch self {
      case .objects: "0 or more for an object"
      case .tombstones: "-2 or less for a tombstone"
      case .hashes: "any number but -1"
      }
    }
  }

  /// An inner node, and the range of the clusters below it.
  private struct Inner: Sendable {
    let ref: Ref
    let statedCount: Int
    let isTagged: Bool
    var clusters: Range<Int>
    /// False if a part below the node cannot be read.
    var isWhole = true
  }

  /// Inner nodes whose children have all been visited.
  private var inners: [Inner] = []
  /// The inner nodes above the current place.
  private var path: [Inner] = []
  /// Number of objects stated by the root; nil if the root is not an inner node.
  private(set) var statedCount: Int?
  /// The first error that makes a part of the tree unreadable.
  private(set) var failure: RealmFileError?

  mutating func enter(
    _ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int, _ findings: inout Findings
  ) {
    let (count, isTagged) = inner.statedCount
    if isRoot { statedCount = count }
    path.append(
      Inner(
        ref: inner.node.ref, statedCount: count, isTagged: isTagged,
        clusters: clusterCount..<clusterCount))
    if inner.node.hasContext { Leaf.reportContext(inner.node, &findings) }
    guard let offsets = inner.offsets else { return }
    ClusterTreeShape.checkWidth(offsets, &findings)
    let odd = (1..<max(1, offsets.count)).first {
      offsets.unsigned(at: $0 - 1) >= offsets.unsigned(at: $0)
    }
    if offsets.unsigned(at: 0) != 0 {
      findings.add(
        .clusterOffsets, at: offsets.ref,
        "the first key offset is \(offsets.unsigned(at: 0)), expected 0")
    } else if let odd {
      findings.add(
        .clusterOffsets, at: offsets.ref,
        "key offset \(odd) is \(offsets.unsigned(at: odd)), expected more than "
          + "\(offsets.unsigned(at: odd - 1))")
    }
  }

  mutating func leave(clusterCount: Int) {
    guard var inner = path.popLast() else { return }
    inner.clusters = inner.clusters.lowerBound..<clusterCount
    inners.append(inner)
  }

  /// Adds the finding for an unreadable part, which is skipped.
  ///
  /// - Throws: the error itself if it is not about damage.
  mutating func lost(
    _ error: RealmFileError, _ findings: inout Findings
  ) throws(RealmFileError) {
    try findings.add(error)
    failure = error.first(of: failure)
    for i in path.indices { path[i].isWhole = false }
  }

  private static func checkWidth(_ keys: Node, _ findings: inout Findings) {
    guard keys.width < 8 else { return }
    findings.add(
      .clusterKeyWidth, at: keys.ref, "the keys have \(keys.width) bits, expected at least 8")
  }

  /// Checks the keys of a cluster.
  ///
  /// - Returns: the largest sequence number of a key that was made in this file (chapter 3, section 4.4);
  ///   nil if there is none.
  @discardableResult
  static func check(
    _ cluster: Cluster, at position: ClusterPosition, keys: Keys, _ findings: inout Findings
  ) -> UInt64? {
    if cluster.node.hasContext { Leaf.reportContext(cluster.node, &findings) }
    if cluster.count == 0, !position.isRoot {
      findings.add(.clusterEmpty, at: cluster.ref, "the cluster is empty, but not the root")
    }
    if let keys = cluster.keys { checkWidth(keys, &findings) }
    var largest: UInt64?
    var previous: UInt64?
    // One finding per cluster and rule: if one key is wrong, others usually are, too.
    var (isOrdered, isInRange, isLegal) = (true, true, true)
    let place = cluster.keys?.ref ?? cluster.ref
    for row in 0..<cluster.count {
      let relative = cluster.relativeKey(at: row)
      let key = cluster.key(at: row)
      if isOrdered,
        previous.map({ relative <= $0 }) ?? false
          || position.base.addingReportingOverflow(relative).overflow
      {
        isOrdered = false
        findings.add(
          .clusterKeyOrder, at: place, object: key.raw,
          "key \(key.raw) of row \(row) is not greater than the key before it")
      }
      if isInRange, let limit = position.limit, relative >= limit {
        isInRange = false
        findings.add(
          .clusterKeyRange, at: place, object: key.raw,
          "key \(key.raw) is in the range of the next cluster, which starts at "
            + "\(Int64(bitPattern: position.base &+ limit))")
      }
      if isLegal, !keys.allows(key) {
        isLegal = false
        findings.add(
          .clusterKeySign, at: place, object: key.raw,
          "the key is \(key.raw), expected \(keys.expectation)")
      }
      if let number = key.ownSequenceNumber { largest = max(largest ?? 0, number) }
      previous = relative
    }
    return largest
  }

  /// Compares the counts in the inner nodes with the number of objects below them.
  ///
  /// - Parameter objectCounts: number of objects in each cluster; nil if it cannot be read.
  func checkCounts(_ objectCounts: [Int?], _ findings: inout Findings) {
    for inner in inners {
      var total: Int? = inner.isWhole ? 0 : nil
      for count in objectCounts[inner.clusters] {
        total = total.flatMap { sum in count.map { sum + $0 } }
      }
      if !inner.isTagged {
        findings.add(
          .clusterCount, at: inner.ref, "the object count is not tagged")
      } else if let total, total != inner.statedCount {
        findings.add(
          .clusterCount, at: inner.ref,
          "the object count is \(inner.statedCount), expected \(total)")
      }
    }
  }
}

extension ObjectKey {
  /// The sequence number in a key that was made in this file; nil for other keys. Bits 0–7 and 16–39 are
  /// the number, the other bits the identifier of another file (chapter 3, section 4.4).
  fileprivate var ownSequenceNumber: UInt64? {
    guard raw >= 0, raw & 0xFF00 == 0, raw >> 40 == 0 else { return nil }
    return UInt64(raw & 0xFF | raw >> 8 & 0xFFFF_FF00)
  }
}

/// The reachable clusters of a tree, and the findings about its inner nodes.
struct ClusterTreeScan: Sendable {
  let clusters: [ClusterPosition]
  let shape: ClusterTreeShape
  let findings: Findings

  /// - Parameter subject: the subject of the findings.
  /// - Throws: errors other than damage.
  init(
    root: Ref, nodes: NodeReader, about subject: Findings.Subject, limit: Int
  ) throws(RealmFileError) {
    var visitor = Visitor(findings: Findings(limit: limit))
    visitor.findings.about(subject)
    clusters = try ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    (shape, findings) = (visitor.shape, visitor.findings)
  }

  private struct Visitor: ClusterTreeVisitor {
    var shape = ClusterTreeShape()
    var findings: Findings

    mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {
      shape.enter(inner, isRoot: isRoot, clusterCount: clusterCount, &findings)
    }
    mutating func leave(clusterCount: Int) { shape.leave(clusterCount: clusterCount) }
    mutating func lost(
      _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
    ) throws(RealmFileError) {
      try shape.lost(error, &findings)
    }
  }
}
