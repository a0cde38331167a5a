import RealmStorage

/// Where an object is: a cluster, by its position in the tree, and a row of it.
struct ObjectPlace: Sendable {
  /// -1 for an object that does not exist.
  let cluster: Int32
  private let rowNumber: Int32

  init(cluster: Int, row: Int) {
    // A file has fewer than 2³¹ clusters, a cluster at most 256 rows.
    (self.cluster, rowNumber) = (Int32(cluster), Int32(row))
  }

  static let none = ObjectPlace(cluster: -1, row: -1)

  var exists: Bool { cluster >= 0 }
  var row: Int { Int(rowNumber) }
}

/// Finds the objects of one table by their keys, and gathers the values of columns for many of them: the
/// identities of links, the properties of embedded objects. Belongs to one thread.
///
/// Links are followed by the million, and a way down the cluster tree for each of them costs more than
/// everything else about them. So the bases and refs of all clusters are kept, and a cluster is opened
/// when a key first leads into it.
final class ObjectGatherer {
  /// Clusters up to which bases and refs are kept: 16 bytes each.
  private static let clusterLimit = 1 << 20

  /// A cluster that keys led into.
  private struct Opened {
    let cluster: Cluster
    let base: UInt64
    /// The leaf of the primary keys; nil where the class has none.
    let keyLeaf: Node?

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

  let table: Table
  private let reader: RealmReader
  private let bases: [UInt64]
  private let refs: [Ref]
  private var opened: [Opened?]
  /// Decoded leaves of the columns of embedded objects, by column and cluster: owners that follow one
  /// another nearly always own objects of a few clusters.
  private var decoded: [Int64: ColumnBatch] = [:]
  private static let decodedLimit = 512

  /// - Throws: `damaged` with a rule of group `cluster`; `storage.node-overlap` for more clusters than a
  ///   realm can have.
  init(_ table: Table, isTombstones: Bool, _ reader: RealmReader) throws(RealmFileError) {
    (self.table, self.reader) = (table, reader)
    let positions = try reader.nodes.traversing { () throws(RealmFileError) in
      try reader.clusters(of: table, tombstones: isTombstones)
    }
    guard positions.count <= ObjectGatherer.clusterLimit else {
      throw .damaged(.storageNodeOverlap, at: table.clusters, "\(positions.count) clusters")
    }
    bases = positions.map(\.base)
    refs = positions.map(\.ref)
    opened = Array(repeating: nil, count: refs.count)
  }

  /// Forgets what lies in pages that may be gone; called before each batch.
  func beginBatch() {
    guard !reader.nodes.keepsAllBytes else { return }
    for i in opened.indices { opened[i] = nil }
    decoded.removeAll(keepingCapacity: true)
  }

  /// Where the objects with `keys` are.
  ///
  /// Step by step for all of them, so that the machine waits for the memory of many places at a time.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  func places(of keys: [ObjectKey]) throws(RealmFileError) -> [ObjectPlace] {
    guard !bases.isEmpty else { return Array(repeating: .none, count: keys.count) }
    let indexes = keys.map { index(of: UInt64(bitPattern: $0.raw)) }
    for index in indexes where opened[index] == nil { opened[index] = try open(index) }
    return keys.indices.map { i in
      guard !keys[i].isNull else { return .none }
      let row = opened[indexes[i]]?.row(of: UInt64(bitPattern: keys[i].raw)) ?? -1
      return row < 0 ? .none : ObjectPlace(cluster: indexes[i], row: row)
    }
  }

  /// The last cluster whose keys start at `wanted` or before, or the first one. Without branches on what
  /// is found: object keys are hashes, which nobody can predict.
  private func index(of wanted: UInt64) -> Int {
    var low = 0
    var rest = bases.count
    while rest > 1 {
      let half = rest &>> 1
      low = bases[low &+ half] <= wanted ? low &+ half : low
      rest &-= half
    }
    return low
  }

  private func open(_ index: Int) throws(RealmFileError) -> Opened {
    let cluster = try Cluster(
      try reader.nodes.lookUp(refs[index]), base: bases[index], nodes: reader.nodes)
    guard let column = table.primaryKey.map({ table.columns[$0] }) else {
      return Opened(cluster: cluster, base: bases[index], keyLeaf: nil)
    }
    let leaf = try reader.nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
    if column.type == .objectId || column.type == .uuid {
      let rows = try Leaf.fixedBytesRows(leaf, size: column.type == .uuid ? 16 : 12)
      guard !leaf.isInner, rows == cluster.count else {
        throw .damaged(.leafRows, at: leaf.ref, "\(rows) values for \(cluster.count) objects")
      }
    }
    return Opened(cluster: cluster, base: bases[index], keyLeaf: leaf)
  }

  /// The ref of the cluster of each place, 0 for none.
  func clusterRefs(of places: [ObjectPlace]) -> [Ref] {
    places.map { $0.exists ? refs[Int($0.cluster)] : 0 }
  }

  /// The primary keys of the objects in `places`; null for one that does not exist.
  ///
  /// Each is looked up in its leaf by itself: links lead anywhere.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`.
  func primaryKeys(_ column: Column, of places: [ObjectPlace]) throws(RealmFileError)
    -> ScalarColumn
  {
    switch column.type {
    case .objectId: return .objectId(SliceColumn(try fixedBytes(of: places, size: 12)))
    case .uuid: return .uuid(SliceColumn(try fixedBytes(of: places, size: 16)))
    default: break
    }
    var builder = ColumnBuilder(type: column.type)
    builder.reserve(places.count)
    let enumeration = try reader.enumeration(of: column)
    for place in places {
      guard place.exists, let leaf = opened[Int(place.cluster)]?.keyLeaf else {
        builder.append(.null)
        continue
      }
      builder.append(
        try Leaf.value(of: column, in: leaf, row: place.row, enumeration: enumeration, reader.nodes)
      )
    }
    return ScalarColumn(builder.batch) ?? .int([], NullMask())
  }

  private func fixedBytes(
    of places: [ObjectPlace], size: Int
  ) throws(RealmFileError) -> [ByteSlice?] {
    places.map { place in
      guard place.exists, let leaf = opened[Int(place.cluster)]?.keyLeaf else { return nil }
      // That there is one for each row was checked when the cluster was opened.
      return Leaf.fixedBytes(leaf.bytes, size: size, row: place.row)
    }
  }

  /// The values of `column` for the objects in `places`, all of which exist.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`, with the property.
  func values(_ column: Column, of places: [ObjectPlace]) throws(RealmFileError) -> ColumnBatch {
    var builder = ColumnBuilder(column)
    builder.reserve(places.count)
    var i = 0
    while i < places.count {
      let cluster = Int(places[i].cluster)
      let batch = try leaf(column, ofCluster: cluster)
      var end = i + 1
      while end < places.count, Int(places[end].cluster) == cluster { end += 1 }
      let isWhole =
        i == 0 && end == places.count && end == batch.count
        && places.indices.allSatisfy { places[$0].row == $0 }
      if isWhole { return batch }
      for place in places[i..<end] { builder.append(batch, row: place.row) }
      i = end
    }
    return builder.batch
  }

  private func leaf(_ column: Column, ofCluster index: Int) throws(RealmFileError) -> ColumnBatch {
    // Leaf indexes have 16 bits.
    let slot = Int64(index) << 16 | Int64(column.key.leafIndex)
    if let known = decoded[slot] { return known }
    guard let cluster = opened[index]?.cluster else {
      throw .damaged(.clusterNode, at: refs[index])
    }
    let batch = try reader.nodes.traversing { () throws(RealmFileError) in
      try reader.batch(column, of: cluster)
    }
    if decoded.count >= ObjectGatherer.decodedLimit { decoded.removeAll(keepingCapacity: true) }
    decoded[slot] = batch
    return batch
  }

  /// The key of the object in `place`, which exists.
  func key(of place: ObjectPlace) -> ObjectKey {
    opened[Int(place.cluster)]?.cluster.key(at: place.row) ?? .null
  }
}
