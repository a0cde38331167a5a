import RealmModel
import RealmStorage

/// Collections without the elements that a new realm cannot hold.
extension SalvageFilter {
  func filtered(
    _ column: CollectionColumn, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> CollectionColumn {
    if let runs = column.runs {
      return CollectionColumn(runs: FilteredRuns(runs, property, self))
    }
    var owners: [Int] = []
    owners.reserveCapacity(column.ends.last ?? 0)
    for row in 0..<column.count {
      for _ in column.range(of: row) { owners.append(rows?[row] ?? row) }
    }
    var (elements, bad) = filtered(column.elements, property, rows: owners, &removed)
    if let keys = column.keys {
      let badKeys = badKeys(keys, column)
      note(badKeys, owners, &removed)
      // A null shows that the dictionary had the key.
      bad = property.isOptional ? badKeys : bad.merging(badKeys) { first, _ in first }
    }
    guard !bad.isEmpty else {
      return CollectionColumn(ends: column.ends, elements: elements, keys: column.keys)
    }
    var (ends, kept): ([Int], [RowPick]) = ([], [])
    for row in 0..<column.count {
      for i in column.range(of: row) where bad[i] == nil { kept.append(RowPick(source: 0, row: i)) }
      ends.append(kept.count)
    }
    elements = ColumnValues.picking(kept, of: [elements])
    return CollectionColumn(
      ends: ends, elements: elements,
      keys: column.keys.map { ScalarColumn.picking(kept, of: [$0], like: $0) })
  }

  /// The entries with an invalid key or the key of another entry.
  private func badKeys(_ keys: ScalarColumn, _ column: CollectionColumn) -> [Int: Rule] {
    var bad = rules.broken(in: keys, isRequired: true)
    for row in 0..<column.count {
      let range = column.range(of: row)
      var previous: BatchValue?
      let isAscending = range.allSatisfy { i in
        defer { previous = keys[i] }
        return previous.map { $0.precedes(keys[i]) } ?? true
      }
      guard !isAscending else { continue }
      var seen = Set<[UInt8]>()
      for i in range where bad[i] == nil {
        if !seen.insert(keys[i].keyBytes).inserted { bad[i] = .dictionaryUniqueKeys }
      }
    }
    return bad
  }

  /// A run of the elements of a large collection, without what a new realm cannot hold.
  ///
  /// - Parameter owner: the property of the object that has the collection.
  fileprivate func filtered(
    run: CollectionColumn, _ property: Property, of owner: String
  ) -> CollectionColumn {
    var removed = Removed()
    // Collections in the run belong to the same property.
    large.property = owner
    defer {
      if !removed.rows.isEmpty { large.removed[owner, default: Removed()].formUnion(removed) }
    }
    return filtered(run, property, rows: nil, &removed)
  }
}

/// What a filter removed from large collections, by property.
final class RemovedFromRuns {
  /// The property whose values are being filtered.
  var property = ""
  var removed: [String: SalvageFilter.Removed] = [:]
}

/// The runs of a large collection, filtered.
private final class FilteredRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let property: Property
  private let filter: SalvageFilter
  private let owner: String

  init(_ runs: any CollectionRuns, _ property: Property, _ filter: SalvageFilter) {
    (self.runs, self.property, self.filter) = (runs, property, filter)
    owner = filter.large.property
  }

  private init(restarting other: FilteredRuns) {
    (runs, property) = (other.runs.restarted(), other.property)
    (filter, owner) = (other.filter, other.owner)
  }

  func restarted() -> any CollectionRuns { FilteredRuns(restarting: self) }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map { filter.filtered(run: $0, property, of: owner) }
  }
}

extension BatchValue {
  /// Whether a dictionary key comes before another one.
  fileprivate func precedes(_ other: BatchValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): a < b
    case (.int(let a), .int(let b)): a < b
    default: false
    }
  }

  /// The bytes of a dictionary key, to compare it with others.
  fileprivate var keyBytes: [UInt8] {
    switch self {
    case .string(let bytes): bytes.bytes
    case .int(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    default: []
    }
  }
}
