import RealmModel
import RealmStorage

/// Writes the schema for people: each class with its properties, followed by the properties of other classes
/// that link to it.
enum SchemaListing {
  /// Appends classes in ascending order of their names.
  ///
  /// - Parameters:
  ///   - positions: of the classes in `schema`.
  ///   - origins: returns the properties that link to the class at a position, as `Class.property`.
  static func append(
    _ positions: [Int], of schema: ObjectSchema, origins: (Int) -> [String],
    to text: inout TextBuffer
  ) {
    let classes = positions.sorted {
      schema.classes[$0].name.text < schema.classes[$1].name.text
    }
    for (i, position) in classes.enumerated() {
      if i > 0 { text.append("\n") }
      append(schema.classes[position], schema, origins: origins(position), to: &text)
    }
    if classes.isEmpty { text.append("no classes\n") }
  }

  private static func append(
    _ objectClass: ObjectClass, _ schema: ObjectSchema, origins: [String],
    to text: inout TextBuffer
  ) {
    text.append(objectClass.name.text.printable)
    switch objectClass.kind {
    case .topLevel: break
    case .embedded: text.append(" (embedded)")
    case .asymmetric: text.append(" (asymmetric)")
    }
    text.append("\n")
    let rows = objectClass.properties.enumerated().map { i, property in
      row(property, isPrimaryKey: i == objectClass.primaryKey, schema)
    }
    let nameWidth = rows.map(\.name.count).max() ?? 0
    let typeWidth = rows.filter { !$0.marks.isEmpty }.map(\.type.count).max() ?? 0
    for row in rows {
      text.append("  \(padded(row.name, nameWidth))  ")
      text.append(row.marks.isEmpty ? row.type : "\(padded(row.type, typeWidth))  \(row.marks)")
      text.append("\n")
    }
    for origin in origins.map(\.printable).sorted() { text.append("  <- \(origin)\n") }
  }

  private static func row(
    _ property: Property, isPrimaryKey: Bool, _ schema: ObjectSchema
  ) -> (name: String, type: String, marks: String) {
    let notation = PropertyNotation(property, isPrimaryKey: isPrimaryKey, schema)
    var marks: [String] = []
    if isPrimaryKey { marks.append("primary key") }
    if notation.isIndexed { marks.append("indexed") }
    if notation.isFulltextIndexed { marks.append("full-text indexed") }
    return (
      property.name.text.printable, (notation.short ?? notation.long).printable,
      marks.joined(separator: ", ")
    )
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
