import RealmModel

/// The part of a format around and between the objects.
protocol TextFraming: Sendable {
  /// Appends the part before all objects.
  ///
  /// - Parameter classes: positions of the classes of the document.
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer)
  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer)
  /// The bytes before an object; the same for all objects of a class.
  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8]
  /// Appends the part before the prefix of an object; `isFirst` is true for the first object of a class.
  func appendSeparator(isFirst: Bool, to text: inout TextBuffer)
  func appendObjectEnd(to text: inout TextBuffer)
  func appendClassEnd(to text: inout TextBuffer)
  /// Appends the part after all objects.
  ///
  /// - Parameter counts: number of objects of each class, in the order of the document.
  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer)
}

/// The defaults: nothing around the objects.
extension TextFraming {
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {}
  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {}
  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8] { [] }
  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {}
  func appendObjectEnd(to text: inout TextBuffer) {}
  func appendClassEnd(to text: inout TextBuffer) {}
  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {}
}

/// A frame with an array for each class, and one object per line.
protocol ArrayFraming: TextFraming {}

extension ArrayFraming {
  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
    text.append(bytes: RealmJSONSchema.memberName(objectClass.name))
    text.append("[")
  }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
  }

  func appendClassEnd(to text: inout TextBuffer) { text.append("\n]") }
}

/// The frame of the reference's formats (chapter 6, section 1.1).
struct CoreFraming: TextFraming {
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("{\n")
  }

  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\"" : ",\"")
    text.append(bytes: objectClass.name.bytes)
    text.append("\":[")
  }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
  }

  func appendClassEnd(to text: inout TextBuffer) { text.append("]\n") }

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("}\n")
  }
}

/// One JSON document, with one object per line.
struct JSONFraming: ArrayFraming {
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

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("\n}\n}\n")
  }
}

/// One object per line; the first line is the head, the last line has the counts.
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

  func objectPrefix(_ objectClass: ObjectClass) -> [UInt8] {
    Array("{\"class\":".utf8) + RealmJSONSchema.quoted(objectClass.name)
      + Array(",\"object\":".utf8)
  }

  func appendObjectEnd(to text: inout TextBuffer) { text.append("}\n") }

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

/// One JSON document: an array for each class, one object per line.
struct PlainFraming: ArrayFraming {
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("{")
  }

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("\n}\n")
  }
}

/// One object per line, and nothing else.
struct LineFraming: TextFraming {
  func appendObjectEnd(to text: inout TextBuffer) { text.append("\n") }
}

/// One array, one object per line.
struct ListFraming: TextFraming {
  func appendDocumentStart(_ classes: [Int], of schema: ObjectSchema, to text: inout TextBuffer) {
    text.append("[")
  }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
  }

  func appendDocumentEnd(
    _ counts: [(objectClass: ObjectClass, objects: Int)], to text: inout TextBuffer
  ) {
    text.append("\n]\n")
  }
}

/// A header line with the names of the properties, then one line per object.
struct FieldFraming: TextFraming {
  let form: FieldForm

  func appendClassStart(_ objectClass: ObjectClass, isFirst: Bool, to text: inout TextBuffer) {
    var isFirst = true
    func append(name: [UInt8]) {
      if !isFirst { text.append(form.separator) }
      isFirst = false
      form.append(field: name, to: &text)
    }
    if let key = RealmJSONSchema.keyMember(of: objectClass) { append(name: Array(key.utf8)) }
    for property in objectClass.properties {
      append(name: Array(property.name.text.utf8))
    }
    form.appendLineEnd(to: &text)
  }
}
