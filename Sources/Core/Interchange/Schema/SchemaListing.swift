package import RealmModel

/// The schema for people: each class with its properties and, below them, which properties of other
/// classes link to it.
package enum SchemaListing {
  /// Appends the classes of `schema` in ascending order of their names.
  package static func append(_ schema: Schema, to text: inout TextBuffer) {
    let classes = schema.classes.sorted { $0.className.text < $1.className.text }
    for (i, table) in classes.enumerated() {
      if i > 0 { text.append("\n") }
      append(table, schema, to: &text)
    }
    if classes.isEmpty { text.append("no classes\n") }
  }

  private static func append(_ table: Table, _ schema: Schema, to text: inout TextBuffer) {
    text.append(visible(table.className.text))
    switch table.kind {
    case .topLevel: break
    case .embedded: text.append(" (embedded)")
    case .asymmetric: text.append(" (asymmetric)")
    }
    text.append("\n")
    let rows = table.columns.enumerated().map { i, column in
      row(column, isPrimaryKey: i == table.primaryKey, schema)
    }
    let links = incomingLinks(to: table, schema)
    let nameWidth = rows.map(\.name.count).max() ?? 0
    let typeWidth = rows.filter { !$0.marks.isEmpty }.map(\.type.count).max() ?? 0
    for row in rows {
      text.append("  \(padded(row.name, nameWidth))  ")
      text.append(row.marks.isEmpty ? row.type : "\(padded(row.type, typeWidth))  \(row.marks)")
      text.append("\n")
    }
    for link in links { text.append("  <- \(link)\n") }
  }

  private static func row(
    _ column: Column, isPrimaryKey: Bool, _ schema: Schema
  ) -> (name: String, type: String, marks: String) {
    let notation = PropertyNotation(column, isPrimaryKey: isPrimaryKey, schema)
    var marks: [String] = []
    if isPrimaryKey { marks.append("primary key") }
    if notation.isIndexed { marks.append("indexed") }
    if notation.isFulltextIndexed { marks.append("full-text indexed") }
    return (
      visible(column.name.text), visible(notation.short ?? notation.long),
      marks.joined(separator: ", ")
    )
  }

  /// The properties that link to objects of `table`, as `Class.property`. A mixed property counts
  /// where a link from it was ever stored.
  private static func incomingLinks(to table: Table, _ schema: Schema) -> [String] {
    table.backlinkColumns.compactMap { backlink in
      guard let origin = schema.table(backlink.origin), origin.isClass,
        let column = origin.columns.first(where: { $0.key == backlink.originColumn })
      else { return nil }
      return visible("\(origin.className.text).\(column.name.text)")
    }.sorted()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Names come from files that nobody vouches for: a terminal must not obey them.
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
