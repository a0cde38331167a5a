import RealmModel
import RealmStorage

/// Encodes the values of objects for the content hash (docs/hash.md): the same bytes for the same values, whatever
/// the file format, the object keys of classes with primary keys, and the order of properties. Used by one thread.
struct ValueEncoder: ~Copyable {
  /// The encoded values.
  var bytes = EncodedBytes()
  /// Where the values of each row end in ``bytes``, for the rows that were encoded with `marks`.
  var ends: [Int] = []
  /// Receives the bytes after each run of a large collection, so that they need not be in memory at once; nil if all
  /// bytes must stay.
  var streamed: SHA256?
  private let schema: ObjectSchema
  /// The encoded name of each class.
  private let names: [[UInt8]]
  /// The positions of the properties of each class, in the order of their names.
  let orders: [[Int]]

  init(_ schema: ObjectSchema) {
    self.schema = schema
    names = schema.classes.map { objectClass in
      let name = objectClass.name.bytes
      let length = UInt64(name.count)
      return [ValueTag.string.rawValue]
        + (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        + name
    }
    orders = schema.classes.map { objectClass in
      objectClass.properties.indices.sorted {
        objectClass.properties[$0].name.bytes.lexicographicallyPrecedes(
          objectClass.properties[$1].name.bytes)
      }
    }
  }

  /// Moves the bytes so far to ``streamed``, if they need not stay.
  mutating func flush() throws(RealmFileError) {
    guard let streamed else { return }
    try bytes.withBytes(0..<bytes.count) { (bytes) throws(RealmFileError) in
      try streamed.add(bytes)
    }
    bytes.removeAll()
  }

  // MARK: Columns

  /// Appends the values in `rows`.
  ///
  /// - Parameters:
  ///   - isSet: whether the values are sets. Their members are sorted, because the order of links in a file depends on
  ///     object keys.
  ///   - marks: whether to note in ``ends`` where each row ends.
  /// - Throws: the errors of reading large collections.
  mutating func append(
    _ values: ColumnValues, _ rows: Range<Int>, isSet: Bool = false, marks: Bool
  ) throws(RealmFileError) {
    switch values {
    case .scalar(let column): append(column, rows, marks: marks)
    case .link(let column):
      for row in rows {
        if column.nulls[row] {
          bytes.append(.null)
        } else {
          append(
            linkTo: column.target, column.identity(row), isUnresolved: column.unresolved[row],
            hasObjectKey: column.identities == nil)
        }
        if marks { ends.append(bytes.count) }
      }
    case .embedded(let column):
      for row in rows {
        try append(column, row)
        if marks { ends.append(bytes.count) }
      }
    case .mixed(let column):
      for row in rows {
        try append(column, row)
        if marks { ends.append(bytes.count) }
      }
    case .collection(let column):
      for row in rows {
        if isSet { try append(set: column, row) } else { try append(column, row) }
        if marks { ends.append(bytes.count) }
      }
    }
  }

  private mutating func append(_ column: ScalarColumn, _ rows: Range<Int>, marks: Bool) {
    switch column {
    case .int(let values, let nulls):
      for row in rows {
        if nulls[row] { bytes.append(.null) } else { append(int: values[row]) }
        if marks { ends.append(bytes.count) }
      }
    case .double(let values, let nulls):
      for row in rows {
        if nulls[row] { bytes.append(.null) } else { append(values[row]) }
        if marks { ends.append(bytes.count) }
      }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      for row in rows {
        if nulls[row] {
          bytes.append(.null)
        } else {
          append(seconds: seconds[row], nanoseconds: nanoseconds[row])
        }
        if marks { ends.append(bytes.count) }
      }
    case .string(let values): append(values, .string, rows, marks: marks)
    case .binary(let values): append(values, .binary, rows, marks: marks)
    case .objectId(let values): append(values, .objectId, rows, marks: marks)
    case .uuid(let values): append(values, .uuid, rows, marks: marks)
    case .bool, .float, .decimal:
      for row in rows {
        append(column[row])
        if marks { ends.append(bytes.count) }
      }
    }
  }

  private mutating func append(
    _ column: SliceColumn, _ tag: ValueTag, _ rows: Range<Int>, marks: Bool
  ) {
    let slices = column.slices
    for row in rows {
      if let slice = slices[row] { append(slice, tag) } else { bytes.append(.null) }
      if marks { ends.append(bytes.count) }
    }
  }

  // MARK: Values

  @inline(__always)
  private mutating func append(int value: Int64) {
    bytes.append(.int)
    bytes.append(value)
  }

  /// All NaNs are one value.
  @inline(__always)
  private mutating func append(_ value: Double) {
    bytes.append(.double)
    bytes.append((value.isNaN ? Double.nan : value).bitPattern)
  }

  @inline(__always)
  private mutating func append(seconds: Int64, nanoseconds: Int64) {
    bytes.append(.date)
    bytes.append(seconds)
    bytes.append(nanoseconds)
  }

  @inline(__always)
  private mutating func append(_ slice: ByteSlice, _ tag: ValueTag) {
    bytes.append(tag)
    if tag == .string || tag == .binary { bytes.append(UInt64(slice.count)) }
    bytes.append(slice)
  }

  /// Appends a value that is neither a link nor a collection.
  mutating func append(_ value: BatchValue) {
    switch value {
    case .int(let number): append(int: number)
    case .bool(let flag):
      bytes.append(.bool)
      bytes.append(UInt8(flag ? 1 : 0))
    case .float(let number):
      bytes.append(.float)
      bytes.append((number.isNaN ? Float.nan : number).bitPattern)
    case .double(let number): append(number)
    case .string(let slice): append(slice, .string)
    case .binary(let slice): append(slice, .binary)
    case .timestamp(let seconds, let nanoseconds):
      append(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number):
      bytes.append(.decimal)
      bytes.append(number.low)
      bytes.append(number.high)
    case .objectId(let slice): append(slice, .objectId)
    case .uuid(let slice): append(slice, .uuid)
    case .null, .link, .list, .dictionary: bytes.append(.null)
    }
  }

  /// - Parameter hasObjectKey: whether `identity` is an object key. The key of a tombstone stands for that of its
  ///   object.
  private mutating func append(
    linkTo target: Int, _ identity: BatchValue, isUnresolved: Bool, hasObjectKey: Bool
  ) {
    bytes.append(.link)
    bytes.append(UInt8(isUnresolved ? 1 : 0))
    bytes.append(names[target])
    if isUnresolved, hasObjectKey, case .int(let key) = identity {
      append(int: ObjectKey(key).unresolved.raw)
    } else {
      append(identity)
    }
  }

  private mutating func append(
    _ column: EmbeddedColumn, _ row: Int
  ) throws(RealmFileError) {
    let object = column.rows[row]
    guard object >= 0 else { return bytes.append(.null) }
    bytes.append(.object)
    let properties = schema.classes[column.objects.classPosition].properties
    for property in orders[column.objects.classPosition] {
      guard let values = column.objects.columns[property] else { continue }
      try append(
        values, object..<(object + 1), isSet: properties[property].collection == .set, marks: false)
    }
  }

  private mutating func append(
    _ column: MixedColumn, _ row: Int
  ) throws(RealmFileError) {
    switch column.values[row] {
    case .link(let i):
      let link = column.links[i]
      append(
        linkTo: link.target, link.identity ?? link.key.map { .int($0.raw) } ?? .null,
        isUnresolved: link.isUnresolved, hasObjectKey: link.identity == nil)
    case .list(let i):
      guard let lists = column.lists else { return bytes.append(.null) }
      try append(lists, i)
    case .dictionary(let i):
      guard let dictionaries = column.dictionaries else { return bytes.append(.null) }
      try append(dictionaries, i)
    case let value: append(value)
    }
  }

  private mutating func append(
    _ column: CollectionColumn, _ row: Int
  ) throws(RealmFileError) {
    guard let runs = column.runs?.restarted() else {
      bytes.append(column.keys == nil ? .list : .dictionary)
      try append(elementsOf: column, row)
      return bytes.append(.end)
    }
    var hasStarted = false
    while let run = try runs.next() {
      if !hasStarted { bytes.append(run.keys == nil ? .list : .dictionary) }
      hasStarted = true
      try append(elementsOf: run, 0)
      try flush()
    }
    bytes.append(.end)
  }

  /// Appends the members of a set in the order of their bytes. All of them are in memory meanwhile.
  private mutating func append(set column: CollectionColumn, _ row: Int) throws(RealmFileError) {
    bytes.append(.list)
    for member in try members(of: column, row) { bytes.append(member) }
    bytes.append(.end)
  }

  /// The bytes of the members of a set, sorted.
  mutating func members(of column: CollectionColumn, _ row: Int) throws(RealmFileError) -> [[UInt8]]
  {
    let start = bytes.count
    var members: [[UInt8]] = []
    func add(_ column: CollectionColumn, _ row: Int) throws(RealmFileError) {
      for i in column.range(of: row) {
        try append(column.elements, i..<(i + 1), marks: false)
        members.append(bytes.removing(from: start))
      }
    }
    if let runs = column.runs?.restarted() {
      while let run = try runs.next() { try add(run, 0) }
    } else {
      try add(column, row)
    }
    return members.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private mutating func append(
    elementsOf column: CollectionColumn, _ row: Int
  ) throws(RealmFileError) {
    guard let keys = column.keys else {
      return try append(column.elements, column.range(of: row), marks: false)
    }
    for i in column.range(of: row) {
      append(keys[i])
      try append(column.elements, i..<(i + 1), marks: false)
    }
  }
}
