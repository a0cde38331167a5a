import RealmModel
import RealmStorage

/// Reads the rows of a table with their values by name, for tables whose columns differ between versions of the
/// libraries.
enum NamedRows {
  /// Calls `body` for the rows of `table`.
  ///
  /// - Parameters:
  ///   - table: not of embedded objects, which come inside their owners.
  ///   - limit: maximum number of rows.
  /// - Throws: `damaged`; the errors of an encrypted realm; the errors of `body`.
  static func forEach(
    of table: Table?, in realm: Realm, limit: Int,
    _ body: (ObjectKey, [String: RealmValue]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    guard let table, table.kind != .embedded else { return }
    let source = RealmSource(realm, classes: [table.position])
    let cursor = try source.makeCursor()
    var rest = limit
    for part in try source.parts() {
      cursor.open(part)
      while rest > 0, let batch = try cursor.next() {
        for row in 0..<min(batch.count, rest) {
          var values: [String: RealmValue] = [:]
          for (i, property) in table.objectClass.properties.enumerated() {
            values[property.name.text] = try batch.value(ofProperty: i, row: row)
          }
          try body(batch.keys[row], values)
        }
        rest -= batch.count
      }
    }
  }

  /// The values of an embedded object by name.
  static func fields(_ object: RealmValue, of table: Table?) -> [String: RealmValue] {
    var fields: [String: RealmValue] = [:]
    guard case .object(let content) = object else { return fields }
    for (property, value) in zip(table?.objectClass.properties ?? [], content) {
      fields[property.name.text] = value
    }
    return fields
  }
}
