import RealmModel
import RealmStorage

/// Writes the arrays of a table, apart from its objects (chapter 3, sections 2 and 3).
struct TableWriter {
  /// The facts about a table that are not in its columns.
  struct Facts {
    var clusters: Ref = 0
    var tombstones: Ref = 0
    var nextNumber = 0
    var collisions: Ref = 0
    /// Roots of the search indexes by leaf index; 0 for none.
    var indexes: [Ref] = []
  }

  /// A column of the spec.
  struct SpecColumn {
    let key: ColumnKey
    /// Name in UTF-8; nil for a backlink column.
    let name: [UInt8]?
    /// The attribute bits that are not in the column key.
    var indexAttributes = 0
    var hasIntegerKeys = false
    var opposite: (table: TableKey, column: ColumnKey)?
  }

  private static let stringKeys = 2

  let nodes: FileNodes

  /// Appends a table.
  ///
  /// - Parameters:
  ///   - columns: backlink columns last.
  ///   - primaryKey: the column key of the primary key.
  /// - Returns: the ref of the table's top array.
  func append(
    key: TableKey, kind: ObjectClass.Kind, _ columns: [SpecColumn], primaryKey: ColumnKey?,
    _ facts: Facts
  ) throws(RealmFileError) -> Ref {
    let spec = try append(spec: columns)
    let width = columns.map { $0.key.leafIndex + 1 }.max() ?? 0
    var (indexes, tables, opposites) = (
      [Int64](repeating: 0, count: width),
      [Int64](repeating: Int64(TableKey.null.raw), count: width),
      [Int64](repeating: ColumnKey.null.raw, count: width)
    )
    for (leafIndex, root) in facts.indexes.enumerated() { indexes[leafIndex] = Int64(root) }
    for column in columns {
      guard let opposite = column.opposite else { continue }
      tables[column.key.leafIndex] = Int64(opposite.table.raw)
      opposites[column.key.leafIndex] = opposite.column.raw
    }
    typealias Slot = TableLayout.Slot
    var slots = [Int64](repeating: 0, count: Slot.maximumCount)
    func tagged(_ value: Int64) -> Int64 { value << 1 | 1 }
    slots[Slot.spec] = Int64(spec)
    slots[Slot.clusters] = Int64(facts.clusters)
    slots[Slot.key] = tagged(Int64(key.raw))
    slots[Slot.indexes] = Int64(try nodes.append(refs: indexes))
    slots[Slot.columnCounter] = tagged(0)
    slots[Slot.contentVersion] = tagged(0)
    slots[Slot.oppositeTables] = Int64(try nodes.append(integers: tables))
    slots[Slot.oppositeColumns] = Int64(try nodes.append(integers: opposites))
    slots[Slot.sequenceNumber] = tagged(Int64(facts.nextNumber))
    slots[Slot.collisions] = Int64(facts.collisions)
    slots[Slot.primaryKey] = primaryKey.map { tagged($0.raw) } ?? 0
    slots[Slot.flags] = tagged(Int64(kind.rawValue))
    slots[Slot.tombstones] = Int64(facts.tombstones)
    return try nodes.append(refs: slots)
  }

  private func append(spec columns: [SpecColumn]) throws(RealmFileError) -> Ref {
    let types = columns.map { column in
      Int64(column.key.typeCode)
        | (column.key.collection == .dictionary
          ? Int64(column.hasIntegerKeys ? SpecLayout.integerKeys : TableWriter.stringKeys) << 16
          : 0)
    }
    let attributes = columns.map { Int64($0.key.attributes | $0.indexAttributes) }
    var slots = [Int64](repeating: 0, count: SpecLayout.Slot.count)
    slots[SpecLayout.Slot.types] = Int64(try nodes.append(integers: types))
    slots[SpecLayout.Slot.names] = Int64(try append(names: columns.compactMap(\.name)))
    slots[SpecLayout.Slot.attributes] = Int64(try nodes.append(integers: attributes))
    slots[SpecLayout.Slot.keys] = Int64(try nodes.append(integers: columns.map(\.key.raw)))
    return try nodes.append(refs: slots)
  }

  /// Appends the names of tables or columns, each of at most 63 bytes.
  func append(names: [[UInt8]]) throws(RealmFileError) -> Ref {
    let column = SliceColumn(copying: names)
    let longest = names.map(\.count).max() ?? -1
    defer { withExtendedLifetime(column) {} }
    let ref = ShortStringLeaf.encode(column, column.indices, longest: longest, into: nodes.buffer)
    try nodes.relieve()
    return ref
  }
}
