package import RealmModel
package import RealmStorage
import Synchronization

/// Determines which indexes of a table are correct, by sums alone. Does not find out what is wrong with the
/// others.
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

  /// The positions of the columns whose index is not correct.
  ///
  /// - Throws: the errors of finding the clusters; errors other than damage.
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
      try VerifyWorker(realm)
    } _: { (worker, part) throws(RealmFileError) in
      try worker.nodes.traversing { () throws(RealmFileError) in
        guard part < positions.count else {
          let start = (part - positions.count) * IndexComparison.clustersPerPart
          var scan = ObjectScan(plan, worker.reader, limit: 1)
          for place in clusters[
            start..<min(start + IndexComparison.clustersPerPart, clusters.count)]
          {
            try scan.scan(place)
          }
          return .objects(scan.indexed)
        }
        let position = positions[part]
        let check = IndexCheck(
          table.columns[position], of: table, plan.indexedColumns[position] ?? .whole,
          worker: worker, limit: 1)
        return .index(position: position, check.part(nil, clusters: clusters))
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
}

extension IndexCheck.Part {
  /// Whether the part, which is a whole index, has exactly the content `data`.
  fileprivate func lists(_ data: IndexedData) -> Bool {
    !isOdd && findings.list.isEmpty && data.failure == nil && sum == data.sum
  }
}
