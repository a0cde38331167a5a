package import RealmModel
import RealmStorage

/// The cursor of existing and added objects, merged. Used by one thread.
package final class MergeCursor: ObjectCursor {
  package typealias Failure = MergeError

  /// An object of the result.
  private struct Row {
    let key: ObjectKey
    /// Row in the batch of existing objects; nil if the object is only added.
    var existing: Int?
    /// Key in the added realm; nil if the object only exists.
    var added: ObjectKey?
  }

  private let source: MergedSource
  private let cursors: (touched: RealmCursor, others: RealmCursor)?
  private let fetcher: ObjectFetcher
  private let settler: LinkSettler
  private var part: ObjectPart?
  /// The added objects of the part that are still to be read, as positions in the plan.
  private var left = 0..<0
  /// The current batch of existing objects, and its first row that was not returned yet.
  private var current: (batch: ObjectBatch, row: Int)?
  /// Finished batches in reverse order.
  private var ready: [ObjectBatch] = []
  private var objectCount = 0

  /// - Parameter isForHistory: whether a history gets the objects.
  init(_ source: MergedSource, isForHistory: Bool = false) throws(RealmFileError) {
    self.source = source
    if let existing = source.existing {
      cursors = (try existing.touched.makeCursor(), try existing.others.makeCursor())
    } else {
      cursors = nil
    }
    fetcher = try ObjectFetcher(
      source.input.added, isForHistory ? ObjectRequest() : source.addedRequest)
    settler = try source.makeSettler(isForHistory: isForHistory)
  }

  private var cursor: RealmCursor? {
    guard let part else { return nil }
    return source.plans[part.classPosition] == nil ? cursors?.others : cursors?.touched
  }

  package func open(_ part: ObjectPart) {
    self.part = part
    (left, current, ready, objectCount) = (source.contents[part.number].added, nil, [], 0)
    if let existing = source.contents[part.number].existing { cursor?.open(existing) }
  }

  package func close() -> PartReport {
    defer { part = nil }
    guard let part, source.contents[part.number].existing != nil, var report = cursor?.close()
    else {
      return PartReport(objectCount: objectCount)
    }
    report.objectCount = objectCount
    return report
  }

  package func next() throws(MergeError) -> ObjectBatch? {
    guard let part else { return nil }
    while ready.isEmpty {
      if current == nil, source.contents[part.number].existing != nil {
        current = try inMerge(cursor?.next().map { ($0, 0) })
      }
      guard let (batch, row) = current else {
        guard !left.isEmpty else { return nil }
        ready = try rest(of: part).reversed()
        continue
      }
      ready = try merge(batch, from: row, part).reversed()
    }
    let batch = ready.removeLast()
    objectCount += batch.count
    return batch
  }

  // MARK: Rows

  /// Merges the existing objects of `batch` from `row` on with the added objects before and between them, as many
  /// as fit in a batch.
  private func merge(
    _ batch: ObjectBatch, from row: Int, _ part: ObjectPart
  ) throws(MergeError) -> [ObjectBatch] {
    guard let plan = source.plans[part.classPosition],
      !left.isEmpty || row > 0 || !plan.removed.isEmpty
    else {
      current = nil
      return [batch]
    }
    var (rows, next): ([Row], Int) = ([], row)
    while rows.count < ObjectBatch.capacity, next < batch.count {
      let key = batch.keys[next]
      let first = left.first
      if let first, plan.keys[first].raw < key.raw {
        rows.append(Row(key: plan.keys[first], existing: nil, added: plan.added[first]))
        left.removeFirst()
        continue
      }
      guard !plan.removed.contains(key) else {
        next += 1
        continue
      }
      let isReplaced = first.map { plan.keys[$0] == key } ?? false
      rows.append(
        Row(key: key, existing: next, added: isReplaced ? first.map { plan.added[$0] } : nil))
      if isReplaced { left.removeFirst() }
      next += 1
    }
    current = next < batch.count ? (batch, next) : nil
    if rows.count == batch.count, rows.allSatisfy({ $0.added == nil }) { return [batch] }
    return try batches(of: rows, batch, part)
  }

  /// The added objects after the last existing object of the part.
  private func rest(of part: ObjectPart) throws(MergeError) -> [ObjectBatch] {
    guard let plan = source.plans[part.classPosition] else { return [] }
    let some = left.prefix(ObjectBatch.capacity)
    left = left.dropFirst(some.count)
    return try batches(
      of: some.map { Row(key: plan.keys[$0], existing: nil, added: plan.added[$0]) }, nil, part)
  }

  /// Builds batches of `rows`, each of at most ``ObjectBatch/capacity`` objects.
  private func batches(
    of rows: [Row], _ existing: ObjectBatch?, _ part: ObjectPart
  ) throws(MergeError) -> [ObjectBatch] {
    guard let table = source.input.addedTables[part.classPosition] else { return [] }
    var batches: [ObjectBatch] = []
    var rows = rows[...]
    let isLarge = existing?.isLarge ?? false
    while !rows.isEmpty {
      var chunk = rows.prefix(ObjectBatch.capacity)
      let keys = chunk.compactMap(\.added)
      guard !keys.isEmpty else {
        batches.append(try batch(of: chunk, existing, nil, part))
        rows = rows.dropFirst(chunk.count)
        continue
      }
      let fetched = try inMerge(fetch(keys, table))
      // Take the rows that the fetched objects cover. An object with a large collection gets its own batch.
      var (taken, count) = (0, 0)
      for row in chunk {
        let isAlone =
          row.added != nil && fetched.objects.isLarge || row.existing != nil && isLarge
        if row.added != nil && taken == fetched.objects.count || isAlone && count > 0 { break }
        if row.added != nil { taken += 1 }
        count += 1
        if isAlone { break }
      }
      // The fetched objects that were not taken are fetched again.
      chunk = chunk.prefix(count)
      batches.append(try batch(of: chunk, existing, taken > 0 ? fetched : nil, part))
      rows = rows.dropFirst(count)
    }
    return batches
  }

  // MARK: Values

  /// Added objects, adapted to the result.
  struct Fetched {
    let objects: ObjectBatch
    let marks: [AddedMark?]
  }

  /// Keeps the memory of a merged batch readable.
  private struct Owners: Sendable {
    let existing: ObjectBatch?
    let added: ObjectBatch?
    var defaults: [ColumnValues] = []
  }

  /// Fetches the first of the added objects with `keys`, as many as fit in a batch.
  func fetch(_ keys: [ObjectKey], _ table: Table) throws(RealmFileError) -> Fetched {
    let objects = try fetcher.fetch(keys, of: table)
    let settled = try settler.settle(objects)
    let isEmbedded = source.schema.classes[settled.classPosition].kind == .embedded
    let marks =
      isEmbedded
      ? Array(repeating: nil, count: objects.count)
      : source.request.marks(of: objects, settled.classPosition)
    return Fetched(objects: settled, marks: marks)
  }

  /// Builds a batch of `rows`, whose added objects are the first of `fetched`.
  private func batch(
    of rows: ArraySlice<Row>, _ existing: ObjectBatch?, _ fetched: Fetched?, _ part: ObjectPart
  ) throws(MergeError) -> ObjectBatch {
    let objectClass = source.schema.classes[part.classPosition]
    // For each row, the position of its object in the fetched objects.
    var (addedRows, next): ([Int?], Int) = ([], 0)
    for row in rows {
      addedRows.append(row.added == nil ? nil : next)
      if row.added != nil { next += 1 }
    }
    var owners = Owners(existing: existing, added: fetched?.objects)
    var columns: [ColumnValues?] = []
    for (i, property) in objectClass.properties.enumerated() {
      var sources: [ColumnValues] = []
      func place(_ column: ColumnValues?) -> Int {
        guard let column else { return -1 }
        sources.append(column)
        return sources.count - 1
      }
      let old = place(existing?.columns[i])
      let new = place(fetched?.objects.columns[i])
      var missing = -1
      var picks: [RowPick] = []
      picks.reserveCapacity(rows.count)
      for (row, addedRow) in zip(rows, addedRows) {
        guard let addedRow else {
          picks.append(RowPick(source: old, row: row.existing ?? 0))
          continue
        }
        if fetched?.marks[addedRow]?.contains(i) != true {
          picks.append(RowPick(source: new, row: addedRow))
        } else if let kept = row.existing, source.request.mode.keepsValues {
          picks.append(RowPick(source: old, row: kept))
        } else if property.collection == nil, !property.isOptional {
          guard [.replace, .amend].contains(source.request.mode) else {
            throw MergeError(
              .missingProperty, classPosition: part.classPosition, property: i, addedKey: row.added)
          }
          if missing < 0 {
            let values = property.defaultValues(count: 1)
            owners.defaults.append(values)
            missing = place(values)
          }
          picks.append(RowPick(source: missing, row: 0))
        } else {
          picks.append(RowPick(source: new, row: addedRow))
        }
      }
      columns.append(ColumnValues.picking(picks, of: sources))
    }
    return ObjectBatch(
      classPosition: part.classPosition, count: rows.count, keys: rows.map(\.key), columns: columns,
      owner: owners)
  }
}

extension ObjectBatch {
  /// True for a batch of one object with collections that come in runs.
  fileprivate var isLarge: Bool { columns.contains { $0?.hasRuns ?? false } }
}
