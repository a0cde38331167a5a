import RealmModel

/// What stands around and between the objects in a text format.
protocol TextFraming: Sendable {
  /// - Parameter classes: positions of the classes whose objects come.
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer)
  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer)
  /// What stands in front of an object, the same for all objects of a class.
  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8]
  /// What stands in front of that, `isFirst` for the first object of a class.
  func appendSeparator(isFirst: Bool, to text: inout TextBuffer)
  func appendObjectEnd(to text: inout TextBuffer)
  func appendClassEnd(to text: inout TextBuffer)
  /// - Parameter counts: objects of each class, in the order of the document.
  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer)
}

/// The frame of the reference's texts (chapter 6, section 1.1).
struct CoreFraming: TextFraming {
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("{\n")
  }

  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\"" : ",\"")
    text.append(bytes: objectClass.name.bytes)
    text.append("\":[")
  }

  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8] { [] }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
  }

  func appendObjectEnd(to text: inout TextBuffer) {}
  func appendClassEnd(to text: inout TextBuffer) { text.append("]\n") }

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("}\n")
  }
}

/// What a Realm JSON text says about itself: nothing that differs after an import.
package struct RealmJSONHead: Sendable {
  /// Version of the text format, which `docs/realm-json.md` describes.
  static let version = 1

  /// Nil where the app set none.
  let schemaVersion: UInt64?
  /// Not all classes are in the text.
  let isPartial: Bool

  package init(schemaVersion: UInt64?, isPartial: Bool) {
    (self.schemaVersion, self.isPartial) = (schemaVersion, isPartial)
  }

  func append(to text: inout TextBuffer) {
    text.append(
      "{\"format\":\"realm-json\",\"version\":\(RealmJSONHead.version),\"schemaVersion\":")
    text.append(schemaVersion.map(String.init) ?? "null")
    if isPartial { text.append(",\"partial\":true") }
    text.append("}")
  }
}

/// One JSON document, an object a line.
struct JSONFraming: TextFraming {
  let head: RealmJSONHead

  init(_ head: RealmJSONHead) { self.head = head }

  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("{\n\"realm\":")
    head.append(to: &text)
    text.append(",\n\"schema\":")
    RealmJSONSchema.append(
      RealmJSONSchema.described(classes, of: schema), of: schema, isExport: true, to: &text)
    text.append(",\n\"objects\":{")
  }

  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
    text.append(bytes: RealmJSONSchema.memberName(objectClass.name))
    text.append("[")
  }

  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8] { [] }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
  }

  func appendObjectEnd(to text: inout TextBuffer) {}
  func appendClassEnd(to text: inout TextBuffer) { text.append("\n]") }

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("\n}\n}\n")
  }
}

/// An object a line; the first line is the head, the last one the counts.
struct NDJSONFraming: TextFraming {
  let head: RealmJSONHead

  init(_ head: RealmJSONHead) { self.head = head }

  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("{\"realm\":")
    head.append(to: &text)
    text.append(",\"schema\":")
    RealmJSONSchema.append(
      RealmJSONSchema.described(classes, of: schema), of: schema, isExport: true, lineEnd: "",
      to: &text)
    text.append("}\n")
  }

  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {}

  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8] {
    Array("{\"class\":".utf8) + RealmJSONSchema.quoted(objectClass.name)
      + Array(",\"object\":".utf8)
  }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {}
  func appendObjectEnd(to text: inout TextBuffer) { text.append("}\n") }
  func appendClassEnd(to text: inout TextBuffer) {}

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("{\"counts\":{")
    for (i, (objectClass, objects)) in counts.enumerated() {
      if i > 0 { text.append(",") }
      text.append(bytes: RealmJSONSchema.memberName(objectClass.name))
      text.append(decimal: objects)
    }
    text.append("}}\n")
  }
}
