public import RealmStorage

/// The primary keys of the objects of one table, looked up by object key. Belongs to one thread.
///
/// Links are looked up by the million, and a way down the cluster tree for each of them costs more
/// than everything else about them. So the places of all clusters are kept, and each is opened when
/// a link first leads into it: for mapped files only, where nodes stay readable.
public final class PrimaryKeys {
  /// Clusters up to which they are kept: at about 150 bytes each 10 MiB, for 16 million objects.
  private static let clusterLimit = 1 << 16

  private let table: Table
  private let column: Column
  /// The distinct values of an enumerated column, or why they cannot be read.
  private let enumeration: Result<SliceColumn, RealmFileError>?
  private let nodes: NodeReader
  /// The places of all clusters; nil while they are not known or cannot be kept.
  private var places: ObjectPlaces?
  private var isPrepared = false

  init(
    of table: Table, _ column: Column, enumeration: Result<SliceColumn, RealmFileError>?,
    nodes: NodeReader
  ) {
    self.table = table
    self.column = column
    self.enumeration = enumeration
    self.nodes = nodes
    isPrepared = !nodes.isMapped
  }

  /// The primary key of the object with `key`, or of the tombstone with that key where it is
  /// unresolved; nil where there is none.
  ///
  /// - Throws: `damaged` with a rule of group `cluster` or `leaf`.
  public func value(of key: ObjectKey) throws(RealmFileError) -> MixedValue? {
    if !isPrepared { prepare() }
    guard let places, !key.isUnresolved else { return try find(key) }
    let wanted = UInt64(bitPattern: key.raw)
    let place = try places.open(places.cluster(of: wanted))
    let row = place.row(of: wanted)
    return row < 0 ? nil : try value(row, of: place.leaf)
  }

  /// The same for the keys of live objects, step by step for all of them, so that the machine waits
  /// for the memory of many places at a time.
  ///
  /// - Returns: nil where that cannot be done: the places of the clusters are not kept, a key is
  ///   unresolved, or the strings can lie in pieces, which are put together for one link at a time.
  /// - Throws: as ``value(of:)``.
  public func values(of keys: [ObjectKey]) throws(RealmFileError) -> [MixedValue?]? {
    if !isPrepared { prepare() }
    guard let places else { return nil }
    let clusters = keys.map { places.cluster(of: UInt64(bitPattern: $0.raw)) }
    for index in clusters { _ = try places.open(index) }
    var rows: [Int] = []
    rows.reserveCapacity(keys.count)
    for i in keys.indices {
      rows.append(try places.open(clusters[i]).row(of: UInt64(bitPattern: keys[i].raw)))
    }
    var values: [MixedValue?] = Array(repeating: nil, count: keys.count)
    for i in keys.indices {
      if keys[i].isUnresolved { return nil }
      guard rows[i] >= 0 else { continue }
      let leaf = try places.open(clusters[i]).leaf
      if enumeration == nil && leaf.hasContext { return nil }
      values[i] = try value(rows[i], of: leaf)
    }
    return values
  }

  private func value(_ row: Int, of leaf: Node) throws(RealmFileError) -> MixedValue {
    switch column.type {
    // That there is one for each row was checked when the leaf was opened.
    case .objectId:
      FixedBytesLeaf.value(in: leaf.bytes, size: FixedBytesLeaf.objectIdSize, row: row)
        .map { .objectId($0) } ?? .null
    case .uuid:
      FixedBytesLeaf.value(in: leaf.bytes, size: FixedBytesLeaf.uuidSize, row: row)
        .map { .uuid($0) } ?? .null
    default:
      try Leaf.value(
        of: column, in: leaf, row: row, enumeration: try enumeration?.get(), nodes)
    }
  }

  /// Where the tree is damaged, each look-up finds out for itself whether it comes upon the damage.
  private func prepare() {
    isPrepared = true
    let clusters = try? nodes.traversing { () throws(RealmFileError) in
      try ClusterTree(root: table.clusters, nodes: nodes).clusters()
    }
    guard let clusters, !clusters.isEmpty, clusters.count <= PrimaryKeys.clusterLimit else {
      return
    }
    places = ObjectPlaces(column, clusters, nodes: nodes)
  }

  /// Down the tree.
  private func find(_ key: ObjectKey) throws(RealmFileError) -> MixedValue? {
    let root = key.isUnresolved ? table.tombstones : table.clusters
    guard root != 0, !key.isNull,
      let (cluster, row) = try ClusterTree(root: root, nodes: nodes).find(key)
    else { return nil }
    let leaf = try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
    return try Leaf.value(
      of: column, in: leaf, row: row, enumeration: try enumeration?.get(), nodes)
  }
}
