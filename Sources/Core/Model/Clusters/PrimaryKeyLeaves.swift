import RealmStorage

/// Where the primary keys of a table are: the clusters in key order, each opened when a link first
/// leads into it. Links are looked up by the million, and a way down the cluster tree for each of
/// them costs more than everything else about them.
///
/// For mapped files only: the nodes are kept.
final class PrimaryKeyLeaves {
  /// Clusters up to which the nodes are kept: at about 100 bytes each 6 MiB, for 16 million objects.
  private static let clusterLimit = 1 << 16

  private let bases: [UInt64]
  private let refs: [Ref]
  private let leafIndex: Int
  private var opened: [(cluster: Cluster, leaf: Node)?]

  init(clusters: [ClusterPosition], leafIndex: Int) {
    let isUsable = clusters.count <= PrimaryKeyLeaves.clusterLimit
    bases = isUsable ? clusters.map(\.base) : []
    refs = isUsable ? clusters.map(\.ref) : []
    self.leafIndex = leafIndex
    opened = Array(repeating: nil, count: refs.count)
  }

  /// False for a table that is too large.
  var isUsable: Bool { !refs.isEmpty }

  /// The leaf and row of the primary key of the object with `key`, nil where there is no object.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  func find(
    _ key: ObjectKey, _ nodes: NodeReader
  ) throws(RealmFileError) -> (leaf: Node, row: Int)? {
    let wanted = UInt64(bitPattern: key.raw)
    var (low, high) = (0, bases.count)
    while low < high {
      let middle = (low &+ high) &>> 1
      if bases[middle] <= wanted { low = middle &+ 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let index = low - 1
    if opened[index] == nil {
      let cluster = try Cluster(
        try nodes.lookUp(refs[index]), base: bases[index], nodes: nodes)
      opened[index] = (cluster, try nodes.lookUp(try cluster.leaf(at: leafIndex)))
    }
    guard let (cluster, leaf) = opened[index],
      let row = cluster.row(ofRelativeKey: wanted &- bases[index])
    else { return nil }
    return (leaf, row)
  }
}
