package import RealmStorage

/// The rules of cluster trees that reading their objects does not need (chapter 2, rules C1 to C5): of
/// the inner nodes while the clusters are found, of the keys when a cluster is read, of the counts when all
/// are.
package struct ClusterTreeShape: Sendable {
  /// What the keys of a tree stand for.
  package enum Keys: Sendable {
    /// Live objects.
    case objects
    /// Objects that links lead to and that do not exist.
    case tombstones
    /// Entries of a dictionary of formats 21 and 22 (section 8.3): hashes, and negative numbers for
    /// those whose hash was taken.
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
      case .objects: "keys of objects are 0 or more"
      case .tombstones: "keys of tombstones are -2 or less"
      case .hashes: "no key is -1"
      }
    }
  }

  /// An inner node, and which of the clusters are below it.
  private struct Inner: Sendable {
    let ref: Ref
    let statedCount: Int
    let isTagged: Bool
    var clusters: Range<Int>
    /// False where a part below it cannot be read.
    var isWhole = true
  }

  /// Inner nodes whose children were all visited.
  private var inners: [Inner] = []
  /// Inner nodes on the way.
  private var path: [Inner] = []
  /// Objects that the root says there are, where it is an inner node.
  package private(set) var statedCount: Int?
  /// Why a part of the tree cannot be read.
  package private(set) var failure: RealmFileError?

  init() {}

  mutating func enter(
    _ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int, _ findings: inout Findings
  ) {
    let (count, isTagged) = inner.statedCount
    if isRoot { statedCount = count }
    path.append(
      Inner(
        ref: inner.node.ref, statedCount: count, isTagged: isTagged,
        clusters: clusterCount..<clusterCount))
    if inner.node.hasContext { Leaf.tellContext(inner.node, &findings) }
    guard let offsets = inner.offsets else { return }
    ClusterTreeShape.checkWidth(offsets, &findings)
    let odd = (1..<max(1, offsets.count)).first {
      offsets.unsigned(at: $0 - 1) >= offsets.unsigned(at: $0)
    }
    if offsets.unsigned(at: 0) != 0 {
      findings.add(
        .clusterOffsets, at: offsets.ref,
        "the first key offset is \(offsets.unsigned(at: 0)), not 0")
    } else if let odd {
      findings.add(
        .clusterOffsets, at: offsets.ref,
        "key offset \(odd) is \(offsets.unsigned(at: odd)), after \(offsets.unsigned(at: odd - 1))")
    }
  }

  mutating func leave(clusterCount: Int) {
    guard var inner = path.popLast() else { return }
    inner.clusters = inner.clusters.lowerBound..<clusterCount
    inners.append(inner)
  }

  /// Adds what a part that cannot be read means, and leaves it out.
  ///
  /// - Throws: the error itself where it says nothing about the file.
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
      .clusterKeyWidth, at: keys.ref, "keys of \(keys.width) bits; they have at least 8")
  }

  /// Checks the keys of a cluster.
  ///
  /// - Returns: the largest sequence number among the keys that were made in this file (chapter 3,
  ///   section 4.4).
  @discardableResult
  static func check(
    _ cluster: Cluster, at position: ClusterPosition, keys: Keys, _ findings: inout Findings
  ) -> UInt64? {
    if cluster.node.hasContext { Leaf.tellContext(cluster.node, &findings) }
    if cluster.count == 0, !position.isRoot {
      findings.add(.clusterEmpty, at: cluster.ref, "the cluster is empty, and not the whole tree")
    }
    if let keys = cluster.keys { checkWidth(keys, &findings) }
    var largest: UInt64?
    var previous: UInt64?
    // One finding a cluster and rule: keys that are wrong are so together.
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
          "key \(key.raw) of row \(row) does not come after the key before it")
      }
      if isInRange, let limit = position.limit, relative >= limit {
        isInRange = false
        findings.add(
          .clusterKeyRange, at: place, object: key.raw,
          "key \(key.raw) belongs to the next cluster, whose keys start "
            + "\(relative - limit) below it")
      }
      if isLegal, !keys.allows(key) {
        isLegal = false
        findings.add(
          .clusterKeySign, at: place, object: key.raw, "key \(key.raw); \(keys.expectation)")
      }
      if let number = key.ownSequenceNumber { largest = max(largest ?? 0, number) }
      previous = relative
    }
    return largest
  }

  /// Compares the counts of the inner nodes with those of the clusters.
  ///
  /// - Parameter objectCounts: objects in each cluster, nil for one that cannot be read.
  package func checkCounts(_ objectCounts: [Int?], _ findings: inout Findings) {
    for inner in inners {
      var total: Int? = inner.isWhole ? 0 : nil
      for count in objectCounts[inner.clusters] {
        total = total.flatMap { sum in count.map { sum + $0 } }
      }
      if !inner.isTagged {
        findings.add(
          .clusterCount, at: inner.ref, "the number of objects is not marked as a number")
      } else if let total, total != inner.statedCount {
        findings.add(
          .clusterCount, at: inner.ref,
          "the node says \(inner.statedCount) objects; below it are \(total)")
      }
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

extension RealmFileError {
  /// This error or `other`, whichever is nearer to the start of the file: the same one in whatever
  /// order threads come to them.
  func first(of other: RealmFileError?) -> RealmFileError {
    guard let other, other.place <= place else { return self }
    return other
  }

  private var place: (Int, String, String, String) {
    (offset ?? 0, "\(kind)", className ?? "", property ?? "")
  }
}
