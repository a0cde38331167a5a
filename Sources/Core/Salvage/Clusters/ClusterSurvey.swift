import RealmModel
import RealmStorage

/// The clusters of a table that can be read, and the object keys of those that cannot.
struct ClusterSurvey: Sendable {
  /// A readable cluster with objects.
  struct Found: Sendable {
    let place: ClusterPosition
    let keys: ClosedRange<UInt64>
    let count: Int
  }

  /// The keys of all objects. Those of tombstones are higher.
  static let allKeys: Range<UInt64> = 0..<1 << 63

  /// A part of the tree that cannot be read.
  struct Hole: Sendable {
    let place: ClusterPosition
    /// Depth of the inner node above; nil for the root of the tree.
    let depth: Int?
    /// Why it cannot be read.
    let message: String

    /// The most objects below it: 256 for a cluster, 256 times as many for each level above, and at
    /// most one for each key.
    var objectLimit: Int {
      let keyCount = Int(clamping: place.keys.upperBound - place.keys.lowerBound)
      // Larger powers exceed all keys.
      guard let depth, depth < ClusterTree.depthLimit else { return keyCount }
      return min(keyCount, 1 << (ClusterTree.shift * depth))
    }
  }

  /// In the order of their keys.
  private(set) var clusters: [Found] = []
  private(set) var holes: [Hole] = []
  /// The object keys of unreadable clusters.
  private(set) var gaps = KeyGaps()

  /// Number of objects of the readable clusters.
  var objectCount: Int { clusters.reduce(0) { $0 + $1.count } }

  /// The most objects of the unreadable clusters.
  var lostLimit: Int { holes.reduce(0) { $0.saturatingSum($1.objectLimit) } }

  /// - Parameter root: root of the tree.
  /// - Throws: errors that are not damage.
  init(root: Ref, _ nodes: NodeReader) throws(RealmFileError) {
    let mark = nodes.mark()
    var visitor = LeavingOut(keepsHoles: true)
    let places = try nodes.traversing { () throws(RealmFileError) in
      try ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    }
    for place in places {
      nodes.release(to: mark)
      do throws(RealmFileError) {
        let cluster = try Cluster(
          try nodes.lookUp(place.ref), base: place.base, nodes: nodes)
        guard let keys = ClusterSurvey.keys(of: cluster, place) else {
          throw .damaged(.clusterKeyOrder, at: place.ref, "the keys do not ascend")
        }
        guard let first = keys.first, let last = keys.last else { continue }
        clusters.append(Found(place: place, keys: first...last, count: keys.count))
      } catch {
        try visitor.lost(error, at: place, below: place.isRoot ? nil : 1)
      }
    }
    nodes.release(to: mark)
    clusters.sort { $0.keys.lowerBound < $1.keys.lowerBound }
    holes = visitor.holes.sorted { $0.place.base < $1.place.base }
    gaps = KeyGaps(holes.map(ClusterSurvey.gap))
  }

  /// The first readable clusters of a tree, at most `limit`.
  static func reachable(from root: Ref, limit: Int, _ nodes: NodeReader) -> [ClusterPosition] {
    var visitor = LeavingOut(keepsHoles: false)
    let places = try? nodes.traversing { () throws(RealmFileError) in
      try ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    }
    return Array((places ?? []).prefix(limit))
  }

  /// Leaves out what cannot be read.
  private struct LeavingOut: ClusterTreeVisitor {
    let keepsHoles: Bool
    var holes: [Hole] = []

    mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {}
    mutating func leave(clusterCount: Int) {}
    mutating func lost(
      _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
    ) throws(RealmFileError) {
      guard let finding = Finding(error) else { throw error }
      if keepsHoles { holes.append(Hole(place: place, depth: depth, message: finding.message)) }
    }
  }

  /// The keys of the objects of a cluster; nil if they do not ascend or cannot be keys of objects.
  static func keys(of cluster: Cluster, _ place: ClusterPosition) -> [UInt64]? {
    let keys = cluster.allKeys.map(\.raw)
    // With an impossible base, the sum wraps around.
    guard zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }),
      keys.first.map({ $0 >= 0 && UInt64($0) >= place.base }) ?? (place.base <= Int64.max)
    else { return nil }
    if let last = keys.last, let limit = place.limit,
      UInt64(bitPattern: last) - place.base >= limit
    {
      return nil
    }
    return keys.map { UInt64(bitPattern: $0) }
  }

  private static func gap(_ hole: Hole) -> KeyGaps.Gap {
    KeyGaps.Gap(keys: hole.place.keys, ref: hole.place.ref, isCluster: hole.depth == 1)
  }

  /// The cluster whose range of keys contains `key`.
  func cluster(around key: UInt64) -> Found? {
    let i = clusters.prefixEnd { $0.keys.upperBound < key }
    return i < clusters.count && clusters[i].keys.contains(key) ? clusters[i] : nil
  }
}
