import RealmModel
import RealmQuery
import RealmStorage

/// A row of a table: an object, and its values in the order of the columns.
struct TableRow {
  let key: ObjectKey
  /// Nil for what the draft does not know: values over links from objects that it adds.
  var values: [ShownValue?]
  /// What the draft does to the object.
  var change: DraftObject?
  /// The stored values that the draft changes, by position of the column.
  var stored: [Int: ShownValue] = [:]
}

/// Reads the rows of a table: the values of columns for some objects of a class.
struct RowReader {
  private let view: RealmView
  private let table: Table
  private let columns: [TableColumn]
  private let draft: DraftState?

  /// - Parameter draft: what is laid over the stored objects; nil for nothing.
  init(
    _ view: RealmView, classPosition: Int, _ columns: [TableColumn], _ draft: DraftState? = nil
  ) {
    (self.view, table, self.columns) = (view, view.table(classPosition), columns)
    self.draft = draft
  }

  /// Calls `body` with each row.
  ///
  /// - Parameters:
  ///   - added: keys of objects that the draft adds.
  ///   - keys: keys of objects that exist.
  ///   - damage: what to do about values that cannot be read.
  /// - Throws: the errors of reading.
  func forEach(
    added: ArraySlice<ObjectKey> = [], _ keys: [ObjectKey], damage: ObjectRequest.Damage,
    _ body: (TableRow) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    for key in added {
      let change = draft?.object(key, ofClassAt: table.position)
      try body(
        TableRow(
          key: key, values: columns.map { change?.value(of: $0) }, change: change))
    }
    let paths = columns.compactMap { if case .path(let path) = $0.source { path } else { nil } }
    let properties = columns.compactMap { column -> Int? in
      if case .property(let position) = column.source { position } else { nil }
    }
    let whole = try propertyRows(keys, Set(properties), damage)
    let followed = try pathRows(keys, paths)
    for (i, key) in keys.enumerated() {
      var nextPath = 0
      var values: [ShownValue] = []
      for column in columns {
        let row: Row?
        let position: Int
        switch column.source {
        case .property(let property): (row, position) = (whole[i], property)
        case .path:
          (row, position) = (followed[i], nextPath)
          nextPath += 1
        }
        values.append(
          row?.batch.columns[position].map { ShownValue($0, row?.row ?? 0) } ?? .scalar(.null))
      }
      try body(row(key, values))
    }
  }

  /// A stored object with the draft laid over it.
  private func row(_ key: ObjectKey, _ values: [ShownValue]) -> TableRow {
    var row = TableRow(
      key: key, values: values, change: draft?.object(key, ofClassAt: table.position))
    guard let change = row.change, change.kind == .changed else { return row }
    for (i, column) in columns.enumerated() {
      guard case .property(let property) = column.source, change.new[property] != nil,
        let value = change.value(of: column)
      else { continue }
      row.stored[i] = values[i]
      row.values[i] = value
    }
    return row
  }

  /// An object in a batch.
  private struct Row {
    let batch: ObjectBatch
    let row: Int
  }

  private func propertyRows(
    _ keys: [ObjectKey], _ properties: Set<Int>, _ damage: ObjectRequest.Damage
  ) throws(RealmFileError) -> [Row?] {
    guard !properties.isEmpty else { return keys.map { _ in nil } }
    var request = ObjectRequest()
    request.properties = [table.position: properties]
    request.damage = damage
    if table.kind == .embedded { request.embedded = .asClass }
    let fetcher = try ObjectFetcher(view.realm, request)
    var rows: [Row?] = []
    while rows.count < keys.count {
      let batch = try fetcher.fetch(
        Array(keys[rows.count...].prefix(ObjectBatch.capacity)), of: table)
      rows += (0..<batch.count).map { Row(batch: batch, row: $0) }
    }
    return rows
  }

  private func pathRows(
    _ keys: [ObjectKey], _ paths: [QueryPath]
  ) throws(RealmFileError) -> [Row?] {
    guard !paths.isEmpty else { return keys.map { _ in nil } }
    let source = ColumnSource(
      view.realm, classPosition: table.position, keys: keys, paths: paths)
    let cursor = try source.makeCursor()
    var rows: [Row?] = []
    for part in source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        rows += (0..<batch.count).map { Row(batch: batch, row: $0) }
      }
    }
    return rows
  }
}

extension DraftObject {
  /// The value of a column; nil if the draft does not know it.
  fileprivate func value(of column: TableColumn) -> ShownValue? {
    guard case .property(let property) = column.source else { return nil }
    return batch?.columns[property].map { ShownValue($0, 0) }
  }
}
