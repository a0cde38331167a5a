import RealmStorage

/// Which clusters of a table can be read, and which object keys belong to those that cannot.
struct ClusterSurvey: Sendable {
  /// A cluster that can be read and has objects.
  struct Found: Sendable {
    let place: ClusterPosition
    let keys: ClosedRange<UInt64>
    let count: Int
  }

  /// The keys of all objects: those of tombstones are higher.
  static let allKeys: Range<UInt64> = 0..<1 << 63

  /// In the order of their keys.
  private(set) var clusters: [Found] = []
  /// The keys of the objects of clusters that cannot be read.
  private(set) var gaps = KeyGaps()
  private var lost: [KeyGaps.Gap] = []

  /// Number of objects of the clusters that can be read.
  var objectCount: Int { clusters.reduce(0) { $0 + $1.count } }

  /// - Throws: errors that say nothing about the file.
  init(_ table: Table, _ nodes: NodeReader) throws(RealmFileError) {
    try visit(
      ClusterPosition(ref: table.clusters, base: 0, limit: nil, isRoot: true), below: nil,
      ClusterTree(root: table.clusters, nodes: nodes))
    clusters.sort { $0.keys.lowerBound < $1.keys.lowerBound }
    gaps = KeyGaps(lost)
    lost = []
  }

  private mutating func visit(
    _ place: ClusterPosition, below depth: Int?, _ tree: ClusterTree
  ) throws(RealmFileError) {
    let mark = tree.nodes.mark()
    defer { tree.nodes.release(to: mark) }
    do throws(RealmFileError) {
      guard clusters.count <= tree.nodes.logicalSize / Cluster.leastByteCount else { return }
      let node = try tree.nodes.lookUp(place.ref)
      guard node.isInner else {
        guard depth ?? 1 == 1 else {
          throw .damaged(.clusterDepth, at: place.ref, "a cluster below depth \(depth ?? 0)")
        }
        let cluster = try Cluster(node, base: place.base, nodes: tree.nodes)
        guard let found = ClusterRecovery.Found(cluster, place) else {
          throw .damaged(.clusterKeyOrder, at: place.ref, "the keys do not ascend")
        }
        guard found.count > 0 else { return }
        let first = UInt64(bitPattern: cluster.key(at: 0).raw)
        clusters.append(
          Found(place: place, keys: first...found.lastKey, count: found.count))
        return
      }
      let inner = try tree.inner(node, below: depth)
      for child in 0..<min(inner.childCount, ObjectBatch.capacity) {
        try visit(try inner.place(of: child, in: place), below: inner.depth, tree)
      }
    } catch {
      guard error.isDamage else { throw error }
      let start = min(place.base, ClusterSurvey.allKeys.upperBound)
      let room = ClusterSurvey.allKeys.upperBound - start
      lost.append(
        KeyGaps.Gap(
          keys: start..<start + min(room, place.limit ?? room), ref: place.ref,
          isCluster: depth == 1))
    }
  }

  /// The cluster whose keys include `key`.
  func cluster(around key: UInt64) -> Found? {
    var (low, high) = (0, clusters.count)
    while low < high {
      let middle = (low + high) / 2
      if clusters[middle].keys.upperBound < key { low = middle + 1 } else { high = middle }
    }
    return low < clusters.count && clusters[low].keys.contains(key) ? clusters[low] : nil
  }
}
