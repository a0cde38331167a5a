package import RealmStorage

/// The place of an object: the number of its cluster in a ``ClusterSearch``, and its row in the cluster.
struct ObjectPlace: Sendable {
  /// -1 for an object that does not exist.
  private let cluster: Int32
  private let rowNumber: Int32

  init(cluster: Int, row: Int) {
    // A file has fewer than 2³¹ clusters, a cluster at most 256 rows.
    (self.cluster, rowNumber) = (Int32(cluster), Int32(row))
  }

  static let none = ObjectPlace(cluster: -1, row: -1)

  var exists: Bool { cluster >= 0 }
  var clusterIndex: Int { Int(cluster) }
  var row: Int { Int(rowNumber) }
}

/// Finds the objects of one table by their keys, and reads values for many of them at once: the identities of
/// linked objects, and the properties of embedded objects. Used by one thread.
///
/// An export follows millions of links, so ``ObjectPlaces`` keeps clusters open and inner nodes decoded.
package final class ObjectGatherer {
  let table: Table
  private let reader: RealmReader
  private let objects: ObjectPlaces
  /// Decoded leaves of the columns of embedded objects, by column and cluster. Consecutive owners nearly always own
  /// objects in the same few clusters.
  private var decoded: [Int64: Decoded] = [:]
  private static let decodedLimit = 512
  /// The links of up to this many objects of a cluster are read one by one.
  private static let fewRows = 16
  /// How clusters and leaves that cannot be read are treated.
  private let damage: ObjectRequest.Damage

  private struct Decoded {
    let batch: LeafValues
    /// The readable rows, if the leaf is damaged.
    var readable: Leaf.Readable?
  }

  /// Why objects cannot be read, by their position among the requested ones.
  typealias Losses = [Int: RealmFileError]

  init(
    _ table: Table, isTombstones: Bool, _ reader: RealmReader, damage: ObjectRequest.Damage
  ) {
    (self.table, self.reader, self.damage) = (table, reader, damage)
    objects = ObjectPlaces(
      table.primaryKey.map { table.columns[$0] },
      ClusterSearch(
        root: isTombstones ? table.tombstones : table.clusters, nodes: reader.nodes),
      nodes: reader.nodes)
  }

  /// Discards what refers to pages that may be released. Called before each batch.
  func beginBatch() {
    guard !reader.nodes.keepsAllBytes else { return }
    objects.close()
    decoded.removeAll(keepingCapacity: true)
  }

  /// Discards the decoded values. Called at the end of a scope, even if nodes stay readable: long values are
  /// copies that belong to the scope.
  func forgetValues() { decoded.removeAll(keepingCapacity: true) }

  /// The places of the objects with `keys`.
  ///
  /// Takes each step for all keys before the next step, so that the processor waits for many memory accesses at
  /// once.
  ///
  /// - Parameter losses: receives why objects cannot be found, if damage is left out.
  /// - Throws: `damaged` with a rule of group `cluster`.
  func places(
    of keys: [ObjectKey], _ losses: inout Losses
  ) throws(RealmFileError) -> [ObjectPlace] {
    do {
      return try places(of: keys)
    } catch {
      guard damage == .leaveOut, error.isDamage else { throw error }
      var places: [ObjectPlace] = []
      for (row, key) in keys.enumerated() {
        do {
          places += key.isNull ? [.none] : try self.places(of: [key])
        } catch {
          losses[row] = error
          places.append(.none)
        }
      }
      return places
    }
  }

  private func places(of keys: [ObjectKey]) throws(RealmFileError) -> [ObjectPlace] {
    let clusters = try objects.clusters(of: keys)
    let open = try objects.open(all: clusters)
    return keys.indices.map { i in
      let cluster = clusters[i]
      let row = cluster < 0 ? -1 : open[cluster].row(of: UInt64(bitPattern: keys[i].raw))
      return row < 0 ? .none : ObjectPlace(cluster: cluster, row: row)
    }
  }

  /// Whether the object with `key` exists and can be found.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  package func contains(_ key: ObjectKey) throws(RealmFileError) -> Bool {
    let raw = UInt64(bitPattern: key.raw)
    guard !key.isNull, let cluster = try objects.cluster(of: raw) else { return false }
    return try objects.open(cluster).row(of: raw) >= 0
  }

  /// The ref of the cluster of each place, 0 for an object that does not exist.
  func clusterRefs(of places: [ObjectPlace]) -> [Ref] {
    places.map { $0.exists ? objects.ref(of: $0.clusterIndex) : 0 }
  }

  /// The cluster of an object that exists.
  func cluster(at place: ObjectPlace) throws(RealmFileError) -> Cluster {
    try objects.open(place.clusterIndex).cluster
  }

  /// The primary keys of the objects in `places`; null for an object that does not exist.
  ///
  /// Looks up each key in its leaf, because links can refer to objects of any cluster.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`.
  func primaryKeys(_ column: Column, of places: [ObjectPlace]) throws(RealmFileError)
    -> ScalarColumn
  {
    switch column.type {
    case .objectId: return .objectId(try fixedBytes(of: places, FixedBytesLeaf.objectIdSize))
    case .uuid: return .uuid(try fixedBytes(of: places, FixedBytesLeaf.uuidSize))
    case .string: return .string(try strings(of: places, column))
    default: break
    }
    var builder = ColumnBuilder(type: column.type)
    builder.reserve(places.count)
    let enumeration = try reader.enumeration(of: column)
    for place in places {
      guard place.exists else {
        builder.append(.null)
        continue
      }
      let leaf = try objects.open(place.clusterIndex).leaf
      builder.append(
        try Leaf.value(of: column, in: leaf, row: place.row, enumeration: enumeration, reader.nodes)
      )
    }
    return builder.batch.scalars ?? .int([], NullMask())
  }

  private func fixedBytes(
    of places: [ObjectPlace], _ size: Int
  ) throws(RealmFileError) -> SliceColumn {
    let open = try objects.open(all: [])
    return SliceColumn(
      places.map { place in
        // The leaf has a value for each row: opening it checked that.
        place.exists
          ? FixedBytesLeaf.value(
            in: open[place.clusterIndex].leaf.bytes, size: size, row: place.row)
          : nil
      })
  }

  private func strings(
    of places: [ObjectPlace], _ column: Column
  ) throws(RealmFileError) -> SliceColumn {
    let enumeration = try reader.enumeration(of: column)
    let open = try objects.open(all: [])
    var values: [ByteSlice?] = []
    values.reserveCapacity(places.count)
    for place in places {
      guard place.exists else {
        values.append(nil)
        continue
      }
      let leaf = open[place.clusterIndex].leaf
      guard !leaf.isInner else { throw Leaf.kindError(leaf, expected: "strings") }
      if !leaf.hasRefs, enumeration == nil {
        values.append(try ShortStringLeaf(leaf).value(at: place.row))
      } else {
        values.append(
          try StringLeaf(strings: leaf, reader.nodes, enumeration: enumeration, isLookUp: true)
            .value(at: place.row))
      }
    }
    return SliceColumn(values)
  }

  /// The values of `column` for the objects in `places`, which all exist.
  ///
  /// - Parameter losses: receives why values cannot be read, if damage is left out.
  /// - Throws: `damaged` with a rule of group `leaf`, with the property.
  func values(
    _ column: Column, of places: [ObjectPlace], _ losses: inout Losses
  ) throws(RealmFileError) -> LeafValues {
    var builder = ColumnBuilder(column)
    builder.reserve(places.count)
    var i = 0
    while i < places.count {
      let cluster = places[i].clusterIndex
      var end = i + 1
      while end < places.count, places[end].clusterIndex == cluster { end += 1 }
      if damage == .stop, column.type == .link, column.collection == nil,
        end - i <= ObjectGatherer.fewRows
      {
        try appendLinks(column, of: places[i..<end], ofCluster: cluster, to: &builder)
        i = end
        continue
      }
      let decoded = try leaf(column, ofCluster: cluster)
      let batch = decoded.batch
      if let readable = decoded.readable {
        for row in i..<end { losses[row] = readable.failure(of: places[row].row) }
      }
      let isWhole =
        i == 0 && end == places.count && end == batch.count
        && places.indices.allSatisfy { places[$0].row == $0 }
      if isWhole { return batch }
      for place in places[i..<end] { builder.append(batch, row: place.row) }
      i = end
    }
    return builder.batch
  }

  /// Appends the links of objects of one cluster.
  private func appendLinks(
    _ column: Column, of places: ArraySlice<ObjectPlace>, ofCluster index: Int,
    to builder: inout ColumnBuilder
  ) throws(RealmFileError) {
    let cluster = try objects.open(index).cluster
    do throws(RealmFileError) {
      let node = try reader.nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
      let leaf = try LinkLeaf(node, isBiased: true)
      try Leaf.check(node.count, rows: cluster.count, at: node)
      for place in places { builder.append(link: try leaf.value(at: place.row)) }
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  private func leaf(_ column: Column, ofCluster index: Int) throws(RealmFileError) -> Decoded {
    // A leaf index has 16 bits.
    let slot = Int64(index) << 16 | Int64(column.key.leafIndex)
    if let known = decoded[slot] { return known }
    let cluster = try objects.open(index).cluster
    let leaf = try reader.nodes.traversing { () throws(RealmFileError) in
      do throws(RealmFileError) {
        return Decoded(batch: try reader.batch(column, of: cluster, damage: damage))
      } catch {
        guard damage == .leaveOut, error.isDamage else { throw error }
        reader.nodes.uncount(to: 0)
        let readable = try reader.readable(column, of: cluster, because: error)
        return Decoded(batch: readable.batch, readable: readable)
      }
    }
    if decoded.count >= ObjectGatherer.decodedLimit { decoded.removeAll(keepingCapacity: true) }
    decoded[slot] = leaf
    return leaf
  }
}
