package import RealmModel

/// The schema text of the reference implementation's tool, byte for byte (chapter 6, section 2).
/// Names are not escaped.
package enum CoreSchemaText {
  /// Appends the tables of `schema`, all of them, a line each.
  package static func append(_ schema: Schema, to text: inout TextBuffer) {
    text.append("[\n")
    for (i, table) in schema.tables.enumerated() {
      append(table, schema, to: &text)
      text.append(i < schema.tables.count - 1 ? ",\n" : "\n")
    }
    text.append("]\n")
  }

  private static func append(_ table: Table, _ schema: Schema, to text: inout TextBuffer) {
    text.append("{\"name\":\"")
    text.append(bytes: table.name.bytes)
    text.append("\",")
    if let primaryKey = table.primaryKey {
      text.append("\"primaryKey\":\"")
      text.append(bytes: table.columns[primaryKey].name.bytes)
      text.append("\",")
    }
    text.append("\"tableType\":\"")
    switch table.kind {
    case .topLevel: text.append("TopLevel")
    case .embedded: text.append("Embedded")
    case .asymmetric: text.append("TopLevelAsymmetric")
    }
    text.append("\",\"properties\":[")
    for (i, column) in table.columns.enumerated() {
      if i > 0 { text.append(",") }
      append(column, isPrimaryKey: i == table.primaryKey, schema, to: &text)
    }
    text.append("]}")
  }

  private static func append(
    _ column: Column, isPrimaryKey: Bool, _ schema: Schema, to text: inout TextBuffer
  ) {
    text.append("{\"name\":\"")
    text.append(bytes: column.name.bytes)
    text.append("\",\"type\":\"")
    text.append(typeName(column.type))
    text.append("\"")
    if column.type == .link {
      text.append(",\"objectType\":\"")
      text.append(bytes: column.target.flatMap { schema.table($0) }?.name.bytes ?? [])
      text.append("\"")
    }
    switch column.collection {
    case .list: text.append(",\"isArray\":true")
    case .set: text.append(",\"isSet\":true")
    case .dictionary:
      text.append(",\"isMap\":true,\"keyType\":\"")
      text.append(column.hasIntegerKeys ? "int" : "string")
      text.append("\"")
    case .none: break
    }
    if column.isNullable { text.append(",\"isOptional\":true") }
    // An upgrade gives every primary key an index, whatever the file has (chapter 3, section 10.2).
    if column.isIndexed || isPrimaryKey { text.append(",\"isIndexed\":true") }
    if column.isFulltextIndexed { text.append(",\"isFulltextIndexed\":true") }
    text.append("}")
  }

  private static func typeName(_ type: ColumnType) -> String {
    switch type {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .binary: "binary"
    case .mixed: "mixed"
    case .timestamp: "timestamp"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .link: "object"
    case .backlink: "backlink"
    case .objectId: "objectId"
    case .typedLink: "typedLink"
    case .uuid: "uuid"
    }
  }
}
