import RealmStorage

/// Compares search indexes with the data both ways: every live object exactly once under the chunks
/// of its value, and nothing else (chapter 3, sections 5 and 11, rules I1 to I8).
public struct IndexCheck {
  /// The rules that the check tells about.
  public static let rules: [IntegrityRule] = [
    IntegrityRule(
      "index.column", .error, "an index is on a column that can have one of its kind",
      chapter: "3 §5.9"),
    IntegrityRule(
      "index.node", .error,
      "a node of an index has its flags, a keys array of 32-bit elements and an entry a key",
      chapter: "3 §5.3"),
    IntegrityRule(
      "index.empty-node", .error, "only the root of an index is ever without keys",
      chapter: "3 §5.3"),
    IntegrityRule(
      "index.key-order", .error, "chunk keys ascend as signed numbers", chapter: "3 §5.3"),
    IntegrityRule(
      "index.inner-key", .error, "a key of an inner node is the last key of its child",
      chapter: "3 §5.3"),
    IntegrityRule(
      "index.depth", .error, "an index has no level behind offset 200", chapter: "3 §5.4"),
    IntegrityRule(
      "index.missing-entry", .error, "every live object is in the index under its value",
      chapter: "3 §11 I3"),
    IntegrityRule(
      "index.extra-entry", .error,
      "every entry of an index leads to a live object with a value under these chunks",
      chapter: "3 §11 I4"),
    IntegrityRule(
      "index.duplicate-entry", .error, "an object is in an index once", chapter: "3 §11 I3"),
    IntegrityRule(
      "index.list-values", .error,
      "objects of one list have equal index bytes, unless the list is at offset 200",
      chapter: "3 §5.5"),
    IntegrityRule(
      "index.list-order", .error,
      "in a list equal values are adjacent and their object keys ascend", chapter: "3 §5.5"),
    IntegrityRule(
      "index.list-value-order", .warning,
      "different values in one list ascend; older formats ordered them otherwise",
      chapter: "3 §5.5"),
    IntegrityRule(
      "index.stale-link", .warning,
      "an object whose mixed link was nullified moves to null in the index", chapter: "3 §12"),
    IntegrityRule(
      "index.repeated-entry", .warning,
      "an index on words names an object once a word, and no object that is gone",
      chapter: "3 §12"),
    IntegrityRule(
      "index.capital-x", .warning,
      "an index on a list of strings keeps words with a capital X apart from others",
      chapter: "3 §5.7"),
    IntegrityRule(
      "index.not-compared", .note, "values that cannot be read are not compared with an index",
      chapter: "3 §11"),
  ]

  private let reader: RealmReader

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  public init(reader: RealmReader) { self.reader = reader }

  /// Checks all indexes of `table`.
  public func check(_ table: Table, report: (Defect) -> Void) {
    for column in table.columns where column.index != 0 {
      check(column, of: table, report: report)
    }
  }

  /// Checks the index of one column.
  ///
  /// Takes up to 32 bytes an object; of an encrypted realm the pages of the column and of the index
  /// stay decrypted while it runs.
  public func check(_ column: Column, of table: Table, report: (Defect) -> Void) {
    guard column.index != 0 else { return }
    var defects = DefectCollector(table: table.key, column: column.key)
    defer { defects.flush(report) }
    guard IndexCheck.isAllowed(column, of: table) else {
      defects.add("index.column", "an index on a property that cannot have it", at: column.index)
      return
    }
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    do throws(RealmFileError) {
      if column.isFulltextIndexed || column.collection != nil {
        try WordIndexComparison.run(column, table, reader, &defects)
      } else {
        try compare(column, table, &defects)
      }
    } catch {
      defects.add(
        "index.not-compared", "the objects cannot be read: \(error.description)",
        at: error.offset)
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

  private func compare(
    _ column: Column, _ table: Table, _ defects: inout DefectCollector
  ) throws(RealmFileError) {
    let values = try reader.nodes.traversing { () throws(RealmFileError) in
      try IndexedColumn(column, of: table, reader: reader)
    }
    var comparison = OrdinaryIndexComparison(values: values, defects: defects)
    _ = try reader.nodes.traversing { () throws(RealmFileError) in
      SearchIndexReader(nodes: reader.nodes).walk(root: column.index, &comparison)
    }
    comparison.finish()
    defects = comparison.defects
  }
}

/// An index whose entries stand for whole values.
private struct OrdinaryIndexComparison: SearchIndexVisitor {
  /// Lists at this level, offset 200, can hold different values.
  private static let lastLevel = SearchIndexReader.levelLimit

  let values: IndexedColumn
  var defects: DefectCollector
  /// Rows that an entry was seen for.
  private var seen = Bits()

  init(values: IndexedColumn, defects: DefectCollector) {
    self.values = values
    self.defects = defects
  }

  mutating func visit(_ key: ObjectKey, path: [Int32], at ref: Ref) {
    _ = take(key, path: path, at: ref)
  }

  /// - Returns: the row of the object, where it belongs here.
  private mutating func take(_ key: ObjectKey, path: [Int32], at ref: Ref) -> Int? {
    guard let row = values.row(of: key) else {
      if values.isComplete {
        defects.add("index.extra-entry", "an object that does not exist", at: ref, object: key)
      }
      return nil
    }
    if values.unread.contains(row) { return nil }
    guard values.data(at: row).begins(with: path) else {
      guard values.isMixedNull(row), seen.insert(row) else {
        defects.add(
          "index.extra-entry", "the object is listed under another value", at: ref, object: key)
        return nil
      }
      defects.add(
        "index.stale-link", "the object is listed under a link that is null now", at: ref,
        object: key)
      return nil
    }
    guard seen.insert(row) else {
      defects.add(
        "index.duplicate-entry", "the object is listed more than once", at: ref, object: key)
      return nil
    }
    return row
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    if keys.isEmpty { defects.add("index.node", "a list without objects", at: ref) }
    var rows: [Int] = []
    rows.reserveCapacity(keys.count)
    for key in keys {
      if let row = take(ObjectKey(key), path: path, at: ref) { rows.append(row) }
    }
    guard let first = rows.first else { return }
    if path.count < OrdinaryIndexComparison.lastLevel {
      let data = values.data(at: first)
      for row in rows.dropFirst() where values.data(at: row) != data {
        defects.add(
          "index.list-values", "the object has other index bytes than the first one of its list",
          at: ref, object: values.key(at: row))
        return
      }
    }
    checkOrder(rows, at: ref)
  }

  /// Rows ascend as their keys do.
  private mutating func checkOrder(_ rows: [Int], at ref: Ref) {
    var isOrdered = true
    for (a, b) in zip(rows, rows.dropFirst()) {
      let order = values.order(a, b)
      if order == 0, a > b {
        defects.add(
          "index.list-order", "the keys of objects with equal values do not ascend", at: ref,
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
        "index.list-order", "objects with equal values are not side by side", at: ref,
        object: values.key(at: rows[b]))
      return
    }
    defects.add("index.list-value-order", "the values of a list do not ascend", at: ref)
  }

  mutating func visitDefect(_ ruleID: String, _ text: String, at ref: Ref) {
    defects.add(ruleID, text, at: ref)
  }

  /// Tells which objects no entry was seen for.
  mutating func finish() {
    var unread = 0
    for row in 0..<values.rowCount where !seen.contains(row) {
      guard !values.unread.contains(row) else {
        unread += 1
        continue
      }
      defects.add(
        "index.missing-entry", "the object is not in the index under its value",
        object: values.key(at: row))
    }
    if unread > 0 || !values.isComplete {
      let how = values.isComplete ? "\(unread) values" : "the values of whole clusters"
      defects.add("index.not-compared", "\(how) cannot be read")
    }
  }
}
