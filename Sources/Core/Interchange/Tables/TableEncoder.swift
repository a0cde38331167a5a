import RealmModel
import RealmStorage

/// Turns batches into rows of tables. Used by one thread.
final class TableEncoder {
  /// Largest size of a row in bytes.
  static let rowLimit = 256 << 20

  /// Thrown for a value or an object that is too large for a row.
  static let rowTooLarge = RealmFileError(
    .unsupported(
      "a value or an object takes more than \(rowLimit >> 20) MB, the limit of a row"))

  private let layout: TableLayout
  private let schema: ObjectSchema
  private let json: ObjectTextWriter<RealmJSONStyle>
  private var jsonText = TextTarget(recordingUpTo: TableEncoder.rowLimit)
  private var rows: TableRows
  private let steps: TextSteps
  /// Hands over the rows if there are many, and empties them.
  private var relieve: (TableRows) throws(RealmFileError) -> Void = { _ in }
  private var objectCount = 0
  /// The next key for embedded objects of a source without keys: imported files and formats 2 to 9.
  private var nextKey: Int64 = 0

  /// Number of bits below the part's number in such a key, so that keys are unique and do not depend on
  /// threads.
  private static let keyBitsOfPart = 40

  init(_ layout: TableLayout, _ steps: TextSteps) {
    (self.layout, schema) = (layout, layout.schema)
    self.steps = steps
    rows = TableRows(layout.form)
    json = ObjectTextWriter(RealmJSONStyle(), schema: layout.schema)
  }

  /// Starts a part.
  ///
  /// - Parameter relieve: called between rows; may hand them over and empty them.
  func begin(
    _ part: ObjectPart, relieve: @escaping (TableRows) throws(RealmFileError) -> Void
  ) {
    objectCount = 0
    nextKey = Int64(part.number) << TableEncoder.keyBitsOfPart
    self.relieve = relieve
  }

  func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    try append(batch.numbered(from: &nextKey))
    objectCount += batch.count
    try relieve(rows)
  }

  /// Ends the part and returns its remaining rows.
  func end() -> TableRows {
    relieve = { _ in }
    let piece = rows
    piece.objectCount = objectCount
    rows = TableRows(layout.form)
    return piece
  }

  // MARK: Objects

  /// Appends the objects of a batch, with their collections and embedded objects.
  private func append(_ batch: ObjectBatch) throws(RealmFileError) {
    guard batch.count > 0, let place = layout.classes[batch.classPosition] else { return }
    let properties = schema.classes[batch.classPosition].properties
    // Above this size, the rows are handed over one by one.
    let byteCount = zip(batch.columns, place.properties).reduce(0) { sum, column in
      switch column {
      case (.collection(let column)?, .json), (.collection(let column)?, .array):
        sum + column.byteCountOfElements
      case (let column, _): sum + (column?.directByteCount ?? 0)
      }
    }
    if byteCount <= steps.columnByteCount {
      try append(batch, 0..<batch.count, place, properties)
    } else {
      for row in 0..<batch.count {
        try append(batch, row..<(row + 1), place, properties)
        try relieve(rows)
      }
    }
    for (i, column) in batch.columns.enumerated() {
      switch (column, place.properties[i]) {
      case (.collection(let column), .collection(let table)):
        for row in 0..<batch.count {
          try append(
            column, row, of: properties[i], table: table,
            owner: primaryKey(of: row, in: batch, place))
        }
        try append(embeddedIn: column.elements)
      case (let column?, _): try append(embeddedIn: column)
      case (nil, _): continue
      }
    }
  }

  /// Appends the embedded objects of a column.
  private func append(embeddedIn column: ColumnValues) throws(RealmFileError) {
    if case .embedded(let column) = column { try append(column.objects) }
  }

  /// The value that refers to the object in `row` in the rows of its collections.
  private func primaryKey(
    of row: Int, in batch: ObjectBatch, _ place: TableLayout.ClassPlace
  ) -> BatchValue {
    if !place.hasKeyColumn, let primaryKey = schema.classes[batch.classPosition].primaryKey,
      case .scalar(let keys) = batch.columns[primaryKey]
    {
      return keys[row]
    }
    return row < batch.keys.count ? .int(batch.keys[row].raw) : .null
  }

  /// Appends the rows of objects, a column at a time, so that the kind of the values is tested once.
  private func append(
    _ batch: ObjectBatch, _ range: Range<Int>, _ place: TableLayout.ClassPlace,
    _ properties: [Property]
  ) throws(RealmFileError) {
    let width = place.columnCount
    let first = rows.add(range.count, to: place.table, columnCount: width)
    if place.hasKeyColumn, !batch.keys.isEmpty {
      for row in range {
        rows.set(.integer(batch.keys[row].raw), at: first + (row - range.lowerBound) * width)
      }
    }
    for (i, column) in batch.columns.enumerated() {
      guard let column else { continue }
      switch (column, place.properties[i]) {
      case (.scalar(let column), .column(let position)):
        append(column, range, at: first + position, width)
      case (.mixed(let column), .mixed(let position)):
        for row in range {
          let cell = first + (row - range.lowerBound) * width
          let value = try self.cell(of: column, row, properties[i])
          rows.set(value.value, at: cell + position)
          rows.set(value.type, at: cell + position + 1)
        }
      case (_, .json(let position)):
        for row in range {
          rows.set(
            try jsonCell(of: column, row, properties[i]),
            at: first + position + (row - range.lowerBound) * width)
        }
      case (.collection(let column), .array(let position)):
        for row in range {
          rows.set(
            try arrayCell(of: column, row),
            at: first + position + (row - range.lowerBound) * width)
        }
      case (_, .column(let position)):
        for row in range {
          rows.set(
            try cells(of: column, row, properties[i]).value,
            at: first + position + (row - range.lowerBound) * width)
        }
      default: continue
      }
    }
  }

  private func append(_ column: ScalarColumn, _ range: Range<Int>, at first: Int, _ width: Int) {
    @inline(__always)
    func each(_ nulls: NullMask, _ cell: (Int) -> TableCell) {
      var position = first
      for row in range {
        if !nulls[row] { rows.set(cell(row), at: position) }
        position += width
      }
    }
    switch column {
    case .int(let values, let nulls): each(nulls) { .integer(values[$0]) }
    case .bool(let values, let nulls): each(nulls) { .integer(values[$0] ? 1 : 0) }
    case .float(let values, let nulls): each(nulls) { rows.real(Double(values[$0])) }
    case .double(let values, let nulls): each(nulls) { rows.real(values[$0]) }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      each(nulls) { rows.date(seconds: seconds[$0], nanoseconds: nanoseconds[$0]) }
    case .string(let values):
      let slices = values.slices
      each(NullMask()) { slices[$0].map(rows.string) ?? .null }
    case .binary(let values):
      let slices = values.slices
      each(NullMask()) { slices[$0].map(rows.blob) ?? .null }
    case .decimal, .objectId, .uuid: each(NullMask()) { rows.plain(column[$0]) }
    }
  }

  // MARK: Collections

  private func append(
    _ column: CollectionColumn, _ row: Int, of property: Property, table: Int, owner: BatchValue
  ) throws(RealmFileError) {
    guard let runs = column.runs else {
      return try append(
        column, column.range(of: row), of: property, table: table, owner: owner, position: 0)
    }
    var position = 0
    while var run = try runs.next() {
      run.elements.number(from: &nextKey)
      let range = run.range(of: 0)
      try append(run, range, of: property, table: table, owner: owner, position: position)
      try append(embeddedIn: run.elements)
      position += range.count
    }
  }

  /// Appends a row for each element or entry in `range`.
  ///
  /// - Parameter position: position of the first one in its list.
  private func append(
    _ column: CollectionColumn, _ range: Range<Int>, of property: Property, table: Int,
    owner: BatchValue, position: Int
  ) throws(RealmFileError) {
    guard !range.isEmpty else { return }
    var ownerCell = rows.plain(owner)
    for i in range {
      var row = [ownerCell]
      switch property.collection {
      case .list: row.append(.integer(Int64(position + i - range.lowerBound)))
      case .dictionary: row.append(column.keys.map { rows.plain($0[i]) } ?? .null)
      case .set, nil: break
      }
      if property.isAnyType, layout.form.mixedIsJSON {
        row.append(try jsonCell(of: column.elements, i, property))
      } else {
        let cells = try cells(of: column.elements, i, property)
        row.append(cells.value)
        if property.isAnyType { row.append(cells.type) }
      }
      rows.add(row, to: table)
      let count = rows.byteCount
      try relieve(rows)
      // The owner's bytes were handed over with the rows.
      if rows.byteCount < count { ownerCell = rows.plain(owner) }
    }
  }

  // MARK: Values

  /// A value of `column`, and the name of its type if the property is mixed.
  private func cells(
    of column: ColumnValues, _ row: Int, _ property: Property
  ) throws(RealmFileError) -> (value: TableCell, type: TableCell) {
    switch column {
    case .scalar(let column): return (rows.plain(column[row]), .null)
    case .link(let column):
      guard !column.nulls[row] else { return (.null, .null) }
      return (
        link(column.identity(row), isUnresolved: column.unresolved[row]), .null
      )
    case .embedded(let column):
      let object = column.rows[row]
      return (object < 0 ? .null : .integer(column.objects.keys[object].raw), .null)
    case .mixed(let column): return try cell(of: column, row, property)
    // Collections are only in objects and in mixed values.
    case .collection: return (.null, .null)
    }
  }

  private func link(_ identity: BatchValue, isUnresolved: Bool) -> TableCell {
    guard !isUnresolved, !identity.isNull else {
      rows.losses.add(isUnresolved ? .unresolvedLinks : .linksToNull)
      return .null
    }
    return rows.plain(identity)
  }

  private func cell(
    of column: MixedColumn, _ row: Int, _ property: Property
  ) throws(RealmFileError) -> (value: TableCell, type: TableCell) {
    let value = column.values[row]
    let type: PropertyType
    switch value {
    case .null: return (.null, .null)
    case .int: type = .int
    case .bool: type = .bool
    case .float: type = .float
    case .double: type = .double
    case .string: type = .string
    case .binary: type = .binary
    case .timestamp: type = .timestamp
    case .decimal: type = .decimal
    case .objectId: type = .objectId
    case .uuid: type = .uuid
    case .link(let i):
      let link = column.links[i]
      let cell = self.link(
        link.identity ?? link.key.map { .int($0.raw) } ?? .null, isUnresolved: link.isUnresolved)
      let name = schema.classes[link.target].name.text
      return (cell, rows.text { $0.append("object:" + name) })
    case .list(let i):
      let text = try jsonCell(column.lists) { (list, target) throws(RealmFileError) in
        try json.append(elements: list, i, of: property, to: &target)
      }
      return (text, rows.text { $0.append("list") })
    case .dictionary(let i):
      let text = try jsonCell(column.dictionaries) { (dictionary, target) throws(RealmFileError) in
        try json.append(entries: dictionary, i, of: property, to: &target)
      }
      return (text, rows.text { $0.append("dictionary") })
    }
    let name = PropertyNotation.name(of: type)
    return (rows.plain(value), rows.text { $0.append(name) })
  }

  /// A list or dictionary in a mixed value, as Realm JSON.
  ///
  /// - Parameter write: returns false if the JSON becomes longer than the limit of its target.
  /// - Throws: `unsupported` for longer JSON; the errors of reading large collections.
  private func jsonCell(
    _ column: CollectionColumn?,
    _ write: (CollectionColumn, inout TextTarget) throws(RealmFileError) -> Bool
  ) throws(RealmFileError) -> TableCell {
    guard let column else { return .null }
    return try jsonCell { (target) throws(RealmFileError) in try write(column, &target) }
  }

  /// A mixed value or a collection as Realm JSON; null for a mixed value that is null.
  private func jsonCell(
    of column: ColumnValues, _ row: Int, _ property: Property
  ) throws(RealmFileError) -> TableCell {
    switch column {
    case .mixed(let column):
      guard !column.values[row].isNull else { return .null }
      return try jsonCell { (target) throws(RealmFileError) in
        try json.append(
          column.values[row], of: column, property: property, isElement: true, to: &target)
      }
    case .collection(let column):
      return try jsonCell { (target) throws(RealmFileError) in
        try json.append(collection: column, row, of: property, to: &target)
      }
    case .scalar, .link, .embedded: return .null
    }
  }

  private func jsonCell(
    _ write: (inout TextTarget) throws(RealmFileError) -> Bool
  ) throws(RealmFileError) -> TableCell {
    // A local copy while it is written.
    var target = TextTarget(recordingUpTo: 0)
    swap(&target, &jsonText)
    defer { swap(&target, &jsonText) }
    target.removeAll()
    guard try write(&target) else { throw TableEncoder.rowTooLarge }
    return rows.json(target.text)
  }

  /// A list or set of scalars as an array.
  ///
  /// - Throws: `unsupported` for an array that is too long; the errors of reading large collections.
  private func arrayCell(of column: CollectionColumn, _ row: Int) throws(RealmFileError)
    -> TableCell
  {
    let array = rows.beginArray()
    func append(_ column: CollectionColumn, _ range: Range<Int>) throws(RealmFileError) {
      guard case .scalar(let elements) = column.elements else { return }
      for i in range {
        guard rows.append(elements[i], to: array, upTo: TableEncoder.rowLimit) else {
          throw TableEncoder.rowTooLarge
        }
      }
    }
    if let runs = column.runs {
      while let run = try runs.next() { try append(run, run.range(of: 0)) }
    } else {
      try append(column, column.range(of: row))
    }
    return rows.end(array)
  }
}

extension ObjectBatch {
  /// The batch with the next keys for embedded objects that have none.
  fileprivate func numbered(from next: inout Int64) -> ObjectBatch {
    var batch = self
    for i in batch.columns.indices { batch.columns[i]?.number(from: &next) }
    return batch
  }
}

extension ColumnValues {
  /// Gives embedded objects without keys the next keys.
  fileprivate mutating func number(from next: inout Int64) {
    switch self {
    case .embedded(var column) where column.objects.keys.isEmpty:
      let objects = column.objects.numbered(from: &next)
      column.objects = ObjectBatch(
        classPosition: objects.classPosition, count: objects.count,
        keys: (0..<Int64(objects.count)).map { ObjectKey(next + $0) }, columns: objects.columns,
        owner: objects)
      next += Int64(objects.count)
      self = .embedded(column)
    case .collection(var column) where column.runs == nil:
      guard case .embedded = column.elements else { return }
      column.elements.number(from: &next)
      self = .collection(column)
    case .scalar, .link, .embedded, .mixed, .collection: return
    }
  }
}
