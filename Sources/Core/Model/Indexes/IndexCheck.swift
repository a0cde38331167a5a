package import RealmStorage

/// Compares search indexes with the data both ways: every live object exactly once under the chunks
/// of its value, and nothing else (chapter 3, sections 5 and 11, rules I1 to I8).
package struct IndexCheck {
  private let reader: RealmReader
  private let limit: Int

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  package init(reader: RealmReader, limit: Int) {
    (self.reader, self.limit) = (reader, limit)
  }

  /// Checks the index of one column, if it has one.
  ///
  /// Takes up to 33 bytes an object; of an encrypted realm the pages of the column and of the index
  /// stay decrypted while it runs.
  ///
  /// - Throws: errors that say nothing about the file.
  package func check(_ column: Column, of table: Table) throws(RealmFileError) -> Findings {
    guard column.index != 0 else { return Findings(limit: limit) }
    var defects = ColumnFindings(
      at: column.index, className: table.className.text, property: column.name.text, limit: limit)
    try compare(column, of: table, &defects)
    return defects.findings
  }

  private func compare(
    _ column: Column, of table: Table, _ defects: inout ColumnFindings
  ) throws(RealmFileError) {
    guard IndexCheck.isAllowed(column, of: table) else {
      defects.add(.indexColumn, "an index on a property that cannot have it", at: column.index)
      return
    }
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    do throws(RealmFileError) {
      if column.isFulltextIndexed || column.collection != nil {
        try WordIndexComparison.run(column, table, reader, &defects)
      } else {
        try compareValues(column, table, &defects)
      }
    } catch {
      try defects.addUnread(.indexNotCompared, "the objects cannot be read", because: error)
    }
  }

  /// Which columns can have an index (section 5.9).
  private static func isAllowed(_ column: Column, of table: Table) -> Bool {
    if column.isFulltextIndexed {
      return column.type == .string && column.collection == nil
        && table.primaryKey.map { table.columns[$0].key } != column.key
    }
    if let collection = column.collection { return collection == .list && column.type == .string }
    return [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(column.type)
  }

  private func compareValues(
    _ column: Column, _ table: Table, _ defects: inout ColumnFindings
  ) throws(RealmFileError) {
    let values = try reader.nodes.traversing { () throws(RealmFileError) in
      try IndexedColumn(column, of: table, reader: reader)
    }
    let tableSlots = try reader.nodes.lookUp(reader.realm.snapshot.top.tables).count
    var comparison = OrdinaryIndexComparison(
      values: values, tableSlots: tableSlots, defects: defects)
    _ = try reader.nodes.traversing { () throws(RealmFileError) in
      SearchIndexReader(nodes: reader.nodes).walk(root: column.index, &comparison)
    }
    try comparison.finish()
    defects = comparison.defects
  }
}

extension [Int] {
  fileprivate var isAscending: Bool {
    var isAscending = true
    for i in indices.dropFirst() where self[i] <= self[i - 1] { isAscending = false }
    return isAscending
  }
}

/// An index whose entries stand for whole values.
private struct OrdinaryIndexComparison: SearchIndexVisitor {
  /// Lists at this level, offset 200, can hold different values.
  private static let lastLevel = SearchIndexReader.levelLimit

  let values: IndexedColumn
  var defects: ColumnFindings
  /// Slots for tables that there are, also those of removed ones.
  private let tableSlots: Int
  /// Rows that an entry was seen for.
  private var seen = Bits()

  init(values: IndexedColumn, tableSlots: Int, defects: ColumnFindings) {
    self.values = values
    self.defects = defects
    self.tableSlots = tableSlots
  }

  /// The rows are found for all entries before the values of any are looked at: both lie anywhere in
  /// memory, and the machine waits for many places at a time this way.
  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    let rows = entries.map { values.row(of: $0.key) ?? -1 }
    for (entry, row) in zip(entries, rows) {
      take(
        entry.key, row, below: path.first ?? entry.chunk,
        isAtItsPlace: row >= 0 && values.data(at: row).begins(with: path, entry.chunk), at: ref)
    }
  }

  /// - Parameters:
  ///   - row: the row of the object, -1 where no live object has that key.
  ///   - chunk: the first one above it.
  ///   - isAtItsPlace: the chunks above are those of its value.
  /// - Returns: true where the object belongs here.
  @discardableResult
  @inline(__always)
  private mutating func take(
    _ key: ObjectKey, _ row: Int, below chunk: Int32?, isAtItsPlace: Bool, at ref: Ref
  ) -> Bool {
    guard row < 0 || !isAtItsPlace || values.unread.contains(row) else {
      if seen.insert(row) { return true }
      defects.add(
        .indexDuplicateEntry, "the object is listed more than once", at: ref, object: key)
      return false
    }
    refuse(key, row, below: chunk, at: ref)
    return false
  }

  private mutating func refuse(_ key: ObjectKey, _ row: Int, below chunk: Int32?, at ref: Ref) {
    guard row >= 0 else {
      guard values.isComplete else { return }
      return defects.add(.indexExtraEntry, "an object that does not exist", at: ref, object: key)
    }
    guard !values.unread.contains(row) else { return }
    guard values.isMixedNull(row), isLink(chunk), seen.insert(row) else {
      return defects.add(
        .indexExtraEntry, "the object is listed under another value", at: ref, object: key)
    }
    defects.add(
      .indexStaleLink, "the object is listed under a link that is null now", at: ref, object: key)
  }

  /// True where `chunk` can be the first of a link: the key of a table (section 5.1).
  private func isLink(_ chunk: Int32?) -> Bool {
    guard let chunk else { return false }
    // The first byte of a value is the highest of its chunk.
    let table = TableKey(Int(UInt32(bitPattern: chunk).byteSwapped))
    return table < .null && table.slot < tableSlots
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    if keys.isEmpty { defects.add(.indexNode, "a list without objects", at: ref) }
    let found = keys.map { values.row(of: ObjectKey($0)) ?? -1 }
    var rows: [Int] = []
    rows.reserveCapacity(keys.count)
    var first: IndexData?
    var other: Int?
    for (key, row) in zip(keys, found) {
      let data: IndexData? = row < 0 ? nil : values.data(at: row)
      // What the first one has was compared with the path.
      let isLikeFirst = data != nil && data == first
      let isAtItsPlace = isLikeFirst || data?.begins(with: path) ?? false
      guard take(ObjectKey(key), row, below: path.first, isAtItsPlace: isAtItsPlace, at: ref)
      else { continue }
      if rows.isEmpty { first = data } else if !isLikeFirst, other == nil { other = row }
      rows.append(row)
    }
    if let other, path.count < OrdinaryIndexComparison.lastLevel {
      defects.add(
        .indexListValues, "the object has other index bytes than the first one of its list",
        at: ref, object: values.key(at: other))
      return
    }
    // Index bytes that are equal are equal values, but not those of mixed ones.
    guard other != nil || values.isMixed || !rows.isAscending else { return }
    checkOrder(rows, at: ref)
  }

  /// Rows ascend as their keys do.
  private mutating func checkOrder(_ rows: [Int], at ref: Ref) {
    var isOrdered = true
    for (a, b) in zip(rows, rows.dropFirst()) {
      let order = values.order(a, b)
      if order == 0, a > b {
        defects.add(
          .indexListOrder, "the keys of objects with equal values do not ascend", at: ref,
          object: values.key(at: b))
        return
      }
      if order > 0 { isOrdered = false }
    }
    guard !isOrdered else { return }
    // Sorted by value, then place: each run of equal values must be one run of places.
    let places = rows.indices.sorted {
      let order = values.order(rows[$0], rows[$1])
      return order == 0 ? $0 < $1 : order < 0
    }
    for (a, b) in zip(places, places.dropFirst())
    where b != a + 1 && values.order(rows[a], rows[b]) == 0 {
      defects.add(
        .indexListOrder, "objects with equal values are not side by side", at: ref,
        object: values.key(at: rows[b]))
      return
    }
    defects.add(.indexListValueOrder, "the values of a list do not ascend", at: ref)
  }

  mutating func visitDefect(_ rule: Rule, _ text: String, at ref: Ref) {
    defects.add(rule, text, at: ref)
  }

  /// Tells which objects no entry was seen for.
  mutating func finish() throws(RealmFileError) {
    var unread = 0
    for row in 0..<values.rowCount where !seen.contains(row) {
      guard !values.unread.contains(row) else {
        unread += 1
        continue
      }
      defects.add(
        .indexMissingEntry, "the object is not in the index under its value",
        object: values.key(at: row))
    }
    guard let failure = values.failure else { return }
    let how = values.isComplete ? "\(unread) values" : "the values of whole clusters"
    try defects.addUnread(.indexNotCompared, "\(how) cannot be read", because: failure)
  }
}
