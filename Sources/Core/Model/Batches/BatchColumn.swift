public import RealmStorage

/// The values of a property for the objects of a batch, one value per row.
///
/// A column that a caller makes owns its values. The values of a column that was read stay readable as long as its
/// batch.
public struct BatchColumn: Sendable {
  package let values: ColumnValues

  package init(_ values: ColumnValues) { self.values = values }

  /// Number of rows.
  public var count: Int { values.count }

  public static func ints(_ values: [Int64?]) -> BatchColumn {
    BatchColumn(.scalar(.int(values.map { $0 ?? 0 }, mask(values))))
  }

  public static func bools(_ values: [Bool?]) -> BatchColumn {
    BatchColumn(.scalar(.bool(values.map { $0 ?? false }, mask(values))))
  }

  public static func floats(_ values: [Float?]) -> BatchColumn {
    BatchColumn(.scalar(.float(values.map { $0 ?? 0 }, mask(values))))
  }

  public static func doubles(_ values: [Double?]) -> BatchColumn {
    BatchColumn(.scalar(.double(values.map { $0 ?? 0 }, mask(values))))
  }

  public static func strings(_ values: [String?]) -> BatchColumn {
    BatchColumn(.scalar(.string(SliceColumn(copying: values.map { $0.map { Array($0.utf8) } }))))
  }

  public static func binaries(_ values: [[UInt8]?]) -> BatchColumn {
    BatchColumn(.scalar(.binary(SliceColumn(copying: values))))
  }

  /// - Parameter values: seconds since 1970, and nanoseconds of the same sign.
  public static func dates(_ values: [(seconds: Int64, nanoseconds: Int64)?]) -> BatchColumn {
    BatchColumn(
      .scalar(
        .timestamp(
          values.map { $0?.seconds ?? 0 }, values.map { $0?.nanoseconds ?? 0 }, mask(values))))
  }

  public static func decimals(_ values: [Decimal128?]) -> BatchColumn {
    BatchColumn(.scalar(.decimal(values.map { $0 ?? .null })))
  }

  /// - Parameter values: 12 bytes each.
  public static func objectIds(_ values: [[UInt8]?]) -> BatchColumn {
    precondition(values.allSatisfy { $0?.count ?? 12 == 12 }, "an ObjectId has 12 bytes")
    return BatchColumn(.scalar(.objectId(SliceColumn(copying: values))))
  }

  /// - Parameter values: 16 bytes each.
  public static func uuids(_ values: [[UInt8]?]) -> BatchColumn {
    precondition(values.allSatisfy { $0?.count ?? 16 == 16 }, "a UUID has 16 bytes")
    return BatchColumn(.scalar(.uuid(SliceColumn(copying: values))))
  }

  /// Links to objects of the class in `position`, by object key; nil for no link.
  public static func links(to position: Int, keys: [ObjectKey?]) -> BatchColumn {
    BatchColumn(
      .link(
        LinkColumn(
          target: position, count: keys.count, nulls: mask(keys),
          unresolved: NullMask(count: keys.count) { keys[$0]?.isUnresolved ?? false },
          keys: keys.map { $0 ?? .null })))
  }

  /// Links to objects of the class in `position`, by primary key; nil for no link.
  ///
  /// - Parameter type: the type of the primary key: int, string, objectId or uuid.
  public static func links(
    to position: Int, primaryKeys: [RealmValue?], type: PropertyType
  ) -> BatchColumn {
    BatchColumn(
      .link(
        LinkColumn(
          target: position, count: primaryKeys.count, nulls: mask(primaryKeys),
          identities: scalars(primaryKeys.map { $0 ?? .null }, type))))
  }

  /// Lists or sets.
  ///
  /// - Parameters:
  ///   - ends: where the elements of each row end in `elements`. They ascend, and the last one is the number of
  ///     elements.
  ///   - elements: the elements of all rows, one row after the other.
  public static func lists(ends: [Int], elements: BatchColumn) -> BatchColumn {
    precondition(areEnds(ends, of: elements), "the elements end where the last row ends")
    return BatchColumn(.collection(CollectionColumn(ends: ends, elements: elements.values)))
  }

  /// Dictionaries. Keys and elements of all rows follow one another as in ``lists(ends:elements:)``.
  public static func dictionaries(
    ends: [Int], keys: [String], elements: BatchColumn
  ) -> BatchColumn {
    precondition(
      areEnds(ends, of: elements) && keys.count == elements.count, "an entry is a key and a value")
    let column = SliceColumn(copying: keys.map { Array($0.utf8) })
    return BatchColumn(
      .collection(
        CollectionColumn(ends: ends, elements: elements.values, keys: .string(column))))
  }

  /// Embedded objects.
  ///
  /// - Parameter rows: the position of each row's object in `objects`; nil for a row without an object.
  public static func objects(rows: [Int?], _ objects: ObjectBatch) -> BatchColumn {
    precondition(
      rows.allSatisfy { $0.map { 0..<objects.count ~= $0 } ?? true },
      "each row is a row of the batch, or nil")
    return BatchColumn(.embedded(EmbeddedColumn(rows: rows.map { $0 ?? -1 }, objects: objects)))
  }

  private static func areEnds(_ ends: [Int], of elements: BatchColumn) -> Bool {
    (ends.last ?? 0) == elements.count && zip([0] + ends, ends).allSatisfy { $0 <= $1 }
  }

  private static func mask<T>(_ values: [T?]) -> NullMask {
    NullMask(count: values.count) { values[$0] == nil }
  }

  private static func scalars(_ values: [RealmValue], _ type: PropertyType) -> ScalarColumn {
    func bytes(_ value: RealmValue) -> [UInt8]? {
      switch value {
      case .string(let string): Array(string.utf8)
      case .malformedString(let bytes), .objectId(let bytes), .uuid(let bytes): bytes
      default: nil
      }
    }
    switch type {
    case .string: return .string(SliceColumn(copying: values.map(bytes)))
    case .objectId: return .objectId(SliceColumn(copying: values.map(bytes)))
    case .uuid: return .uuid(SliceColumn(copying: values.map(bytes)))
    default:
      return .int(
        values.map { $0.int ?? 0 }, NullMask(count: values.count) { values[$0].int == nil })
    }
  }
}

extension BatchColumn {
  /// A copy of the value in `row`, which must be below ``count``.
  ///
  /// - Throws: the errors of reading a collection that is too large to be in the batch.
  public func value(at row: Int) throws(RealmFileError) -> RealmValue {
    try values.copy(row, StackRoom())
  }
}

extension ColumnValues {
  /// - Parameter stack: the stack space left for nested values.
  fileprivate func copy(_ row: Int, _ stack: StackRoom) throws(RealmFileError) -> RealmValue {
    switch self {
    case .scalar(let column): return column[row].copy
    case .link(let column):
      guard !column.nulls[row] else { return .null }
      return .link(
        RealmLink(
          classPosition: column.target, key: row < column.keys.count ? column.keys[row] : nil,
          primaryKey: column.identities.map { $0[row].copy },
          isUnresolved: column.unresolved[row]))
    case .embedded(let column):
      guard column.rows[row] >= 0 else { return .null }
      return try stack.deeper { (stack) throws(RealmFileError) in
        var values: [RealmValue] = []
        for property in column.objects.columns {
          values.append(try property?.copy(column.rows[row], stack) ?? .null)
        }
        return .object(values)
      }
    case .mixed(let column): return try column.copy(row, stack)
    case .collection(let column): return try column.copy(row, stack)
    }
  }
}

extension MixedColumn {
  fileprivate func copy(_ row: Int, _ stack: StackRoom) throws(RealmFileError) -> RealmValue {
    switch values[row] {
    case .link(let i):
      return .link(
        RealmLink(
          classPosition: links[i].target, key: links[i].key,
          primaryKey: links[i].identity.map(\.copy), isUnresolved: links[i].isUnresolved))
    case .list(let i): return try lists?.copy(i, stack) ?? .null
    case .dictionary(let i): return try dictionaries?.copy(i, stack) ?? .null
    case let value: return value.copy
    }
  }
}

extension CollectionColumn {
  fileprivate func copy(_ row: Int, _ stack: StackRoom) throws(RealmFileError) -> RealmValue {
    try stack.deeper { (stack) throws(RealmFileError) in try copyAll(row, stack) }
  }

  private func copyAll(_ row: Int, _ stack: StackRoom) throws(RealmFileError) -> RealmValue {
    // Restarted, because several threads may copy the collection at once, and a copy may follow an error.
    guard let runs = runs?.restarted() else { return try copy(range(of: row), stack) }
    var (elements, entries): ([RealmValue], [RealmEntry]) = ([], [])
    var isDictionary = false
    while let run = try runs.next() {
      switch try run.copy(run.range(of: 0), stack) {
      case .dictionary(let some):
        isDictionary = true
        entries += some
      case .list(let some): elements += some
      default: continue
      }
    }
    return isDictionary ? .dictionary(entries) : .list(elements)
  }

  private func copy(
    _ range: Range<Int>, _ stack: StackRoom
  ) throws(RealmFileError) -> RealmValue {
    guard let keys else {
      var values: [RealmValue] = []
      for i in range { values.append(try elements.copy(i, stack)) }
      return .list(values)
    }
    var entries: [RealmEntry] = []
    for i in range {
      entries.append(RealmEntry(key: keys[i].copy, value: try elements.copy(i, stack)))
    }
    return .dictionary(entries)
  }
}

extension BatchValue {
  /// The value with copies of its bytes. The column copies links and collections.
  fileprivate var copy: RealmValue {
    switch self {
    case .int(let number): .int(number)
    case .bool(let flag): .bool(flag)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let bytes): bytes.validText.map { .string($0) } ?? .malformedString(bytes.bytes)
    case .binary(let bytes): .binary(bytes.bytes)
    case .timestamp(let seconds, let nanoseconds):
      .date(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number): .decimal(number)
    case .objectId(let bytes): .objectId(bytes.bytes)
    case .uuid(let bytes): .uuid(bytes.bytes)
    case .null, .link, .list, .dictionary: .null
    }
  }
}
