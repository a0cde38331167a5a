public import RealmStorage

/// The primary keys of the objects of one table, looked up by object key. Belongs to one thread.
///
/// Links are looked up by the million, and a way down the cluster tree for each of them costs more
/// than everything else about them. So the places of all clusters are kept, and each is opened when
/// a link first leads into it. Where nodes stay readable whatever is released, it stays open.
public final class PrimaryKeys {
  /// Clusters up to which they are kept: at about 150 bytes each 10 MiB, for 16 million objects.
  private static let clusterLimit = 1 << 16

  /// A cluster, and the leaf of its primary keys.
  private struct Opened {
    let base: UInt64
    let keys: Node?
    let count: Int
    let leaf: Node

    /// The row of the object with `key`, -1 where there is none.
    @inline(__always)
    func row(of key: UInt64) -> Int {
      let relative = key &- base
      guard let keys else { return relative < UInt64(count) ? Int(relative) : -1 }
      let row = keys.lowerBound(of: relative)
      return row < keys.count && keys.unsigned(at: row) == relative ? row : -1
    }
  }

  private let table: Table
  private let column: Column
  /// The distinct values of an enumerated column, or why they cannot be read.
  private let enumeration: Result<SliceColumn, RealmFileError>?
  private let nodes: NodeReader
  /// The bases of the clusters in key order; empty while they are not known or cannot be kept.
  private var bases: [UInt64] = []
  private var refs: [Ref] = []
  private var isPrepared = false
  /// The clusters that links led into; only within a call where nodes do not stay readable.
  private var opened: [Opened?] = []

  init(
    of table: Table, _ column: Column, enumeration: Result<SliceColumn, RealmFileError>?,
    nodes: NodeReader
  ) {
    self.table = table
    self.column = column
    self.enumeration = enumeration
    self.nodes = nodes
  }

  /// The primary key of the object with `key`, or of the tombstone with that key where it is
  /// unresolved; nil where there is none.
  ///
  /// - Throws: `damaged` with a rule of group `cluster` or `leaf`.
  public func value(of key: ObjectKey) throws(RealmFileError) -> MixedValue? {
    if !isPrepared { prepare() }
    guard !bases.isEmpty, !key.isUnresolved else { return try find(key) }
    let index = place(of: UInt64(bitPattern: key.raw))
    let place: Opened
    if let known = opened[index] {
      place = known
    } else {
      place = try open(index)
      if nodes.keepsAllBytes { opened[index] = place }
    }
    let row = place.row(of: UInt64(bitPattern: key.raw))
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
    guard !bases.isEmpty else { return nil }
    let places = keys.map { place(of: UInt64(bitPattern: $0.raw)) }
    defer { if !nodes.keepsAllBytes { for index in places { opened[index] = nil } } }
    for index in places where opened[index] == nil { opened[index] = try open(index) }
    let rows = keys.indices.map { i in
      opened[places[i]]?.row(of: UInt64(bitPattern: keys[i].raw)) ?? -1
    }
    var values: [MixedValue?] = Array(repeating: nil, count: keys.count)
    for i in keys.indices {
      if keys[i].isUnresolved { return nil }
      guard rows[i] >= 0, let leaf = opened[places[i]]?.leaf else { continue }
      if enumeration == nil && leaf.hasContext { return nil }
      values[i] = try value(rows[i], of: leaf)
    }
    return values
  }

  private func value(_ row: Int, of leaf: Node) throws(RealmFileError) -> MixedValue {
    switch column.type {
    // That there is one for each row was checked.
    case .objectId: Leaf.fixedBytes(leaf.bytes, size: 12, row: row).map { .objectId($0) } ?? .null
    case .uuid: Leaf.fixedBytes(leaf.bytes, size: 16, row: row).map { .uuid($0) } ?? .null
    default:
      try Leaf.value(
        of: column, in: leaf, row: row, enumeration: try enumeration?.get(), nodes)
    }
  }

  /// The last cluster whose keys start at `wanted` or before, or the first one. Without branches on
  /// what is found: object keys are hashes, which nobody can predict.
  private func place(of wanted: UInt64) -> Int {
    var low = 0
    var rest = bases.count
    while rest > 1 {
      let half = rest &>> 1
      low = bases[low &+ half] <= wanted ? low &+ half : low
      rest &-= half
    }
    return low
  }

  /// Where the tree is damaged, each look-up finds out for itself whether it comes upon the damage.
  private func prepare() {
    isPrepared = true
    let positions = try? nodes.traversing { () throws(RealmFileError) in
      try ClusterTree(root: table.clusters, nodes: nodes).clusters()
    }
    guard let positions, positions.count <= PrimaryKeys.clusterLimit else { return }
    bases = positions.map(\.base)
    refs = positions.map(\.ref)
    opened = Array(repeating: nil, count: refs.count)
  }

  private func open(_ index: Int) throws(RealmFileError) -> Opened {
    let cluster = try Cluster(try nodes.lookUp(refs[index]), base: bases[index], nodes: nodes)
    let leaf = try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
    if column.type == .objectId || column.type == .uuid {
      guard !leaf.isInner,
        try Leaf.fixedBytesRows(leaf, size: column.type == .uuid ? 16 : 12) == cluster.count
      else { throw .damaged(.leafRows, at: leaf.ref) }
    }
    return Opened(base: bases[index], keys: cluster.keys, count: cluster.count, leaf: leaf)
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
