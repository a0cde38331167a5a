import RealmStorage

/// Finds the objects of one table by key, and the leaves of one of its columns, if asked for: 28 bytes a cluster, and
/// about 150 for each that was opened. Belongs to one thread.
///
/// A way down the cluster tree for each object costs more than everything else about it. So the places of
/// all clusters are kept, and each is opened when an object of it is first looked for.
final class ObjectPlaces {
  /// A cluster, and the leaf of the column.
  struct Opened {
    let cluster: Cluster
    let base: UInt64
    /// The cluster itself where no column was asked for.
    let leaf: Node

    /// The key of the object in `row`, which must exist.
    func key(at row: Int) -> ObjectKey { cluster.key(at: row) }

    /// The row of the object with `key`, -1 where there is none.
    @inline(__always)
    func row(of key: UInt64) -> Int {
      let relative = key &- base
      guard let keys = cluster.keys else {
        return relative < UInt64(cluster.count) ? Int(relative) : -1
      }
      let row = keys.lowerBound(of: relative)
      return row < keys.count && keys.unsigned(at: row) == relative ? row : -1
    }
  }

  private let column: Column?
  private let nodes: NodeReader
  /// The bases of the clusters in key order, and their refs.
  private let bases: [UInt64]
  private let refs: [Ref]
  /// For each cluster its position in `opened`, -1 where it was not opened.
  private var positions: [Int32]
  private var opened: [Opened] = []
  /// The clusters that are open.
  private var openIndexes: [Int] = []

  /// - Parameter column: nil where no leaf is asked for.
  init(_ column: Column?, _ clusters: [ClusterPosition], nodes: NodeReader) {
    (self.column, self.nodes) = (column, nodes)
    bases = clusters.map(\.base)
    refs = clusters.map(\.ref)
    positions = Array(repeating: -1, count: refs.count)
  }

  var clusterCount: Int { refs.count }

  /// The cluster in which the object with `key` would be: the last one whose keys start at `key` or
  /// before, or the first one. Without branches on what is found: object keys are hashes, which nobody
  /// can predict.
  ///
  /// - Precondition: there are clusters.
  func cluster(of key: UInt64) -> Int {
    unsafe bases.withUnsafeBufferPointer { unsafe ObjectPlaces.cluster(of: key, $0) }
  }

  /// The cluster of each of `keys`; see ``cluster(of:)``.
  func clusters(of keys: [ObjectKey]) -> [Int] {
    unsafe bases.withUnsafeBufferPointer { bases in
      keys.map { unsafe ObjectPlaces.cluster(of: UInt64(bitPattern: $0.raw), bases) }
    }
  }

  @inline(__always)
  private static func cluster(of key: UInt64, _ bases: UnsafeBufferPointer<UInt64>) -> Int {
    var low = 0
    var rest = bases.count
    while rest > 1 {
      // low + rest is at most the count.
      let half = rest &>> 1
      low = unsafe bases[low &+ half] <= key ? low &+ half : low
      rest &-= half
    }
    return low
  }

  /// Cluster `index`, and the leaf of the column there. Not counted as a traversal.
  ///
  /// - Throws: `damaged` with a rule of group `cluster` or `leaf`.
  @inline(__always)
  func open(_ index: Int) throws(RealmFileError) -> Opened {
    if positions[index] < 0 { try openAnew(index) }
    return opened[Int(positions[index])]
  }

  private func openAnew(_ index: Int) throws(RealmFileError) {
    let cluster = try Cluster(try nodes.lookUp(refs[index]), base: bases[index], nodes: nodes)
    let place = Opened(
      cluster: cluster, base: bases[index], leaf: try leaf(of: cluster))
    // A file has fewer than 2³¹ clusters.
    positions[index] = Int32(opened.count)
    opened.append(place)
    openIndexes.append(index)
  }

  private func leaf(of cluster: Cluster) throws(RealmFileError) -> Node {
    guard let column else { return cluster.node }
    let leaf = try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
    if column.type == .objectId || column.type == .uuid {
      let size = column.type == .uuid ? FixedBytesLeaf.uuidSize : FixedBytesLeaf.objectIdSize
      guard !leaf.isInner, try FixedBytesLeaf(leaf, size: size).count == cluster.count else {
        throw Leaf.rowsError(leaf.count, rows: cluster.count, at: leaf)
      }
    }
    return leaf
  }

  /// The clusters that are open, by index: for loops over many rows, which look at them without asking
  /// an object for each.
  struct Open {
    fileprivate let positions: [Int32]
    fileprivate let opened: [Opened]

    /// Cluster `index`, which must be open.
    subscript(index: Int) -> Opened {
      @inline(__always)
      get { opened[Int(positions[index])] }
    }
  }

  /// Opens the clusters with `indexes`.
  ///
  /// - Throws: as ``open(_:)``.
  func open(all indexes: [Int]) throws(RealmFileError) -> Open {
    for index in indexes where positions[index] < 0 { try openAnew(index) }
    return Open(positions: positions, opened: opened)
  }

  /// Forgets what was opened: before a scope is released in which that was, unless nodes stay readable.
  func close() {
    for index in openIndexes { positions[index] = -1 }
    openIndexes.removeAll(keepingCapacity: true)
    opened.removeAll(keepingCapacity: true)
  }
}
