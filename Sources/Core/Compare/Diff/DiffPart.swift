import RealmModel
import RealmStorage

/// A cluster, and the range of its object keys.
struct KeyedCluster: Sendable {
  let position: ClusterPosition
  let keys: Range<UInt64>
}

/// A range of object keys of a class, and the clusters with such objects on both sides. One thread compares them.
struct DiffPart: Sendable {
  let keys: Range<UInt64>
  let old: [ClusterPosition]
  let new: [ClusterPosition]

  /// Clusters of one side per part. Their up to 1024 objects are enough work for a turn of a thread.
  private static let clustersPerPart = 4

  /// Cuts the keys of a class into parts.
  ///
  /// Parts start where a cluster of the side with more clusters starts. A cluster of the other side may belong to two
  /// parts, but not to more: one of them starts in each part, until all of them have ended.
  static func parts(_ old: [KeyedCluster], _ new: [KeyedCluster]) -> [DiffPart] {
    let (leading, other) = old.count >= new.count ? (old, new) : (new, old)
    let otherEnd = other.last?.keys.upperBound ?? 0
    var bounds: [UInt64] = [0]
    var passed = 0
    for position in stride(from: clustersPerPart, to: leading.count, by: clustersPerPart) {
      let start = leading[position].keys.lowerBound
      let before = passed
      while passed < other.count, other[passed].keys.lowerBound <= start { passed += 1 }
      if passed > before || start >= otherEnd { bounds.append(start) }
    }
    bounds.append(.max)
    var (o, n) = (0, 0)
    return zip(bounds, bounds.dropFirst()).map { lower, upper in
      DiffPart(
        keys: lower..<upper, old: clusters(of: old, lower..<upper, from: &o),
        new: clusters(of: new, lower..<upper, from: &n))
    }
  }

  /// The clusters with keys in `range`.
  ///
  /// - Parameter next: position of the first one that may have such keys; moves on.
  private static func clusters(
    of all: [KeyedCluster], _ range: Range<UInt64>, from next: inout Int
  ) -> [ClusterPosition] {
    while next < all.count, all[next].keys.upperBound <= range.lowerBound { next += 1 }
    var end = next
    while end < all.count, all[end].keys.lowerBound < range.upperBound { end += 1 }
    let clusters = all[next..<end].map(\.position)
    // The last one may belong to the next part as well.
    next = max(next, end - 1)
    return clusters
  }
}
