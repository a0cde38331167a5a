import RealmModel
import RealmStorage

/// Writes the objects of batches as lines of fields. Used by one thread.
///
/// A field is the plain text of its value: strings unchanged, other scalars without quotes, collections
/// and embedded objects as JSON. Null is an empty field.
final class FieldWriter {
  private let form: FieldForm
  private let writer: ObjectTextWriter<PlainStyle>
  private let schema: ObjectSchema
  /// The current value as JSON.
  private var value = TextTarget()

  init(_ schema: ObjectSchema, _ form: FieldForm) {
    (self.schema, self.form) = (schema, form)
    writer = ObjectTextWriter(PlainStyle(), schema: schema)
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
      if target.text.count == start, !hasKeys { form.append(loneEmptyField: &target.text) }
      form.append(lineEnd: &target.text)
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

  /// Appends a value other than a string, based on its JSON: `null` becomes an empty field; the text of a
  /// date or an identifier loses its quotes, because it contains no escapes.
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
