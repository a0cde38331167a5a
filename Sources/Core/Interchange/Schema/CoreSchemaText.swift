import RealmModel

/// Writes a schema like the reference implementation's tool, byte for byte (chapter 6, section 2). Names are
/// not escaped.
enum CoreSchemaText {
  /// Appends all classes of `schema`, one per line.
  static func append(_ schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("[\n")
    for (i, objectClass) in schema.classes.enumerated() {
      append(objectClass, schema, to: &text)
      text.append(i < schema.classes.count - 1 ? ",\n" : "\n")
    }
    text.append("]\n")
  }

  private static func append(
    _ objectClass: ObjectClass, _ schema: ObjectSchema, to text: inout TextBuffer
  ) {
    text.append("{\"name\":\"")
    text.append(bytes: objectClass.tableName)
    text.append("\",")
    if let primaryKey = objectClass.primaryKey {
      text.append("\"primaryKey\":\"")
      text.append(bytes: objectClass.properties[primaryKey].name.bytes)
      text.append("\",")
    }
    text.append("\"tableType\":\"")
    switch objectClass.kind {
    case .topLevel: text.append("TopLevel")
    case .embedded: text.append("Embedded")
    case .asymmetric: text.append("TopLevelAsymmetric")
    }
    text.append("\",\"properties\":[")
    for (i, property) in objectClass.properties.enumerated() {
      if i > 0 { text.append(",") }
      append(property, isPrimaryKey: i == objectClass.primaryKey, schema, to: &text)
    }
    text.append("]}")
  }

  private static func append(
    _ property: Property, isPrimaryKey: Bool, _ schema: ObjectSchema, to text: inout TextBuffer
  ) {
    text.append("{\"name\":\"")
    text.append(bytes: property.name.bytes)
    text.append("\",\"type\":\"")
    text.append(typeName(property.type))
    text.append("\"")
    if property.type == .link {
      text.append(",\"objectType\":\"")
      text.append(bytes: schema.target(of: property)?.tableName ?? [])
      text.append("\"")
    }
    switch property.collection {
    case .list: text.append(",\"isArray\":true")
    case .set: text.append(",\"isSet\":true")
    case .dictionary:
      text.append(",\"isMap\":true,\"keyType\":\"")
      text.append(property.hasIntegerKeys ? "int" : "string")
      text.append("\"")
    case .none: break
    }
    if property.isOptional { text.append(",\"isOptional\":true") }
    // An upgrade gives every primary key an index, even if the file has none (chapter 3, section
    // 10.2).
    if property.index == .search || isPrimaryKey { text.append(",\"isIndexed\":true") }
    if property.index == .fulltext { text.append(",\"isFulltextIndexed\":true") }
    text.append("}")
  }

  private static func typeName(_ type: PropertyType) -> String {
    switch type {
    case .binary: "binary"
    case .timestamp: "timestamp"
    default: PropertyNotation.name(of: type)
    }
  }
}
