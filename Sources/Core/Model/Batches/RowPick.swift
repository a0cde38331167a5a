import RealmStorage

/// A row in one of several columns or batches of one kind.
package struct RowPick: Sendable {
  /// Position of the column or batch.
  package let source: Int
  package let row: Int

  package init(source: Int, row: Int) { (self.source, self.row) = (source, row) }
}

extension ColumnValues {
  /// The values in some rows of `columns`, which belong to one property, in the order of `rows`.
  ///
  /// Bytes are not copied, so the result is readable as long as all of `columns` are.
  ///
  /// - Precondition: a row with a collection that comes in runs is the only one of `rows`.
  package static func picking(_ rows: [RowPick], of columns: [ColumnValues]) -> ColumnValues {
    guard let first = rows.first else { return columns[0].withoutRows }
    if rows.count == 1, columns[first.source].count == 1 { return columns[first.source] }
    // Default values of embedded objects are null links.
    let embedded = columns.first { if case .embedded = $0 { true } else { false } }
    switch embedded ?? columns[first.source] {
    case .scalar(let column):
      return .scalar(
        ScalarColumn.picking(rows, of: columns.map(\.scalars), like: column))
    case .link(let column):
      return .link(
        LinkColumn.picking(
          rows, of: columns.map { if case .link(let links) = $0 { links } else { nil } },
          like: column))
    case .embedded(let column):
      return .embedded(
        EmbeddedColumn.picking(
          rows, of: columns.map { if case .embedded(let objects) = $0 { objects } else { nil } },
          like: column))
    case .mixed:
      return .mixed(
        MixedColumn.picking(
          rows, of: columns.map { if case .mixed(let values) = $0 { values } else { nil } }))
    case .collection(let column):
      return .collection(
        CollectionColumn.picking(
          rows, of: columns.map { if case .collection(let lists) = $0 { lists } else { nil } },
          like: column))
    }
  }

  fileprivate var scalars: ScalarColumn? {
    if case .scalar(let column) = self { column } else { nil }
  }
}

extension ScalarColumn {
  /// Like ``ColumnValues/picking(_:of:)``; a row of a missing column is null.
  ///
  /// - Parameter like: a column of the common type.
  package static func picking(
    _ rows: [RowPick], of columns: [ScalarColumn?], like: ScalarColumn
  ) -> ScalarColumn {
    var builder = ColumnBuilder(type: like.type)
    builder.reserve(rows.count)
    for pick in rows {
      builder.append(columns[pick.source].map { MixedValue($0[pick.row]) } ?? .null)
    }
    return builder.batch.scalars ?? like
  }

  /// The values in these rows.
  package func picking(_ rows: [Int]) -> ScalarColumn {
    ScalarColumn.picking(rows.map { RowPick(source: 0, row: $0) }, of: [self], like: self)
  }
}

extension LinkColumn {
  fileprivate static func picking(
    _ rows: [RowPick], of columns: [LinkColumn?], like: LinkColumn
  ) -> LinkColumn {
    func mask(_ mask: (LinkColumn) -> NullMask, missing: Bool) -> NullMask {
      NullMask(count: rows.count) { i in
        columns[rows[i].source].map { mask($0)[rows[i].row] } ?? missing
      }
    }
    var result = LinkColumn(
      target: like.target, count: rows.count, nulls: mask(\.nulls, missing: true),
      unresolved: mask(\.unresolved, missing: false))
    // Some columns can have identities although the first one has none: only links to tombstones always have one.
    if let identities = columns.lazy.compactMap({ $0?.identities }).first {
      result.identities = ScalarColumn.picking(
        rows, of: columns.map { $0?.identities }, like: identities)
    }
    // The result has keys only if all columns have them.
    if columns.allSatisfy({ $0.map { !$0.keys.isEmpty || $0.count == 0 } ?? true }) {
      result.keys = rows.map { columns[$0.source]?.keys[$0.row] ?? .null }
    }
    return result
  }
}

extension EmbeddedColumn {
  fileprivate static func picking(
    _ rows: [RowPick], of columns: [EmbeddedColumn?], like: EmbeddedColumn
  ) -> EmbeddedColumn {
    var (numbers, objects): ([Int], [RowPick]) = ([], [])
    for pick in rows {
      let row = columns[pick.source]?.rows[pick.row] ?? -1
      numbers.append(row < 0 ? -1 : objects.count)
      if row >= 0 { objects.append(RowPick(source: pick.source, row: row)) }
    }
    let batch = ObjectBatch.picking(
      objects, of: columns.map { $0?.objects ?? like.objects }, keys: [])
    return EmbeddedColumn(rows: numbers, objects: batch)
  }
}

extension ObjectBatch {
  /// Objects of several batches of one class, in the order of `rows`; see ``ColumnValues/picking(_:of:)``.
  ///
  /// - Parameter keys: the keys of the objects; empty if the sink assigns keys.
  package static func picking(
    _ rows: [RowPick], of batches: [ObjectBatch], keys: [ObjectKey]
  ) -> ObjectBatch {
    // A batch without objects can have no columns.
    let width = batches.map(\.columns.count).max() ?? 0
    let columns = (0..<width).map { i -> ColumnValues? in
      let columns = batches.map { i < $0.columns.count ? $0.columns[i] : nil }
      guard !rows.isEmpty, let any = columns.compactMap({ $0 }).first else { return nil }
      return ColumnValues.picking(rows, of: columns.map { $0 ?? any })
    }
    return ObjectBatch(
      classPosition: batches[0].classPosition, count: rows.count, keys: keys, columns: columns,
      owner: batches)
  }
}

extension MixedColumn {
  fileprivate static func picking(_ rows: [RowPick], of columns: [MixedColumn?]) -> MixedColumn {
    var column = MixedColumn(values: [])
    column.values.reserveCapacity(rows.count)
    var (lists, dictionaries): ([RowPick], [RowPick]) = ([], [])
    for pick in rows {
      guard let source = columns[pick.source] else {
        column.values.append(.null)
        continue
      }
      switch source.values[pick.row] {
      case .link(let i):
        column.values.append(.link(column.links.count))
        column.links.append(source.links[i])
      case .list(let i):
        column.values.append(.list(lists.count))
        lists.append(RowPick(source: pick.source, row: i))
      case .dictionary(let i):
        column.values.append(.dictionary(dictionaries.count))
        dictionaries.append(RowPick(source: pick.source, row: i))
      case let value: column.values.append(value)
      }
    }
    column.lists = CollectionColumn.nested(lists, of: columns.map { $0?.lists })
    column.dictionaries = CollectionColumn.nested(
      dictionaries, of: columns.map { $0?.dictionaries })
    return column
  }

  /// The values in these rows.
  package func picking(_ rows: [Int]) -> MixedColumn {
    var column = self
    column.values = rows.map { values[$0] }
    return column
  }
}

extension CollectionColumn {
  fileprivate static func nested(
    _ rows: [RowPick], of columns: [CollectionColumn?]
  ) -> CollectionColumn? {
    guard let first = rows.first, let like = columns[first.source] else { return nil }
    if rows.count == 1, like.count == 1 { return like }
    return picking(rows, of: columns, like: like)
  }

  fileprivate static func picking(
    _ rows: [RowPick], of columns: [CollectionColumn?], like: CollectionColumn
  ) -> CollectionColumn {
    var (ends, elements): ([Int], [RowPick]) = ([], [])
    for pick in rows {
      for row in columns[pick.source]?.range(of: pick.row) ?? 0..<0 {
        elements.append(RowPick(source: pick.source, row: row))
      }
      ends.append(elements.count)
    }
    guard !elements.isEmpty else { return like.empty(count: rows.count) }
    return CollectionColumn(
      ends: ends,
      elements: ColumnValues.picking(elements, of: columns.map { ($0 ?? like).elements }),
      keys: like.keys.map { keys in
        ScalarColumn.picking(elements, of: columns.map { $0?.keys }, like: keys)
      })
  }

  /// `count` empty collections.
  private func empty(count: Int) -> CollectionColumn {
    CollectionColumn(
      ends: Array(repeating: 0, count: count),
      elements: elements.withoutRows,
      keys: keys.map { ScalarColumn.picking([], of: [$0], like: $0) })
  }
}

extension ColumnValues {
  /// An empty column of the same kind.
  fileprivate var withoutRows: ColumnValues {
    switch self {
    case .scalar(let column): .scalar(column.picking([]))
    case .link(let column): .link(LinkColumn(target: column.target, count: 0, nulls: NullMask()))
    case .embedded(let column):
      .embedded(
        EmbeddedColumn(rows: [], objects: ObjectBatch.picking([], of: [column.objects], keys: [])))
    case .mixed: .mixed(MixedColumn(values: []))
    case .collection: .collection(CollectionColumn(ends: [], elements: .scalar(.decimal([]))))
    }
  }
}
