package import RealmModel
import RealmStorage

/// The schema in the notation of Realm JS, one class per line, specified in `docs/realm-json.md`.
package enum RealmJSONSchema {
  /// Appends classes as a JSON array.
  ///
  /// - Parameters:
  ///   - classes: the classes of `schema` to append, in this order.
  ///   - isExport: whether to name the member with the object key, for classes without a primary key.
  ///   - lineEnd: written between two classes in addition to the comma.
  package static func append(
    _ classes: [ObjectClass], of schema: ObjectSchema, isExport: Bool, lineEnd: String = "\n",
    to text: inout TextBuffer
  ) {
    text.append("[")
    for (i, objectClass) in classes.enumerated() {
      text.append((i > 0 ? "," : "") + lineEnd)
      append(objectClass, schema, isExport: isExport, to: &text)
    }
    text.append((classes.isEmpty ? "" : lineEnd) + "]")
  }

  /// A separate document that describes the objects of `classes`.
  package static func document(_ classes: [Int], of schema: ObjectSchema) -> [UInt8] {
    var text = TextBuffer()
    append(described(classes, of: schema), of: schema, isExport: true, to: &text)
    text.append("\n")
    return text.bytes
  }

  /// A separate document with classes of an app, as by `schema show --format json`.
  ///
  /// - Parameter positions: of the classes; nil for all.
  package static func document(_ schema: ObjectSchema, only positions: [Int]? = nil) -> [UInt8] {
    var text = TextBuffer()
    let classes = (positions ?? schema.appClasses).map { schema.classes[$0] }
    append(classes, of: schema, isExport: false, to: &text)
    text.append("\n")
    return text.bytes
  }

  /// The classes in the schema of an export of `classes`: these and all embedded ones.
  static func described(_ classes: [Int], of schema: ObjectSchema) -> [ObjectClass] {
    let given = Set(classes)
    return schema.appClasses.filter {
      given.contains($0) || schema.classes[$0].kind == .embedded
    }.map { schema.classes[$0] }
  }

  /// The JSON string of a name; an object if the name is not UTF-8.
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

  /// `"name":`, with the name of ``memberText(_:)``.
  package static func memberName(_ name: Name) -> [UInt8] {
    quoted(Name(memberText(name))) + [UInt8(ascii: ":")]
  }

  /// The name of a member, which must be UTF-8: a name that is not UTF-8, or that starts with `$base64:`,
  /// becomes `$base64:` and its base64.
  static func memberText(_ name: Name) -> [UInt8] {
    guard name.isValid, !name.text.hasPrefix(base64Prefix) else {
      var text = TextBuffer(capacity: name.bytes.count * 2 + 16)
      text.append(base64Prefix)
      text.append(base64: name.bytes)
      return text.bytes
    }
    return name.bytes
  }

  /// The name in a member's name, as ``memberText(_:)`` gives it; nil for invalid base64.
  static func name(ofMember text: [UInt8]) -> Name? {
    guard text.starts(with: base64Prefix.utf8) else { return Name(text) }
    return Base64.bytes(Array(text.dropFirst(base64Prefix.utf8.count))).map { Name($0) }
  }

  static let base64Prefix = "$base64:"

  /// The member for the object keys of a class: `_key`, with more underscores if a property has that name. Nil
  /// for classes with a primary key and for embedded classes.
  package static func keyMember(of objectClass: ObjectClass) -> String? {
    guard objectClass.primaryKey == nil, objectClass.kind != .embedded else { return nil }
    var member = "_key"
    while objectClass.property(named: member) != nil { member = "_" + member }
    return member
  }

  /// The name of the member with the identity of an object: the primary key, or the object key.
  package static func identityMember(of objectClass: ObjectClass) -> Name {
    objectClass.primaryKey.map { objectClass.properties[$0].name }
      ?? Name(keyMember(of: objectClass) ?? "_key")
  }

  private static func append(
    _ objectClass: ObjectClass, _ schema: ObjectSchema, isExport: Bool, to text: inout TextBuffer
  ) {
    text.append("{\"name\":")
    text.append(bytes: quoted(objectClass.name))
    if let primaryKey = objectClass.primaryKey {
      text.append(",\"primaryKey\":")
      text.append(bytes: quoted(objectClass.properties[primaryKey].name))
    }
    switch objectClass.kind {
    case .topLevel: break
    case .embedded: text.append(",\"embedded\":true")
    case .asymmetric: text.append(",\"asymmetric\":true")
    }
    if isExport, let member = keyMember(of: objectClass) {
      text.append(",\"keyMember\":\"\(member)\"")
    }
    text.append(",\"properties\":{")
    for (i, property) in objectClass.properties.enumerated() {
      if i > 0 { text.append(",") }
      text.append(bytes: memberName(property.name))
      append(
        PropertyNotation(property, isPrimaryKey: i == objectClass.primaryKey, schema), to: &text)
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
