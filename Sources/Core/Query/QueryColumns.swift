public import RealmModel
public import RealmStorage

/// Reads the values of key paths for objects, batch by batch. Used by one thread.
public final class QueryColumns {
  /// The schema of the batches: the classes of the realm, and behind them a class with one property for
  /// each path.
  public let schema: ObjectSchema
  private let paths: [QueryPath]
  private let table: Table
  private let evaluator: Evaluator
  /// Reads whole properties: with the identities of links, and with embedded objects.
  private let reader: PropertyReader

  /// - Parameters:
  ///   - paths: paths of one class.
  ///   - realm: a realm with the schema of the paths.
  /// - Throws: `unsupported` if the realm has another schema; the errors of an encrypted realm.
  public init(_ paths: [QueryPath], in realm: Realm) throws(RealmFileError) {
    precondition(
      Set(paths.map(\.path.origin)).count <= 1, "the paths begin at the same class")
    for path in paths { try path.schema.check(realm) }
    self.paths = paths
    table = realm.schema.tables[paths.first?.path.origin ?? 0]
    evaluator = try Evaluator(realm, QueryPlan())
    reader = try PropertyReader(realm, ObjectRequest())
    let classes = realm.schema.objects.classes
    schema = ObjectSchema(
      classes: classes + [
        ObjectClass(name: table.className, properties: paths.map(\.property))
      ])
  }

  /// Position of the class of the batches in ``schema``.
  public var classPosition: Int { schema.classes.count - 1 }

  /// The values of the paths for some objects.
  ///
  /// - Parameter keys: up to ``ObjectBatch/capacity`` keys of existing objects.
  /// - Throws: `damaged`; `unsupported` if an object leads to more than about four million values.
  public func batch(of keys: [ObjectKey]) throws(RealmFileError) -> ObjectBatch {
    let (mark, readerMark) = (evaluator.reader.mark(), reader.mark())
    let frame = try evaluator.frame(keys, of: table)
    var columns: [ColumnValues] = []
    for path in paths { columns.append(try values(of: path, frame)) }
    let batch = ObjectBatch(
      classPosition: classPosition, count: keys.count, keys: keys, columns: columns, owner: nil)
    return batch.owned(
      by: [evaluator.reader.hold(since: mark), reader.hold(since: readerMark)])
  }

  private func values(
    of item: QueryPath, _ frame: ObjectFrame
  ) throws(RealmFileError) -> ColumnValues {
    let path = item.path
    let rows = Array(frame.keys.indices)
    guard let property = path.wholeProperty else {
      return ColumnValues(
        try evaluator.values(at: path, frame, rows), count: rows.count, item.property)
    }
    guard !path.links.isEmpty else { return try whole(property, frame.keys, of: table) }
    let linked = try evaluator.follow(path.links, frame, rows)
    let values = try whole(property, linked.keys, of: linked.table)
    guard path.followsSeveral else {
      return values.picking(rows.map { linked.range(of: $0).first })
    }
    guard case .collection(let collection) = values else {
      return .collection(CollectionColumn(ends: linked.ends, elements: values))
    }
    return .collection(
      CollectionColumn(
        ends: linked.ends.map { $0 == 0 ? 0 : collection.ends[$0 - 1] },
        elements: collection.elements))
  }

  private func whole(
    _ property: Int, _ keys: [ObjectKey], of table: Table
  ) throws(RealmFileError) -> ColumnValues {
    let rows = try reader.rows(keys, of: table)
    guard
      let values = try reader.values(
        of: property, rows, elementLimit: ObjectFrame.elementLimitOfOne)
    else { throw ObjectFrame.tooMany }
    return values
  }
}

extension ColumnValues {
  /// The values of a path that does not read a whole property.
  ///
  /// - Parameter property: describes the values: sizes or mixed values, one or several of each object.
  fileprivate init(_ column: ValueColumn, count: Int, _ property: Property) {
    let ranges = (0..<count).map { column.range(ofObject: $0) }
    guard property.collection != nil else {
      // A value that does not exist is null.
      self.init(ranges.map { $0.first.map { column.values[$0] } ?? .null }, property.type)
      return
    }
    var ends: [Int] = []
    for range in ranges { ends.append(range.isEmpty ? ends.last ?? 0 : range.upperBound) }
    self = .collection(
      CollectionColumn(ends: ends, elements: ColumnValues(column.values, property.type)))
  }

  private init(_ values: [QueryValue], _ type: PropertyType) {
    guard type == .int else {
      self = .mixed(MixedColumn(values))
      return
    }
    self = .scalar(
      .int(
        values.map { if case .int(let number) = $0 { number } else { 0 } },
        NullMask(count: values.count) { values[$0].isNull }))
  }
}

extension MixedColumn {
  /// Values without nested collections, which count as null.
  fileprivate init(_ values: [QueryValue]) {
    self.init(values: [])
    for value in values {
      guard case .link(let target, let key) = value else {
        self.values.append(value.batchValue)
        continue
      }
      self.values.append(.link(links.count))
      links.append(Link(target: target, key: key, identity: nil, isUnresolved: false))
    }
  }
}

extension QueryValue {
  /// The scalar as a batch has it. The type of a value is the text of its name.
  fileprivate var batchValue: BatchValue {
    switch self {
    case .int(let number): .int(number)
    case .bool(let flag): .bool(flag)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let bytes): .string(bytes)
    case .binary(let bytes): .binary(bytes)
    case .date(let seconds, let nanoseconds):
      .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number): .decimal(number)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    case .type(let types): .string(types.text)
    case .null, .link, .list, .dictionary: .null
    }
  }
}
