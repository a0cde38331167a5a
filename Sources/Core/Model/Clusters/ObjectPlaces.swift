import RealmStorage

/// Finds the objects of one table by key and, optionally, the leaves of one of its columns. Used by one thread.
///
/// A cluster is opened when one of its objects is first looked up, and stays open for the others. Takes 4 bytes per
/// cluster beside those of ``ClusterSearch``, and about 150 per opened cluster.
final class ObjectPlaces {
  /// An opened cluster, and its leaf of the column.
  struct Opened {
    let cluster: Cluster
    let base: UInt64
    /// The leaf; the cluster itself if no column was requested.
    let leaf: Node
    /// Rows per unit of the keys, on average; 0 if the cluster stores no keys.
    private let density: Double

    init(_ cluster: Cluster, base: UInt64, leaf: Node) {
      (self.cluster, self.base, self.leaf) = (cluster, base, leaf)
      let last = cluster.keys.map { $0.count > 0 ? $0.unsigned(at: $0.count - 1) : 0 } ?? 0
      density = last > 0 ? Double(cluster.count) / Double(last) : 0
    }

    /// The key of the object in `row`, which must exist.
    func key(at row: Int) -> ObjectKey { cluster.key(at: row) }

    /// The row of the object with `key`; -1 if the cluster does not contain it.
    ///
    /// Object keys are consecutive numbers or hashes, so they are spread evenly: the search starts where the
    /// key would then be.
    @inline(__always)
    func row(of key: UInt64) -> Int {
      let relative = key &- base
      guard let keys = cluster.keys else {
        return relative < UInt64(cluster.count) ? Int(relative) : -1
      }
      let guess = min(Double(relative) * density, Double(keys.count))
      let row = keys.lowerBound(of: relative, near: Int(guess))
      return row < keys.count && keys.unsigned(at: row) == relative ? row : -1
    }
  }

  private let column: Column?
  private let nodes: NodeReader
  private var search: ClusterSearch
  /// The position of each cluster in `opened`; -1 if it is not open.
  private var positions: [Int32]
  private var opened: [Opened] = []
  /// The indexes of the open clusters.
  private var openIndexes: [Int] = []

  /// - Parameter column: the column with the leaves to open; nil if no leaves are needed.
  init(_ column: Column?, _ search: ClusterSearch, nodes: NodeReader) {
    (self.column, self.search, self.nodes) = (column, search, nodes)
    positions = Array(repeating: -1, count: search.numberLimit)
  }

  /// The number of the only cluster that can have the object with `key`; see ``ClusterSearch/cluster(of:)``.
  func cluster(of key: UInt64) throws(RealmFileError) -> Int? {
    defer { addPositions() }
    return try search.cluster(of: key)
  }

  /// Same as ``cluster(of:)``, but nil if that would read an inner node.
  @inline(__always)
  func knownCluster(of key: UInt64) -> Int? { search.knownCluster(of: key) }

  /// The number of the cluster for each of `keys`; see ``ClusterSearch/clusters(of:)``.
  func clusters(of keys: [ObjectKey]) throws(RealmFileError) -> [Int] {
    defer { addPositions() }
    return try search.clusters(of: keys)
  }

  /// Adds the clusters that a search found.
  private func addPositions() {
    let count = search.numberLimit - positions.count
    if count > 0 { positions += repeatElement(-1, count: count) }
  }

  func ref(of cluster: Int) -> Ref { search.ref(of: cluster) }

  /// Opens cluster `index` and the leaf of the column, without counting their nodes for the traversal.
  ///
  /// - Throws: `damaged` with a rule of group `cluster` or `leaf`.
  @inline(__always)
  func open(_ index: Int) throws(RealmFileError) -> Opened {
    if positions[index] < 0 { try openCluster(index) }
    return opened[Int(positions[index])]
  }

  private func openCluster(_ index: Int) throws(RealmFileError) {
    let base = search.base(of: index)
    let cluster = try Cluster(try nodes.lookUp(search.ref(of: index)), base: base, nodes: nodes)
    let place = Opened(cluster, base: base, leaf: try leaf(of: cluster))
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

  /// The open clusters by index, for loops over many rows: a value is faster to access than the class.
  struct Open {
    fileprivate let positions: [Int32]
    fileprivate let opened: [Opened]

    /// Cluster `index`, which must be open.
    subscript(index: Int) -> Opened {
      @inline(__always)
      get { opened[Int(positions[index])] }
    }
  }

  /// Opens several clusters. Leaves out -1.
  ///
  /// - Throws: same as ``open(_:)``.
  func open(all indexes: [Int]) throws(RealmFileError) -> Open {
    for index in indexes where index >= 0 && positions[index] < 0 { try openCluster(index) }
    return Open(positions: positions, opened: opened)
  }

  /// Closes all clusters. Must be called before the scope of their nodes is released, unless the nodes stay
  /// readable.
  func close() {
    for index in openIndexes { positions[index] = -1 }
    openIndexes.removeAll(keepingCapacity: true)
    opened.removeAll(keepingCapacity: true)
  }
}
