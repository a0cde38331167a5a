package import RealmModel
package import RealmStorage

/// Reads the objects of parts of a ``LegacySource``. Used by one thread.
package final class LegacyCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  /// Objects per batch. They are a quarter of a usual leaf, so that few batches have values of two leaves.
  private static let rowsPerBatch = 250

  private let source: LegacySource
  private let assembler: LegacyAssembler
  /// The properties of the class of the part.
  private var properties: [LegacyProperty] = []
  private var classPosition = 0
  /// The rows of the part that are still to be read.
  private var remaining = 0..<0
  /// A reader for each requested property; nil for other properties.
  private var readers: [LegacyColumnReader?] = []
  /// Why requested properties of a damaged realm cannot be read, by position.
  private var lost: [Int: RealmFileError] = [:]
  /// Objects with too many elements for one batch.
  private var split: OpenRows?
  private var report = PartReport()

  /// Objects whose columns are decoded.
  private struct OpenRows {
    var rows: Range<Int>
    /// The values of the requested columns; nil for other columns.
    var values: [LeafValues?]
    /// Keep the memory of the values readable.
    var owners: [Hold]
  }

  init(_ source: LegacySource, _ assembler: LegacyAssembler) {
    (self.source, self.assembler) = (source, assembler)
  }

  /// - Throws: `damaged`, with class and property; the errors of an encrypted source.
  package func open(_ part: ObjectPart) throws(RealmFileError) {
    try open(source.rows(of: part), ofClassAt: part.classPosition)
  }

  /// Goes to the first of some rows of a class, as if they were a part.
  ///
  /// - Throws: same as ``open(_:)``.
  func open(_ rows: Range<Int>, ofClassAt position: Int) throws(RealmFileError) {
    classPosition = position
    let layout = source.realm.layouts[position]
    properties = assembler.properties(ofClass: position)
    (remaining, split) = (rows, nil)
    report = PartReport()
    _ = assembler.ledger?.take()
    _ = assembler.losses.take()
    (readers, lost) = ([], [:])
    guard let table = layout.table else { return }
    let wanted = assembler.request.properties[classPosition]
    for (i, column) in layout.columns.enumerated() {
      do {
        readers.append(
          wanted?.contains(i) ?? true
            ? try LegacyColumnReader(
              column, root: table.roots[column.slot], assembler.reader,
              table.rows?.columns[column.position]) : nil)
      } catch {
        guard !assembler.leavesOut || !error.isDamage else {
          lost[i] = error
          readers.append(nil)
          continue
        }
        let objectClass = source.schema.classes[classPosition]
        throw error.adding(
          className: objectClass.name.text, property: objectClass.properties[i].name.text)
      }
    }
  }

  package func close() -> PartReport {
    readers = []
    report.openedByteCount += assembler.ledger?.take() ?? 0
    report.lost = assembler.losses.take()
    return report
  }

  /// - Throws: `damaged`, with class, property and object if they are known; `unsupported` for a table in a
  ///   mixed value that is too large; the errors of an encrypted source.
  package func next() throws(RealmFileError) -> ObjectBatch? {
    if split == nil { skipAbsentRows() }
    guard split != nil || !remaining.isEmpty else { return nil }
    let nodes = assembler.nodes
    let mark = nodes.mark()
    let className = source.schema.classes[classPosition].name.text
    assembler.beginBatch()
    (assembler.place, assembler.outer) = ((className, nil), nil)
    do {
      var open = OpenRows(rows: 0..<0, values: [], owners: [])
      func read() throws(RealmFileError) -> ObjectBatch {
        open = try takeRows()
        return try firstBatch(of: &open)
      }
      // No node of a damaged realm is reached twice, but some are read twice to find what can be read.
      let batch =
        if assembler.leavesOut { try read() } else {
          try nodes.traversing { () throws(RealmFileError) in
            defer { report.openedByteCount += nodes.openedByteCount }
            return try read()
          }
        }
      let hold = nodes.hold(since: mark)
      for i in readers.indices { readers[i]?.endScope(hold) }
      let owners = open.owners + [hold, assembler.reader.listHold]
      if !open.rows.isEmpty {
        open.owners = owners
        split = open
      }
      report.objectCount += batch.count
      return batch.owned(by: owners)
    } catch {
      throw error.adding(className: className, property: assembler.place.property)
    }
  }

  /// Goes to the next row that exists. A damaged realm can state any number of rows.
  private func skipAbsentRows() {
    guard let rows = source.realm.layouts[classPosition].table?.rows else { return }
    let next = rows.next(from: remaining.lowerBound)?.lowerBound ?? remaining.upperBound
    remaining = min(next, remaining.upperBound)..<remaining.upperBound
  }

  /// The rows for the next batches: those left over from the last one, or new ones.
  private func takeRows() throws(RealmFileError) -> OpenRows {
    if let split {
      self.split = nil
      return split
    }
    var rows = remaining.prefix(LegacyCursor.rowsPerBatch)
    if let present = source.realm.layouts[classPosition].table?.rows?.next(from: rows.lowerBound) {
      rows = rows.clamped(to: present)
    }
    remaining = remaining.dropFirst(rows.count)
    var owners: [Hold] = []
    for reader in readers {
      for hold in reader?.holds ?? [] where owners.last !== hold { owners.append(hold) }
    }
    var values: [LeafValues?] = []
    for i in readers.indices {
      assembler.place.property = source.schema.classes[classPosition].properties[i].name.text
      values.append(
        try readers[i]?.values(rows) { (row, error) throws(RealmFileError) in
          try assembler.leaveOut(error, ofRow: rows.lowerBound + row)
        })
      guard let error = lost[i] else { continue }
      for row in rows { try assembler.leaveOut(error, ofRow: row) }
    }
    return OpenRows(rows: rows, values: values, owners: owners)
  }

  /// Removes the first objects from `open`, as many as fit into a batch.
  private func firstBatch(of open: inout OpenRows) throws(RealmFileError) -> ObjectBatch {
    var count = open.rows.count
    while true {
      let (before, mark) = (assembler.nodes.openedByteCount, assembler.losses.mark)
      if let batch = try batch(of: open, count) {
        let rest = count..<open.rows.count
        if !rest.isEmpty { open.values = open.values.map { $0?.rows(rest) } }
        open.rows = open.rows.dropFirst(count)
        return batch
      }
      assembler.nodes.uncount(to: before)
      assembler.losses.forget(since: mark)
      count = max(1, count / 2)
    }
  }

  /// - Returns: nil if several objects together have too many elements for one batch.
  private func batch(of open: OpenRows, _ count: Int) throws(RealmFileError) -> ObjectBatch? {
    guard count == 1 || LeafValues.fitBatch(open.values, 0..<count) else {
      return nil
    }
    let rows = Array(open.rows.prefix(count))
    var room = LegacyAssembler.Room()
    var columns: [ColumnValues?] = []
    columns.reserveCapacity(open.values.count)
    for (i, values) in open.values.enumerated() {
      guard let values else {
        columns.append(lost[i].map { _ in nulls(of: i, count) })
        continue
      }
      let objectClass = source.schema.classes[classPosition]
      assembler.place.property = objectClass.properties[i].name.text
      assembler.outer = (objectClass.name.text, objectClass.properties[i].name.text)
      let some = count == open.rows.count ? values : values.rows(0..<count)
      guard
        let column = try assembler.values(properties[i], some, owners: rows, &room)
      else { return nil }
      columns.append(column)
    }
    return ObjectBatch(
      classPosition: classPosition, count: count, keys: rows.map { ObjectKey(Int64($0)) },
      columns: columns, owner: nil)
  }
  /// The values of a property that cannot be read.
  private func nulls(of i: Int, _ count: Int) -> ColumnValues {
    let property = source.schema.classes[classPosition].properties[i]
    guard property.collection != nil else { return property.defaultValues(count: count) }
    return .collection(
      CollectionColumn(
        ends: Array(repeating: 0, count: count), elements: properties[i].noElements))
  }
}
