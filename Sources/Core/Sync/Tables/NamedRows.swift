import RealmModel
import RealmStorage

/// Reads rows with their values by column name, for tables whose columns differ between versions of the libraries.
enum NamedRows {
  /// Calls `body` for the rows of `table`.
  ///
  /// - Parameters:
  ///   - table: has no rows of its own if it is nil or its objects are embedded.
  ///   - columns: names of the columns to read, including those of embedded objects; nil for all.
  ///   - limit: maximum number of rows.
  /// - Returns: false if there are more rows, or if a collection was left out because it has too many elements.
  /// - Throws: `damaged`; the errors of an encrypted realm; the errors of `body`.
  @discardableResult
  static func forEach(
    of table: Table?, in realm: Realm, columns: Set<String>? = nil, limit: Int = .max,
    _ body: (ObjectKey, [String: RealmValue]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Bool {
    guard let table, table.kind != .embedded else { return true }
    let request = request(columns, of: realm.schema.objects)
    return try forEach(
      of: RealmSource(realm, request, classes: [table.position]), limit: limit, body)
  }

  /// Calls `body` for the objects of `source`, which has one class.
  ///
  /// - Parameter limit: maximum number of objects.
  /// - Returns: same as ``forEach(of:in:columns:limit:_:)``.
  /// - Throws: `damaged`; the errors of an encrypted realm; the errors of `body`.
  @discardableResult
  static func forEach(
    of source: some RealmObjectSource, limit: Int = .max,
    _ body: (ObjectKey, [String: RealmValue]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Bool {
    var cursor = try source.makeCursor()
    var (rest, isComplete) = (limit, true)
    for part in try source.parts() {
      try cursor.open(part)
      let properties = source.schema.classes[part.classPosition].properties
      while let batch = try cursor.next() {
        if batch.count > rest { isComplete = false }
        for row in 0..<min(batch.count, rest) {
          var values: [String: RealmValue] = [:]
          for (i, property) in properties.enumerated() {
            guard let column = batch.columns[i] else { continue }
            guard !column.hasRuns else {
              isComplete = false
              continue
            }
            values[property.name.text] = try batch.value(ofProperty: i, row: row)
          }
          try body(batch.keys[row], values)
        }
        rest = max(0, rest - batch.count)
        if rest == 0, !isComplete { return false }
      }
    }
    return isComplete
  }

  /// A request for the columns with these names in all classes; nil for all columns.
  static func request(_ columns: Set<String>?, of schema: ObjectSchema) -> ObjectRequest {
    var request = ObjectRequest()
    guard let columns else { return request }
    for (position, objectClass) in schema.classes.enumerated() {
      let properties = objectClass.properties
      request.properties[position] = Set(
        properties.indices.filter { columns.contains(properties[$0].name.text) })
    }
    return request
  }

  /// Calls `body` with the number of elements in the collection `column` of each row, in the order of
  /// ``forEach(of:in:columns:limit:_:)``. Reads no elements.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  static func forEachCount(
    of column: String, in table: Table, of realm: Realm,
    _ body: (Int) -> Void
  ) throws(RealmFileError) {
    guard
      let property = table.objectClass.properties.firstIndex(where: {
        $0.name.text == column && $0.collection != nil
      })
    else { return }
    let reader = try PropertyReader(realm)
    for cluster in try reader.clusters(of: table) {
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let rows = try reader.rows(at: cluster, of: table)
      for count in try reader.elementCounts(of: property, rows) { body(count) }
    }
  }

  /// The values of an embedded object by column name.
  static func fields(_ object: RealmValue, of table: Table?) -> [String: RealmValue] {
    var fields: [String: RealmValue] = [:]
    guard case .object(let content) = object else { return fields }
    for (property, value) in zip(table?.objectClass.properties ?? [], content) {
      fields[property.name.text] = value
    }
    return fields
  }
}
