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
      return try column(values, of: path, path.type)
    }
    var values: [QueryValue] = []
    var ends: [Int] = []
    for row in 0..<count {
      values += found.values[found.range(ofObject: row)]
      ends.append(values.count)
    }
    return .collection(
      CollectionColumn(ends: ends, elements: try column(values, of: path, path.type)))
  }

  /// A column of `values`, which have type `type` or are null.
  ///
  /// - Parameter path: where the values are from; nil for numbers of objects.
  /// - Throws: `unsupported` for a collection in a mixed value; the errors of reading.
  func column(
    _ values: [QueryValue], of path: QueryPath?, _ type: ValueType
  ) throws(RealmFileError) -> ColumnValues {
    switch type {
    case .mixed: return .mixed(try mixed(values, of: path))
    case .link(let position):
      let keys = values.map { if case .link(_, let key) = $0 { key } else { ObjectKey.null } }
      return realm.schema.objects.classes[position].kind == .embedded
        ? .embedded(try embedded(keys, position)) : .link(try links(keys, position))
    default: return .scalar(ScalarColumn(values, type))
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
    return ScalarColumn(
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

  private func mixed(
    _ values: [QueryValue], of path: QueryPath?
  ) throws(RealmFileError) -> MixedColumn {
    var column = MixedColumn(values: [])
    for value in values {
      switch value {
      case .link(let position, let key):
        let identity = try identities([key], position).map { $0[0] }
        column.values.append(.link(column.links.count))
        column.links.append(
          MixedColumn.Link(target: position, key: key, identity: identity, isUnresolved: false))
      case .list(let count): throw PathColumns.isCollection("list", count, path)
      case .dictionary(let count): throw PathColumns.isCollection("dictionary", count, path)
      default: column.values.append(BatchValue(value))
      }
    }
    return column
  }

  private static func isCollection(
    _ kind: String, _ count: Int, _ path: QueryPath?
  ) -> RealmFileError {
    let found = "found a \(kind) of \(count) value\(count == 1 ? "" : "s")"
    guard let path else { return RealmFileError(.unsupported("\(found), expected a single value")) }
    let condition = "\(path.isList ? "ALL " : "")\(path.text).@type != 'collection'"
    return RealmFileError(
      .unsupported(
        "\(path.text): \(found) in a mixed value, expected a single value; the condition "
          + "\(condition) leaves out objects with collections"))
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
