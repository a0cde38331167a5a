import RealmModel

/// What stands around and between the objects in a text format.
protocol TextFraming: Sendable {
  func appendDocumentStart(
    _ tables: [Table], of schema: Schema, to text: inout TextBuffer)
  func appendTableStart(_ table: Table, isFirst: Bool, to text: inout TextBuffer)
  /// What stands in front of an object, the same for all objects of a table.
  func objectPrefix(_ table: Table) -> [UInt8]
  /// What stands in front of that, `isFirst` for the first object of a table.
  func appendSeparator(isFirst: Bool, to text: inout TextBuffer)
  func appendObjectEnd(to text: inout TextBuffer)
  func appendTableEnd(to text: inout TextBuffer)
  func appendDocumentEnd(_ report: ObjectExport.Report, to text: inout TextBuffer)
}

/// The frame of the reference's texts (chapter 6, section 1.1).
struct CoreFraming: TextFraming {
  func appendDocumentStart(_ tables: [Table], of schema: Schema, to text: inout TextBuffer) {
    text.append("{\n")
  }

  func appendTableStart(_ table: Table, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\"" : ",\"")
    text.append(bytes: table.className.bytes)
    text.append("\":[")
  }

  func objectPrefix(_ table: Table) -> [UInt8] { [] }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
  }

  func appendObjectEnd(to text: inout TextBuffer) {}
  func appendTableEnd(to text: inout TextBuffer) { text.append("]\n") }

  func appendDocumentEnd(_ report: ObjectExport.Report, to text: inout TextBuffer) {
    text.append("}\n")
  }
}

/// What a Realm JSON text says about itself: nothing that differs after an import.
package struct RealmJSONHead: Sendable {
  /// Version of the text format, which `docs/realm-json.md` describes.
  private static let version = 1

  /// Nil where the app set none.
  let schemaVersion: UInt64?
  /// Not all classes are in the text.
  let isPartial: Bool

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

  func appendDocumentStart(_ tables: [Table], of schema: Schema, to text: inout TextBuffer) {
    text.append("{\n\"realm\":")
    head.append(to: &text)
    text.append(",\n\"schema\":")
    RealmJSONSchema.append(
      RealmJSONSchema.classes(tables, of: schema), of: schema, isExport: true, to: &text)
    text.append(",\n\"objects\":{")
  }

  func appendTableStart(_ table: Table, isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
    text.append(bytes: RealmJSONSchema.memberName(table.className))
    text.append("[")
  }

  func objectPrefix(_ table: Table) -> [UInt8] { [] }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {
    text.append(isFirst ? "\n" : ",\n")
  }

  func appendObjectEnd(to text: inout TextBuffer) {}
  func appendTableEnd(to text: inout TextBuffer) { text.append("\n]") }

  func appendDocumentEnd(_ report: ObjectExport.Report, to text: inout TextBuffer) {
    text.append("\n}\n}\n")
  }
}

/// An object a line; the first line is the head, the last one the counts.
struct NDJSONFraming: TextFraming {
  let head: RealmJSONHead

  init(_ head: RealmJSONHead) { self.head = head }

  func appendDocumentStart(_ tables: [Table], of schema: Schema, to text: inout TextBuffer) {
    text.append("{\"realm\":")
    head.append(to: &text)
    text.append(",\"schema\":")
    RealmJSONSchema.append(
      RealmJSONSchema.classes(tables, of: schema), of: schema, isExport: true, lineEnd: "",
      to: &text)
    text.append("}\n")
  }

  func appendTableStart(_ table: Table, isFirst: Bool, to text: inout TextBuffer) {}

  func objectPrefix(_ table: Table) -> [UInt8] {
    Array("{\"class\":".utf8) + RealmJSONSchema.quoted(table.className) + Array(",\"object\":".utf8)
  }

  func appendSeparator(isFirst: Bool, to text: inout TextBuffer) {}
  func appendObjectEnd(to text: inout TextBuffer) { text.append("}\n") }
  func appendTableEnd(to text: inout TextBuffer) {}

  func appendDocumentEnd(_ report: ObjectExport.Report, to text: inout TextBuffer) {
    text.append("{\"counts\":{")
    for (i, (table, objects)) in report.counts.enumerated() {
      if i > 0 { text.append(",") }
      text.append(bytes: RealmJSONSchema.memberName(table.className))
      text.append(decimal: objects)
    }
    text.append("}}\n")
  }
}
