import RealmModel
import RealmQuery
import RealmStorage

/// Reads the rows of a table: the values of columns for some objects of a class.
struct RowReader {
  private let view: RealmView
  private let table: Table
  private let columns: [TableColumn]

  init(_ view: RealmView, classPosition: Int, _ columns: [TableColumn]) {
    (self.view, table, self.columns) = (view, view.table(classPosition), columns)
  }

  /// Calls `body` with each object and its values, in the order of the columns.
  ///
  /// - Parameters:
  ///   - keys: keys of objects that exist.
  ///   - damage: what to do about values that cannot be read.
  /// - Throws: the errors of reading.
  func forEach(
    _ keys: [ObjectKey], damage: ObjectRequest.Damage,
    _ body: (ObjectKey, [ShownValue]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
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
      try body(key, values)
    }
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
