import RealmModel
import RealmStorage

/// Reads the values at the end of steps into collections and mixed values (chapter 6, section 4.3).
struct ElementReader {
  private let evaluator: Evaluator
  private let reading: KeyPath.Reading
  private let limit: Int
  private(set) var values: [QueryValue] = []
  /// End position of each group: the values that the last step gives for one value before it.
  private(set) var groupEnds: [Int] = []
  /// Number of elements looked at, including those without a value.
  private var elementCount = 0
  /// The property last read over a link in a mixed value: links of one list often refer to one object.
  private var last: (target: Int, key: ObjectKey, property: Int, values: ColumnValues)?

  /// - Parameter limit: the largest number of values, and of elements looked at to find them.
  init(_ evaluator: Evaluator, _ reading: KeyPath.Reading, limit: Int) {
    (self.evaluator, self.reading, self.limit) = (evaluator, reading, limit)
  }

  /// Appends the values at the end of `steps`, starting at `row` of a column.
  mutating func append(
    _ column: ColumnValues, _ row: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    defer { if steps.count == 1 { groupEnds.append(values.count) } }
    switch column {
    case .collection(let collection): try append(collection, row, steps)
    case .mixed(let mixed): try append(mixed, row, steps)
    case .link(let links):
      let key = links.keys[row]
      let isShown = !key.isNull && !key.isUnresolved
      guard let step = steps.first else {
        return try append(isShown ? .link(links.target, key) : .null)
      }
      guard isShown else { return }
      try append(step, of: key, in: links.target, steps.dropFirst())
    case .scalar(let scalars): if steps.isEmpty { try append(QueryValue(scalars[row])) }
    case .embedded: return
    }
  }

  private mutating func append(_ value: QueryValue) throws(RealmFileError) {
    switch reading {
    case .values: values.append(value)
    case .type: values.append(.type(value.types))
    case .size:
      switch value {
      case .string(let bytes), .binary(let bytes): values.append(.int(Int64(bytes.count)))
      case .list(let count), .dictionary(let count): values.append(.int(Int64(count)))
      case .null, .int: values.append(.null)
      default: return
      }
    case .elementSizes: values.append(.int(Int64(value.bytes?.count ?? 0)))
    }
    guard values.count <= limit else { throw ObjectFrame.tooMany }
  }

  // MARK: Collections

  private mutating func append(
    _ column: CollectionColumn, _ row: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    guard column.runs == nil else { throw ObjectFrame.tooMany }
    let range = column.range(of: row)
    guard reading != .size || !steps.isEmpty else {
      values.append(.int(Int64(range.count)))
      return
    }
    switch steps.first {
    case nil, .all:
      try append(all: range, column, steps.dropFirst())
    case .keys:
      guard let keys = column.keys else { return }
      for i in range { try append(QueryValue(keys[i])) }
    case .element(let pick):
      // An element that does not exist is null, except directly after the last one.
      if case .index(range.count) = pick { return }
      guard !range.isEmpty else { return }
      let position =
        if case .key(let key) = pick {
          column.keys?.position(of: key, in: range)
        } else {
          pick.position(in: range.count).map { range.lowerBound + $0 }
        }
      guard let position else {
        if steps.count == 1 { try append(.null) }
        return
      }
      try append(column.elements, position, steps.dropFirst())
    }
  }

  /// Appends the values at the end of `steps`, starting at the elements in `range`.
  private mutating func append(
    all range: Range<Int>, _ column: CollectionColumn, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    // Links in mixed values can refer back to the same collection at each step.
    elementCount += range.count
    guard elementCount <= limit else { throw ObjectFrame.tooMany }
    for i in range { try append(column.elements, i, steps) }
  }

  // MARK: Mixed values

  private mutating func append(
    _ column: MixedColumn, _ row: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    switch column.values[row] {
    case let value where reading == .elementSizes:
      // Only strings and binaries have a length.
      if QueryValue(value).bytes != nil { try append(QueryValue(value)) }
    case .list(let position):
      guard let lists = column.lists, lists.runs == nil else { throw ObjectFrame.tooMany }
      try append(list: lists, position, steps)
    case .dictionary(let position):
      guard let dictionaries = column.dictionaries, dictionaries.runs == nil else {
        throw ObjectFrame.tooMany
      }
      try append(dictionary: dictionaries, position, steps)
    case .link(let position):
      let link = column.links[position]
      guard let key = link.key, !link.isUnresolved else {
        if steps.isEmpty { try append(.null) }
        return
      }
      guard let step = steps.first else { return try append(.link(link.target, key)) }
      try append(step, of: key, in: link.target, steps.dropFirst())
    case let value: if steps.isEmpty { try append(QueryValue(value)) }
    }
  }

  private mutating func append(
    list column: CollectionColumn, _ position: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    let range = column.range(of: position)
    switch steps.first {
    case nil: try append(.list(range.count))
    case .all: try append(all: range, column, steps.dropFirst())
    case .keys: return
    case .element(let pick):
      // Unlike in a list property, a position out of range gives no value.
      guard let i = pick.position(in: range.count) else { return }
      try append(column.elements, range.lowerBound + i, steps.dropFirst())
    }
  }

  private mutating func append(
    dictionary column: CollectionColumn, _ position: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    let range = column.range(of: position)
    switch steps.first {
    case nil: try append(.dictionary(range.count))
    case .all: try append(all: range, column, steps.dropFirst())
    case .keys:
      guard let keys = column.keys else { return }
      for i in range { try append(QueryValue(keys[i])) }
    case .element(.key(let key)):
      // As in a dictionary property, an empty dictionary has no value rather than null.
      guard !range.isEmpty else { return }
      guard let i = column.keys?.position(of: key, in: range) else {
        if steps.count == 1 { try append(.null) }
        return
      }
      try append(column.elements, i, steps.dropFirst())
    case .element: return
    }
  }

  /// Appends a property of an object that a mixed value links to.
  private mutating func append(
    _ step: ValueStep, of key: ObjectKey, in position: Int, _ steps: ArraySlice<ValueStep>
  ) throws(RealmFileError) {
    let table = evaluator.schema.tables[position]
    guard case .element(.key(let name)) = step,
      let property = table.columns.firstIndex(where: { $0.name.bytes == name })
    else { return }
    if let last, last.target == position, last.key == key, last.property == property {
      return try append(last.values, 0, steps)
    }
    let rows = try evaluator.reader.rows([key], of: table)
    let frame = ObjectFrame(rows, evaluator.reader, limit: limit)
    let values = try frame.column(property)
    last = (position, key, property, values)
    try append(values, 0, steps)
  }
}
