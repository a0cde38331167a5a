import RealmModel
import RealmStorage

/// Writes the objects of batches as lines of fields. Used by one thread.
///
/// Strings are fields as they are, other scalars without quotes, collections and embedded objects as JSON.
/// Null is an empty field.
final class FieldWriter {
  private let form: FieldForm
  private let writer: ObjectTextWriter<PlainStyle>
  private let schema: ObjectSchema
  /// The current value as JSON.
  private var value = TextTarget()

  init(_ schema: ObjectSchema, _ form: FieldForm, _ style: PlainStyle) {
    (self.schema, self.form) = (schema, form)
    writer = ObjectTextWriter(style, schema: schema)
  }

  /// Appends the objects of `batch`, one per line.
  ///
  /// - Throws: the errors of reading large collections.
  func append(_ batch: ObjectBatch, to target: inout TextTarget) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    let hasKeys = RealmJSONSchema.keyMember(of: objectClass) != nil
    for row in 0..<batch.count {
      if hasKeys, row < batch.keys.count { target.text.append(decimal: batch.keys[row].raw) }
      let start = target.text.count
      var needsComma = hasKeys
      for (column, property) in zip(batch.columns, objectClass.properties) {
        if needsComma { target.text.append(form.separator) }
        needsComma = true
        guard let column else { continue }
        try append(column, row, of: property, to: &target)
      }
      if target.text.count == start, !hasKeys { form.appendLoneEmptyField(to: &target.text) }
      form.appendLineEnd(to: &target.text)
      target.relieve()
    }
    target.losses += value.losses
    value.losses = FormatLosses()
  }

  private func append(
    _ column: ColumnValues, _ row: Int, of property: Property, to target: inout TextTarget
  ) throws(RealmFileError) {
    switch column {
    case .scalar(.string(let values)):
      if let bytes = values[row] { append(string: bytes, to: &target) }
    case .link(let links):
      if case .string(let bytes) = links.identity(row), !links.nulls[row], !links.unresolved[row] {
        append(string: bytes, to: &target)
      } else {
        try appendJSON(column, row, of: property, to: &target)
      }
    case .mixed(let mixed):
      if case .string(let bytes) = mixed.values[row] {
        if CSVRecords.looksTyped(bytes) { value.losses.add(.ambiguousValues) }
        append(string: bytes, to: &target)
      } else if case .link(let i) = mixed.values[row], !mixed.links[i].isUnresolved,
        case .string(let bytes) = mixed.links[i].identity
      {
        value.losses.add(.linksWithoutClass)
        append(string: bytes, to: &target)
      } else {
        try appendJSON(column, row, of: property, to: &target)
      }
    case .scalar, .embedded, .collection:
      try appendJSON(column, row, of: property, to: &target)
    }
  }

  private func append(string bytes: ByteSlice, to target: inout TextTarget) {
    if !bytes.isValidUTF8 { value.losses.add(.invalidText) }
    form.append(
      field: bytes.isValidUTF8 ? bytes.bytes : Array(bytes.text.utf8), to: &target.text)
  }

  /// Appends a value other than a string, based on its JSON: `null` becomes an empty field; a date or an
  /// identifier loses its quotes, because it contains no escapes.
  private func appendJSON(
    _ column: ColumnValues, _ row: Int, of property: Property, to target: inout TextTarget
  ) throws(RealmFileError) {
    value.text.removeAll()
    _ = try writer.append(
      column, row..<(row + 1), of: property, prefix: writer.nothing, to: &value)
    let json = value.text.bytes
    guard json != Array("null".utf8) else { return }
    let isText = json.first == UInt8(ascii: "\"")
    form.append(field: isText ? Array(json.dropFirst().dropLast()) : json, to: &target.text)
  }
}

/// The form of fields and lines.
enum FieldForm: Sendable {
  /// CSV (RFC 4180): a field with a comma, a quote or a line end is quoted. The empty string is a field of
  /// two quotes, null an empty field.
  case commas
  /// Fields separated by tabs: in a field, tabs, line ends and backslashes are escaped with a backslash. The
  /// empty string and null are both empty fields.
  case tabs

  var separator: UInt8 {
    switch self {
    case .commas: UInt8(ascii: ",")
    case .tabs: UInt8(ascii: "\t")
    }
  }

  func appendLineEnd(to text: inout TextBuffer) {
    switch self {
    case .commas: text.append("\r\n")
    case .tabs: text.append("\n")
    }
  }

  /// Appends a single empty field of a line: readers of CSV skip empty lines.
  func appendLoneEmptyField(to text: inout TextBuffer) {
    if self == .commas { text.append("\"\"") }
  }

  func append(field: [UInt8], to text: inout TextBuffer) {
    switch self {
    case .commas: FieldForm.append(quoted: field, to: &text)
    case .tabs: FieldForm.append(escaped: field, to: &text)
    }
  }

  private static func append(quoted field: [UInt8], to text: inout TextBuffer) {
    let needsQuotes =
      field.isEmpty
      || field.contains {
        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
          || $0 == UInt8(ascii: "\r")
      }
    guard needsQuotes else { return text.append(bytes: field) }
    text.append(UInt8(ascii: "\""))
    for byte in field {
      if byte == UInt8(ascii: "\"") { text.append(byte) }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func append(escaped field: [UInt8], to text: inout TextBuffer) {
    for byte in field {
      switch byte {
      case UInt8(ascii: "\t"): text.append("\\t")
      case UInt8(ascii: "\n"): text.append("\\n")
      case UInt8(ascii: "\r"): text.append("\\r")
      case UInt8(ascii: "\\"): text.append("\\\\")
      default: text.append(byte)
      }
    }
  }
}
