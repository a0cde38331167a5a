import RealmModel
import RealmStorage

/// Packs clusters into a cluster tree (chapter 2, section 5.5).
struct ClusterTreeBuilder {
  private let nodes: FileNodes
  private var clusters: [ClusterTree.Child] = []

  init(into nodes: FileNodes) { self.nodes = nodes }

  /// Appends a cluster.
  ///
  /// - Parameters:
  ///   - keys: keys of the cluster's objects, ascending as unsigned numbers, larger than those of the
  ///     previous cluster.
  ///   - leaves: refs by leaf index.
  /// - Throws: the errors of the output.
  mutating func append(keys: [UInt64], leaves: [Ref]) throws(RealmFileError) {
    // Keys of the leftmost cluster are relative to 0, those of any other cluster to its first key.
    let base = clusters.isEmpty ? 0 : keys.first ?? 0
    let isCompact = keys.last.map { $0 - base == UInt64(keys.count - 1) } ?? true
    let head: Int64 =
      isCompact
      ? Int64(keys.count) << 1 | 1
      : Int64(try nodes.append(unsigned: keys.map { $0 - base }))
    let ref = try nodes.append(refs: [head] + leaves.map { Int64($0) })
    clusters.append(ClusterTree.Child(ref: ref, base: base, objectCount: keys.count))
  }

  /// Appends the inner nodes.
  ///
  /// - Returns: the root.
  consuming func finish() throws(RealmFileError) -> Ref {
    guard let only = clusters.first, clusters.count == 1 else {
      return try ClusterTree.encode(clusters, into: nodes.buffer) { () throws(RealmFileError) in
        try nodes.relieve()
      }
    }
    return only.ref
  }
}
