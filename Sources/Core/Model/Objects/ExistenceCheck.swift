package import RealmStorage

/// Checks that the objects that an index names exist, with several threads.
package struct ExistenceCheck {
  /// Clusters of a part.
  private static let clustersPerPart = 64

  private let realm: Realm
  private let table: Table
  private let jobs: Int

  package init(_ realm: Realm, _ table: Table, jobs: Int) {
    (self.realm, self.table, self.jobs) = (realm, table, jobs)
  }

  /// Checks the objects with `keys`.
  ///
  /// - Parameter keys: in ascending order.
  /// - Throws: `damaged` with rule `link.dangling` if one does not exist; other rules if their clusters are
  ///   damaged.
  package func run(_ keys: [ObjectKey]) throws(RealmFileError) {
    guard let least = keys.first else { return }
    let clusters = try PropertyReader(realm).clusters(of: table)
    guard least.raw >= 0, !clusters.isEmpty else {
      throw PropertyReader.dangling(least, of: table)
    }
    let size = ExistenceCheck.clustersPerPart
    let parts = OrderedParts<Void, RealmFileError>(
      count: (clusters.count + size - 1) / size, jobs: jobs, accept: { (_, _) in })
    try parts.run {
      () throws(RealmFileError) in
      try PropertyReader(realm)
    } _: { (reader, part) throws(RealmFileError) in
      var start = part == 0 ? 0 : keys.lowerBound(of: clusters[part * size].base)
      for position in part * size..<min((part + 1) * size, clusters.count) {
        let next = position + 1
        let end = next < clusters.count ? keys.lowerBound(of: clusters[next].base) : keys.count
        defer { start = end }
        guard start < end else { continue }
        let mark = reader.mark()
        defer { reader.release(to: mark) }
        try reader.checkExistence(of: keys[start..<end], at: clusters[position], of: table)
      }
    }
  }
}

extension [ObjectKey] {
  /// Position of the first of ascending keys, none of which is negative, that is not below `base`.
  fileprivate func lowerBound(of base: UInt64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if UInt64(bitPattern: self[middle].raw) < base { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
