import RealmModel

/// Writes the schema for people: each class with its properties, followed by the properties of other classes
/// that link to it.
enum SchemaListing {
  /// Appends the classes of `schema` in ascending order of their names.
  ///
  /// - Parameter origins: returns the properties that link to the class at a position, as
  ///   `Class.property`.
  static func append(
    _ schema: ObjectSchema, origins: (Int) -> [String], to text: inout TextBuffer
  ) {
    let classes = schema.appClasses.sorted {
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
    text.append(visible(objectClass.name.text))
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
    for origin in origins.map(visible).sorted() { text.append("  <- \(origin)\n") }
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
      visible(property.name.text), visible(notation.short ?? notation.long),
      marks.joined(separator: ", ")
    )
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Names come from untrusted files, and a terminal must not interpret their control characters.
  private static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      result += isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }
}
