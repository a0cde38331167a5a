import RealmModel
import RealmStorage

/// Encodes the dictionaries of format 22: cluster trees with the keys in column 0, the values in column 1 and, if two keys
/// have the same hash, lists of the other keys in column 2 (chapter 2, section 8.3).
extension BatchEncoder {
  /// An entry in the order of the tree.
  private struct HashedEntry {
    /// Key of the entry in the tree.
    let key: ObjectKey
    /// Row of the entry among the elements.
    let row: Int
    /// Keys of the entries that would have the same key.
    var others: [ObjectKey] = []
  }

  /// Encodes the dictionary in `row`.
  ///
  /// - Returns: the root; ref 0 for an empty dictionary.
  func hashedDictionary(
    _ collections: CollectionColumn, _ elements: Prepared, _ row: Int,
    _ tree: inout CollectionBuilder
  ) throws(BuildError) -> NodePlace {
    guard let runs = collections.runs else {
      guard let keys = collections.keys else { throw BuildError(.wrongType) }
      return try hashedTree(keys, elements, collections.range(of: row), &tree)
    }
    // Sorting by hash needs all entries.
    var (keys, values): ([ScalarColumn], [ColumnValues]) = ([], [])
    while let run = try inBuild(runs.next()) {
      try check(tree.column, .collection(run))
      guard let some = run.keys else { throw BuildError(.wrongType) }
      keys.append(some)
      values.append(run.elements.copied)
    }
    guard let first = keys.first else { return .placed(0) }
    let picks = values.enumerated().flatMap { source, column in
      (0..<column.count).map { RowPick(source: source, row: $0) }
    }
    return try withExtendedLifetime(values) { () throws(BuildError) in
      let all = try prepare(tree.column.property, ColumnValues.picking(picks, of: values))
      column = tree.column
      return try hashedTree(
        ScalarColumn.picking(picks, of: keys, like: first), all, picks.indices, &tree)
    }
  }

  private func hashedTree(
    _ keys: ScalarColumn, _ elements: Prepared, _ range: Range<Int>,
    _ tree: inout CollectionBuilder
  ) throws(BuildError) -> NodePlace {
    guard !range.isEmpty else { return .placed(0) }
    // Finds equal keys.
    _ = try entryOrder(keys, range)
    let entries = hashedEntries(keys, range)
    let hasOthers = entries.contains { !$0.others.isEmpty }
    var clusters = ClusterTreeBuilder()
    for start in stride(from: 0, to: entries.count, by: Cluster.capacity) {
      let some = entries[start..<min(start + Cluster.capacity, entries.count)]
      let rows = some.map(\.row)
      let names = keys.picking(rows)
      var leaves: [NodePlace] = [
        .placed(Leaf.encode(names, rows.indices, isNullable: false, format, into: nodes)),
        try mixedLeaf(elements.picking(rows), rows.indices, tree),
      ]
      if hasOthers {
        let lists = some.map { entry in
          entry.others.isEmpty ? 0 : Int64(nodes.append(integers: entry.others.map(\.raw)))
        }
        leaves.append(.placed(nodes.append(refs: lists)))
      }
      clusters.append(
        keys: some.map { UInt64(bitPattern: $0.key.raw) }, leaves: leaves, into: pending)
    }
    return try inBuild(clusters.finish(into: pending))
  }

  /// The entries in `range` with their keys in the tree, as an app gives them that inserts one after the other.
  private func hashedEntries(_ keys: ScalarColumn, _ range: Range<Int>) -> [HashedEntry] {
    var entries: [HashedEntry] = []
    entries.reserveCapacity(range.count)
    var places: [ObjectKey: Int] = [:]
    for row in range {
      let hash = DictionaryHash.objectKey(of: MixedValue(keys[row]), layout.platform)
      guard let first = places[hash] else {
        places[hash] = entries.count
        entries.append(HashedEntry(key: hash, row: row))
        continue
      }
      var attempt: UInt64 = 0
      while places[DictionaryHash.collidingKey(hash, attempt: attempt)] != nil { attempt += 1 }
      let key = DictionaryHash.collidingKey(hash, attempt: attempt)
      places[key] = entries.count
      entries.append(HashedEntry(key: key, row: row))
      entries[first].others.append(key)
    }
    return entries.sorted { UInt64(bitPattern: $0.key.raw) < UInt64(bitPattern: $1.key.raw) }
  }
}
