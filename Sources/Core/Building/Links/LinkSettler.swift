package import RealmModel
package import RealmStorage

/// Adapts batches of one realm to another realm with the same classes: maps the positions of classes, removes
/// object keys, and decides about links whose targets the other realm may lack. Used by one thread at a time.
package final class LinkSettler: @unchecked Sendable {
  /// What a link becomes.
  package enum Fate {
    /// The link refers to an object of the other realm.
    case expected
    /// The link refers to an object of the other realm, which has this key there.
    case moved(to: ObjectKey)
    /// The link refers to a tombstone in the other realm.
    case unresolved
    /// A single link or a dictionary value becomes null; an element of a list or set is removed.
    case dropped
  }

  private let positions: [Int]
  private let asksAboutKeys: Bool
  private let asksAboutAll: Bool
  private let keepsKeys: Bool
  private let makesKeys: Bool
  private let fate: (_ target: Int, _ key: ObjectKey) throws(RealmFileError) -> Fate

  /// - Parameters:
  ///   - positions: the position of each class in the other schema, by its position in this schema.
  ///   - asksAboutKeys: whether `fate` decides about every link by object key, not only about unresolved links.
  ///     A link is by object key if its class has no primary key, or if objects keep their keys.
  ///   - asksAboutAll: whether `fate` decides about every link.
  ///   - keepsKeys: whether objects have the same keys in the other realm. A link to a live object then keeps
  ///     the object key, even if the primary key of the object changes.
  ///   - makesKeys: whether links become links by object key. Then `fate` decides about every link, and gives those
  ///     by primary key the object keys of the other realm.
  ///   - fate: decides about a link, given the position of the target class in the other schema and the
  ///     target's key in this realm.
  package init(
    positions: [Int], asksAboutKeys: Bool, asksAboutAll: Bool = false, keepsKeys: Bool = false,
    makesKeys: Bool = false,
    fate: @escaping (_ target: Int, _ key: ObjectKey) throws(RealmFileError) -> Fate
  ) {
    (self.positions, self.asksAboutKeys, self.fate) = (positions, asksAboutKeys, fate)
    (self.asksAboutAll, self.keepsKeys) = (asksAboutAll || makesKeys, keepsKeys)
    self.makesKeys = makesKeys
  }

  /// The same objects for the other realm.
  ///
  /// - Throws: the errors of `fate`.
  package func settle(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    var columns: [ColumnValues?] = []
    for column in batch.columns { columns.append(try column.map(settle)) }
    return ObjectBatch(
      classPosition: positions[batch.classPosition], count: batch.count,
      keys: keepsKeys ? batch.keys : [], columns: columns, owner: batch)
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
    let isByKey = keepsKeys || makesKeys || column.identities == nil
    var result = LinkColumn(
      target: target, count: column.count, nulls: column.nulls,
      keys: isByKey ? column.keys : [], identities: makesKeys ? nil : column.identities)
    let asks = asksAboutAll || isByKey && asksAboutKeys
    guard !column.unresolved.isEmpty || asks else { return result }
    for row in 0..<column.count where !column.nulls[row] {
      guard column.unresolved[row] || asks else { continue }
      switch try fate(target, column.keys[row]) {
      case .expected: continue
      case .moved(let key): result.keys[row] = key
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
      var (isUnresolved, newKey) = (false, link.key)
      let isByKey = keepsKeys || makesKeys || link.identity == nil
      if let key = link.key, link.isUnresolved || asksAboutAll || isByKey && asksAboutKeys {
        switch try fate(positions[link.target], key) {
        case .expected: break
        case .moved(let key): newKey = key
        case .unresolved: isUnresolved = true
        case .dropped: dropped.insert(i)
        }
      }
      result.links[i] = MixedColumn.Link(
        target: positions[link.target], key: isByKey ? newKey : nil,
        identity: makesKeys ? nil : link.identity, isUnresolved: isUnresolved)
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
    let isDropped = dropped(column.elements, elements)
    guard column.keys == nil, let isDropped else {
      return CollectionColumn(ends: column.ends, elements: elements, keys: column.keys)
    }
    // A dropped element is removed from a list or set: lists and sets of links cannot hold null.
    var (ends, rows): ([Int], [RowPick]) = ([], [])
    for row in column.ends.indices {
      for i in column.range(of: row) where !isDropped[i] {
        rows.append(RowPick(source: 0, row: i))
      }
      ends.append(rows.count)
    }
    return CollectionColumn(ends: ends, elements: ColumnValues.picking(rows, of: [elements]))
  }
}

extension LinkSettler {
  /// The elements whose links were dropped; nil if none were.
  private func dropped(_ old: ColumnValues, _ new: ColumnValues) -> NullMask? {
    switch (old, new) {
    case (_, .link(let links)): return links.nulls.isEmpty ? nil : links.nulls
    case (.mixed(let old), .mixed(let new)):
      let mask = NullMask(count: new.values.count) { row in
        if case .link = old.values[row] { new.values[row].isNull } else { false }
      }
      return mask.isEmpty ? nil : mask
    default: return nil
    }
  }
}

/// The runs of a large collection, adapted to the other realm.
private final class SettledRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let settler: LinkSettler

  init(_ runs: any CollectionRuns, _ settler: LinkSettler) {
    (self.runs, self.settler) = (runs, settler)
  }

  func restarted() -> any CollectionRuns { SettledRuns(runs.restarted(), settler) }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map(settler.settle)
  }
}
