package import RealmModel

/// The schema in the notation that users of Realm JS know, a class a line; `docs/realm-json.md` is
/// its specification.
package enum RealmJSONSchema {
  /// Appends classes as a JSON array.
  ///
  /// - Parameters:
  ///   - classes: which classes of `schema`, in this order.
  ///   - isExport: names the member that carries the object key of classes without primary key.
  ///   - lineEnd: what stands between two classes beside the comma.
  package static func append(
    _ classes: [Table], of schema: Schema, isExport: Bool, lineEnd: String = "\n",
    to text: inout TextBuffer
  ) {
    text.append("[")
    for (i, table) in classes.enumerated() {
      text.append((i > 0 ? "," : "") + lineEnd)
      append(table, schema, isExport: isExport, to: &text)
    }
    text.append((classes.isEmpty ? "" : lineEnd) + "]")
  }

  /// The classes that a text with the objects of `tables` describes: theirs and all embedded ones.
  static func classes(_ tables: [Table], of schema: Schema) -> [Table] {
    schema.classes.filter { table in
      table.kind == .embedded || tables.contains { $0.key == table.key }
    }
  }

  /// A JSON string of a name. One that is not UTF-8 becomes an object.
  static func quoted(_ name: Name) -> [UInt8] {
    var text = TextBuffer(capacity: name.bytes.count + 16)
    if name.isValid {
      text.append(UInt8(ascii: "\""))
      text.append(jsonEscaped: name.text)
      text.append(UInt8(ascii: "\""))
    } else {
      text.append("{\"$string\":{\"base64\":\"")
      text.append(base64: name.bytes)
      text.append("\"}}")
    }
    return text.bytes
  }

  /// `"name":`. A member name must be a string: one that is not UTF-8 becomes `$base64:` and its
  /// base64, as does a name that starts so by itself.
  package static func memberName(_ name: Name) -> [UInt8] {
    guard name.isValid, !name.text.hasPrefix(base64Prefix) else {
      var text = TextBuffer(capacity: name.bytes.count * 2 + 16)
      text.append("\"\(base64Prefix)")
      text.append(base64: name.bytes)
      text.append("\":")
      return text.bytes
    }
    return quoted(name) + [UInt8(ascii: ":")]
  }

  private static let base64Prefix = "$base64:"

  /// The member that holds the object key of the objects of `table`: `_key`, with more underscores
  /// until no property is called so. Nil for classes with a primary key and embedded ones.
  static func keyMember(of table: Table) -> String? {
    guard table.primaryKey == nil, table.kind != .embedded else { return nil }
    var member = "_key"
    while table.columns.contains(where: { $0.name.text == member }) { member = "_" + member }
    return member
  }

  private static func append(
    _ table: Table, _ schema: Schema, isExport: Bool, to text: inout TextBuffer
  ) {
    text.append("{\"name\":")
    text.append(bytes: quoted(table.className))
    if let primaryKey = table.primaryKey {
      text.append(",\"primaryKey\":")
      text.append(bytes: quoted(table.columns[primaryKey].name))
    }
    switch table.kind {
    case .topLevel: break
    case .embedded: text.append(",\"embedded\":true")
    case .asymmetric: text.append(",\"asymmetric\":true")
    }
    if isExport, let member = keyMember(of: table) {
      text.append(",\"keyMember\":\"\(member)\"")
    }
    text.append(",\"properties\":{")
    for (i, column) in table.columns.enumerated() {
      if i > 0 { text.append(",") }
      text.append(bytes: memberName(column.name))
      append(
        PropertyNotation(column, isPrimaryKey: i == table.primaryKey, schema), to: &text)
    }
    text.append("}}")
  }

  private static func append(_ notation: PropertyNotation, to text: inout TextBuffer) {
    var members: [(String, [UInt8])] = []
    if let short = notation.short {
      let type = quoted(Name(short))
      guard notation.isIndexed || notation.isFulltextIndexed else {
        return text.append(bytes: type)
      }
      members.append(("type", type))
    } else {
      members.append(("type", quoted(Name(notation.type))))
      if let objectType = notation.objectType { members.append(("objectType", quoted(objectType))) }
      if notation.isOptional { members.append(("optional", Array("true".utf8))) }
      if let collection = notation.collection {
        members.append(("collection", quoted(Name(collection))))
      }
      if notation.hasIntegerKeys { members.append(("keyType", quoted(Name("int")))) }
    }
    if notation.isIndexed { members.append(("indexed", Array("true".utf8))) }
    if notation.isFulltextIndexed { members.append(("fulltext", Array("true".utf8))) }
    text.append("{")
    for (i, (name, value)) in members.enumerated() {
      if i > 0 { text.append(",") }
      text.append("\"\(name)\":")
      text.append(bytes: value)
    }
    text.append("}")
  }
}
