import RealmModel
import RealmStorage

/// A table of which some clusters are built, because objects in them change, and the others are copied.
struct EditedTable: Sendable {
  /// All clusters, in the order of their keys.
  let clusters: [ClusterPosition]
  /// The positions of the clusters to build, in ascending order.
  let touched: [Int]

  /// The most clusters that are built, of all tables: this number, or a share of all clusters. For more, building
  /// all objects and their indexes in order takes less time than editing the indexes.
  private static let (usualLimit, leastShare) = (64, 4)

  /// The clusters of a table of which none is built.
  init(clustersOf table: Table, in realm: Realm) throws(RealmFileError) {
    self.init(clusters: try realm.clusters(of: table), touched: [])
  }

  private init(clusters: [ClusterPosition], touched: [Int]) {
    (self.clusters, self.touched) = (clusters, touched)
  }

  /// The position of the cluster that has, or would have, the object with `key`; nil if there are no clusters.
  func cluster(of key: ObjectKey) -> Int? { EditedTable.cluster(of: key, in: clusters) }

  private static func cluster(of key: ObjectKey, in clusters: [ClusterPosition]) -> Int? {
    var (low, high) = (0, clusters.count)
    while low < high {
      let middle = (low + high) / 2
      if clusters[middle].base <= UInt64(bitPattern: key.raw) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return clusters.isEmpty ? nil : max(low - 1, 0)
  }

  /// The tables with the objects with `keys`, by position.
  ///
  /// - Parameter newCounts: the numbers of objects that come after all others, by position of their class.
  /// - Returns: nil if a table cannot be edited, or if too many clusters change.
  static func tables(
    of realm: Realm, _ keys: [Int: [ObjectKey]], _ newCounts: [Int: Int]
  ) throws(RealmFileError) -> [Int: EditedTable]? {
    let nodes = try realm.snapshot.makeReader()
    var (tables, count, total): ([Int: EditedTable], Int, Int) = ([:], 0, 0)
    for (position, keys) in keys {
      let table = realm.schema.tables[position]
      guard try realm.canEdit(table, nodes) else { return nil }
      let clusters = try realm.clusters(of: table)
      var touched = Set(keys.compactMap { cluster(of: $0, in: clusters) })
      // A cluster that is the whole tree cannot be copied into another tree.
      if clusters.count == 1 { touched = [0] }
      tables[position] = EditedTable(clusters: clusters, touched: touched.sorted())
      count += touched.count + newCounts[position, default: 0] / Cluster.capacity
      total += clusters.count
    }
    return count <= max(usualLimit, total / leastShare) ? tables : nil
  }
}

extension Realm {
  /// Whether objects of a table can change without building all of it: no column is enumerated, each index can be
  /// edited, and neither the table nor one that it links to has tombstones, which links to new objects would replace.
  fileprivate func canEdit(_ table: Table, _ nodes: NodeReader) throws(RealmFileError) -> Bool {
    let targets = schema.tables.filter { target in
      target.backlinkColumns.contains { $0.origin == table.key }
    }
    guard table.tombstones == 0, targets.allSatisfy({ $0.tombstones == 0 }) else { return false }
    guard try CollisionMap.rows(of: table, nodes).isEmpty else { return false }
    let storesKeys = snapshot.fileFormat.hasPrimaryKeyIndexes
    return table.columns.enumerated().allSatisfy { position, column in
      let isStored = column.property.index != nil || position == table.primaryKey && storesKeys
      return column.enumeration == 0 && column.property.hasEditableIndex
        && (!isStored || column.index != 0)
    }
  }
}

extension Property {
  /// Whether an entry of its index, if there is one, shows the value. Values of mixed properties can share an entry, and
  /// so can words of lists.
  fileprivate var hasEditableIndex: Bool {
    index == nil || type != .mixed && collection == nil
  }
}
