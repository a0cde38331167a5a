package import RealmModel
package import RealmStorage
import Synchronization

/// Finds out which indexes of a table list exactly its objects under their values, as sums, without telling
/// what is wrong with the others.
package struct IndexComparison {
  /// Clusters of a part.
  private static let clustersPerPart = 64

  private enum Output: Sendable {
    case index(position: Int, IndexCheck.Part)
    case objects([Int: IndexedData])
  }

  private let realm: Realm
  private let table: Table
  private let plan: ObjectPlan

  /// - Parameter positions: positions of columns with an index.
  package init(_ table: Table, _ positions: Set<Int>, in realm: Realm) throws(RealmFileError) {
    (self.realm, self.table) = (realm, table)
    let nodes = try RealmReader(realm).nodes
    var plan = ObjectPlan(table, tombstones: false)
    for position in positions {
      plan.indexedColumns[position] = IndexMethod(for: table.columns[position], nodes)
    }
    self.plan = plan
  }

  /// The positions of the columns whose index is not right.
  ///
  /// - Throws: errors of the clusters; errors that say nothing about the file.
  package func wrong(jobs: Int) throws(RealmFileError) -> Set<Int> {
    let reader = try RealmReader(realm)
    let clusters = try reader.nodes.traversing { () throws(RealmFileError) in
      try reader.clusters(of: table)
    }
    let positions = plan.indexedColumns.keys.sorted()
    let scanCount =
      (clusters.count + IndexComparison.clustersPerPart - 1) / IndexComparison.clustersPerPart
    let total = Mutex((indexes: [Int: IndexCheck.Part](), objects: [Int: IndexedData]()))
    let parts = OrderedParts<Output, RealmFileError>(
      count: positions.count + scanCount, jobs: jobs,
      accept: { (_, output) throws(RealmFileError) in
        total.withLock { total in
          switch output {
          case .index(let position, let part): total.indexes[position] = part
          case .objects(let data):
            for (position, data) in data { total.objects[position, default: IndexedData()] += data }
          }
        }
      })
    try parts.run { () throws(RealmFileError) in
      try RealmReader(realm)
    } _: { (reader, part) throws(RealmFileError) in
      try reader.nodes.traversing { () throws(RealmFileError) in
        guard part < positions.count else {
          let start = (part - positions.count) * IndexComparison.clustersPerPart
          var scan = ObjectScan(plan, reader, limit: 1)
          for place in clusters[
            start..<min(start + IndexComparison.clustersPerPart, clusters.count)]
          {
            try scan.scan(place)
          }
          return .objects(scan.indexed)
        }
        let position = positions[part]
        return .index(position: position, try index(position, clusters, reader))
      }
    }
    return total.withLock { total in
      Set(
        positions.filter { position in
          guard let index = total.indexes[position] else { return true }
          return !index.lists(total.objects[position] ?? IndexedData())
        })
    }
  }

  private func index(
    _ position: Int, _ clusters: [ClusterPosition], _ reader: RealmReader
  ) throws(RealmFileError) -> IndexCheck.Part {
    let check = IndexCheck(
      table.columns[position], of: table, plan.indexedColumns[position] ?? .whole, reader: reader,
      limit: 1)
    return try check.part(nil, clusters: clusters)
  }
}

extension IndexCheck.Part {
  /// Whether the whole index lists exactly `data`.
  fileprivate func lists(_ data: IndexedData) -> Bool {
    !isOdd && findings.list.isEmpty && data.failure == nil && sum == data.sum
  }
}
