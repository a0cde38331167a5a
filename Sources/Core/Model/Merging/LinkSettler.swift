package import RealmStorage

/// Makes batches of one realm fit another one with the same classes: names classes by their positions there, leaves
/// out the keys of objects that have primary keys, and decides about links whose targets are not in the first realm.
/// Belongs to one thread at a time.
package final class LinkSettler: @unchecked Sendable {
  /// What becomes of a link.
  package enum Fate {
    /// It leads to an object of the other realm.
    case expected
    /// It leads to a tombstone there.
    case unresolved
    /// A single one becomes null, one of a list or set is left out.
    case dropped
  }

  /// Positions in the other schema, by position in this one.
  private let positions: [Int]
  /// Whether all links by object key are asked about, not only those that are unresolved here.
  private let asksAboutKeys: Bool
  private let fate: (_ target: Int, _ key: ObjectKey) throws(RealmFileError) -> Fate

  /// - Parameters:
  ///   - positions: of the classes in the other schema, by position in this one.
  ///   - asksAboutKeys: whether `fate` is asked about every link to a class without primary key.
  ///   - fate: of a link, by the position of its class in the other schema, and its key here.
  package init(
    positions: [Int], asksAboutKeys: Bool,
    fate: @escaping (_ target: Int, _ key: ObjectKey) throws(RealmFileError) -> Fate
  ) {
    (self.positions, self.asksAboutKeys, self.fate) = (positions, asksAboutKeys, fate)
  }

  /// The same objects for the other realm, without keys of their own.
  ///
  /// - Throws: what `fate` throws.
  package func settle(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    var columns: [ColumnValues?] = []
    for column in batch.columns { columns.append(try column.map(settle)) }
    return ObjectBatch(
      classPosition: positions[batch.classPosition], count: batch.count, keys: [], columns: columns,
      owner: batch)
  }

  private func settle(_ values: ColumnValues) throws(RealmFileError) -> ColumnValues {
    switch values {
    case .scalar: return values
    case .link(let column): return .link(try settle(column))
    case .mixed(let column): return .mixed(try settle(column))
    case .embedded(let column):
      return .embedded(EmbeddedColumn(rows: column.rows, objects: try settle(column.objects)))
    case .collection(let column): return .collection(try settle(column))
    }
  }

  private func settle(_ column: LinkColumn) throws(RealmFileError) -> LinkColumn {
    let target = positions[column.target]
    let isByKey = column.identities == nil
    var result = LinkColumn(
      target: target, count: column.count, nulls: column.nulls,
      keys: isByKey ? column.keys : [], identities: column.identities)
    guard !column.unresolved.isEmpty || isByKey && asksAboutKeys else { return result }
    for row in 0..<column.count where !column.nulls[row] {
      guard column.unresolved[row] || isByKey && asksAboutKeys else { continue }
      switch try fate(target, column.keys[row]) {
      case .expected: continue
      case .unresolved: result.unresolved.insert(row)
      case .dropped: result.nulls.insert(row)
      }
    }
    return result
  }

  private func settle(_ column: MixedColumn) throws(RealmFileError) -> MixedColumn {
    var result = column
    var dropped = Set<Int>()
    for (i, link) in column.links.enumerated() {
      var isUnresolved = false
      if let key = link.key, link.isUnresolved || link.identity == nil && asksAboutKeys {
        switch try fate(positions[link.target], key) {
        case .expected: break
        case .unresolved: isUnresolved = true
        case .dropped: dropped.insert(i)
        }
      }
      result.links[i] = MixedColumn.Link(
        target: positions[link.target], key: link.identity == nil ? link.key : nil,
        identity: link.identity, isUnresolved: isUnresolved)
    }
    if !dropped.isEmpty {
      result.values = column.values.map { value in
        if case .link(let i) = value, dropped.contains(i) { .null } else { value }
      }
    }
    if let lists = column.lists { result.lists = try settle(lists) }
    if let dictionaries = column.dictionaries { result.dictionaries = try settle(dictionaries) }
    return result
  }

  fileprivate func settle(_ column: CollectionColumn) throws(RealmFileError) -> CollectionColumn {
    if let runs = column.runs { return CollectionColumn(runs: SettledRuns(runs, self)) }
    let elements = try settle(column.elements)
    guard column.keys == nil, case .link(let links) = elements, !links.nulls.isEmpty else {
      return CollectionColumn(ends: column.ends, elements: elements, keys: column.keys)
    }
    // Lists and sets of links hold no null.
    var (ends, rows): ([Int], [RowPick]) = ([], [])
    for row in column.ends.indices {
      for i in column.range(of: row) where !links.nulls[i] {
        rows.append(RowPick(source: 0, row: i))
      }
      ends.append(rows.count)
    }
    return CollectionColumn(ends: ends, elements: ColumnValues.picking(rows, of: [elements]))
  }
}

/// The runs of a large collection, settled.
private final class SettledRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let settler: LinkSettler

  init(_ runs: any CollectionRuns, _ settler: LinkSettler) {
    (self.runs, self.settler) = (runs, settler)
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map(settler.settle)
  }
}
