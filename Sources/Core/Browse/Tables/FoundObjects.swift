import RealmModel
import RealmQuery
import RealmStorage

/// The objects of a class that a query finds, in the order of the query.
enum FoundObjects {
  /// All objects of the class by key. Their keys are read when they are needed.
  case all(Table)
  case some([ObjectKey])

  /// Number of objects in a sample, except for the last cluster, and of the runs that they come in.
  private static let sampleLimit = 16_384
  private static let runCount = 64

  var count: Int {
    switch self {
    case .all(let table): table.objectCount
    case .some(let keys): keys.count
    }
  }

  /// The keys of the objects with the numbers in `range`.
  func keys(_ range: Range<Int>, in realm: Realm) throws(RealmFileError) -> [ObjectKey] {
    switch self {
    case .all(let table): try PropertyReader(realm).keys(ofObjects: range, of: table)
    case .some(let keys): Array(keys[range.clamped(to: keys.indices)])
    }
  }

  /// The keys of a sample: of all objects if there are few, otherwise of runs of objects at even distances from the first
  /// to the last.
  ///
  /// Of all objects of a class, those of a cluster are a run, so that a sample needs few parts of the file.
  func sample(in realm: Realm) throws(RealmFileError) -> [ObjectKey] {
    switch self {
    case .all(let table):
      let reader = try PropertyReader(realm)
      let clusters = try reader.clusters(of: table)
      // Clusters may be far from full.
      let share = Double(FoundObjects.sampleLimit) / Double(max(1, table.objectCount))
      let wanted = max(Double(FoundObjects.runCount), share * Double(clusters.count))
      var keys: [ObjectKey] = []
      for position in FoundObjects.evenly(Int(min(wanted, 1e9)), of: clusters.count)
      where keys.count < FoundObjects.sampleLimit {
        let mark = reader.mark()
        defer { reader.release(to: mark) }
        keys += try reader.rows(at: clusters[position], of: table).keys
      }
      return keys
    case .some(let keys):
      guard keys.count > FoundObjects.sampleLimit else { return keys }
      let size = FoundObjects.sampleLimit / FoundObjects.runCount
      return FoundObjects.evenly(FoundObjects.runCount, of: keys.count - size + 1)
        .flatMap { keys[$0..<($0 + size)] }
    }
  }

  /// At most `count` of the numbers from 0 to `total - 1`, at even distances, the first and the last among them.
  private static func evenly(_ count: Int, of total: Int) -> [Int] {
    guard count < total, count > 1 else { return Array(0..<total) }
    return (0..<count).map { $0 * (total - 1) / (count - 1) }
  }
}
