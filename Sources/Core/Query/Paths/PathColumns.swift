import RealmModel
import RealmStorage

/// Makes columns of batches from the values of paths.
struct PathColumns {
  private let evaluator: Evaluator
  private let realm: Realm

  init(_ realm: Realm, _ evaluator: Evaluator) { (self.realm, self.evaluator) = (realm, evaluator) }

  /// The values of `path` for the objects of `frame`.
  ///
  /// - Throws: ``ObjectFrame/tooMany``; the errors of reading.
  func column(_ path: QueryPath, _ frame: ObjectFrame) throws(RealmFileError) -> ColumnValues {
    let count = frame.rows.count
    let found = try evaluator.values(of: path.expression, frame, Array(0..<count))
    guard path.isList else {
      let values = (0..<count).map {
        found.range(ofObject: $0).first.map { found.values[$0] } ?? .null
      }
      return try column(values, path.type)
    }
    var values: [QueryValue] = []
    var ends: [Int] = []
    for row in 0..<count {
      values += found.values[found.range(ofObject: row)]
      ends.append(values.count)
    }
    return .collection(CollectionColumn(ends: ends, elements: try column(values, path.type)))
  }

  /// A column of `values`, which have this type or are null.
  func column(_ values: [QueryValue], _ type: ValueType) throws(RealmFileError) -> ColumnValues {
    switch type {
    case .mixed: return .mixed(try mixed(values))
    case .link(let position):
      let keys = values.map { if case .link(_, let key) = $0 { key } else { ObjectKey.null } }
      return realm.schema.objects.classes[position].kind == .embedded
        ? .embedded(try embedded(keys, position)) : .link(try links(keys, position))
    default: return .scalar(PathColumns.scalars(values, type))
    }
  }

  // MARK: Objects

  private func links(_ keys: [ObjectKey], _ position: Int) throws(RealmFileError) -> LinkColumn {
    LinkColumn(
      target: position, count: keys.count,
      nulls: NullMask(count: keys.count) { keys[$0].isNull }, keys: keys,
      identities: try identities(keys, position))
  }

  /// The primary keys of the objects with `keys`, null for null keys; nil if their class has none.
  private func identities(
    _ keys: [ObjectKey], _ position: Int
  ) throws(RealmFileError) -> ScalarColumn? {
    guard let primaryKey = realm.schema.objects.classes[position].primaryKey else { return nil }
    let existing = keys.filter { !$0.isNull }
    var values: [QueryValue] = []
    if !existing.isEmpty {
      let frame = try evaluator.frame(existing, of: realm.schema.tables[position])
      guard case .scalar(let column) = try frame.column(primaryKey) else { return nil }
      values = existing.indices.map { QueryValue(column[$0]) }
    }
    var next = values.makeIterator()
    let property = realm.schema.objects.classes[position].properties[primaryKey]
    return PathColumns.scalars(
      keys.map { $0.isNull ? .null : next.next() ?? .null }, ValueType(property))
  }

  private func embedded(
    _ keys: [ObjectKey], _ position: Int
  ) throws(RealmFileError) -> EmbeddedColumn {
    let existing = keys.filter { !$0.isNull }
    guard !existing.isEmpty else {
      let none = ObjectBatch(
        classPosition: position, count: 0, keys: [], columns: [], owner: nil)
      return EmbeddedColumn(rows: keys.map { _ in -1 }, objects: none)
    }
    let table = realm.schema.tables[position]
    let distinct = DistinctKeys(existing)
    guard distinct.keys.count <= ObjectBatch.capacity else { throw ObjectFrame.tooMany }
    let batch = try ObjectFetcher(realm).fetch(distinct.keys, of: table)
    guard batch.count == distinct.keys.count else { throw ObjectFrame.tooMany }
    var rows = distinct.rows.makeIterator()
    return EmbeddedColumn(
      rows: keys.map { $0.isNull ? -1 : rows.next() ?? -1 }, objects: batch)
  }

  private func mixed(_ values: [QueryValue]) throws(RealmFileError) -> MixedColumn {
    var column = MixedColumn(values: [])
    for value in values {
      switch value {
      case .link(let position, let key):
        let identity = try identities([key], position).map { $0[0] }
        column.values.append(.link(column.links.count))
        column.links.append(
          MixedColumn.Link(target: position, key: key, identity: identity, isUnresolved: false))
      case .list, .dictionary:
        throw RealmFileError(
          .unsupported(
            "a path over links leads to a collection in a mixed value; add [*] to get its values"))
      default: column.values.append(BatchValue(value))
      }
    }
    return column
  }

  // MARK: Scalars

  private static func scalars(_ values: [QueryValue], _ type: ValueType) -> ScalarColumn {
    func mask(_ isNull: (QueryValue) -> Bool) -> NullMask {
      NullMask(count: values.count) { isNull(values[$0]) }
    }
    let nulls = mask(\.isNull)
    switch type {
    case .int:
      return .int(values.map { if case .int(let number) = $0 { number } else { 0 } }, nulls)
    case .bool:
      return .bool(values.map { if case .bool(let flag) = $0 { flag } else { false } }, nulls)
    case .float:
      return .float(values.map { if case .float(let number) = $0 { number } else { 0 } }, nulls)
    case .double:
      return .double(values.map { if case .double(let number) = $0 { number } else { 0 } }, nulls)
    case .decimal:
      return .decimal(
        values.map { if case .decimal(let number) = $0 { number } else { .null } })
    case .date:
      let pairs = values.map { value -> (Int64, Int64) in
        if case .date(let seconds, let nanoseconds) = value {
          (seconds, nanoseconds)
        } else {
          (0, 0)
        }
      }
      return .timestamp(pairs.map(\.0), pairs.map(\.1), nulls)
    case .binary: return .binary(SliceColumn(values.map(\.bytes)))
    case .objectId:
      return .objectId(
        SliceColumn(values.map { if case .objectId(let bytes) = $0 { bytes } else { nil } }))
    case .uuid:
      return .uuid(SliceColumn(values.map { if case .uuid(let bytes) = $0 { bytes } else { nil } }))
    case .typeName:
      return .string(
        SliceColumn(
          copying: values.map {
            if case .type(let types) = $0 { Array(types.name.utf8) } else { nil }
          }))
    case .string, .null, .mixed, .link: return .string(SliceColumn(values.map(\.bytes)))
    }
  }
}

extension OperandValues {
  /// The positions of the values of the object at `index`.
  func range(ofObject index: Int) -> Range<Int> {
    switch self {
    case .constant(let values): values.indices
    case .column(let column): column.range(ofObject: index)
    }
  }
}

extension BatchValue {
  /// A scalar; what is no scalar becomes null.
  fileprivate init(_ value: QueryValue) {
    self =
      switch value {
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
      case .null, .link, .list, .dictionary, .type: .null
      }
  }
}

extension TypeSet {
  /// The name of a single type.
  fileprivate var name: String {
    let names: [(type: TypeSet, name: String)] = [
      (.null, "null"), (.int, "int"), (.bool, "bool"), (.string, "string"), (.binary, "binary"),
      (.date, "date"), (.float, "float"), (.double, "double"), (.decimal, "decimal128"),
      (.objectId, "objectId"), (.uuid, "uuid"), (.link, "link"), (.dictionary, "dictionary"),
    ]
    return names.first { $0.type == self }?.name ?? "list"
  }
}
