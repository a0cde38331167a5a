import RealmModel
import RealmStorage

/// The three JSON texts of the reference implementation, byte for byte (chapter 6, section 1), with
/// the flaws that they have: where the reference's text is not JSON, so is this.
struct CoreStyle: TextStyle {
  /// How much of a value's type the text tells.
  enum Mode: Sendable {
    /// Plain JSON values; types are lost.
    case json
    /// Scalars wrapped as in Extended JSON.
    case xjson
    /// The same, with wrappers for links, embedded objects, sets and dictionaries.
    case xjsonPlus
  }

  let mode: Mode
  var imitatesUpgrade: Bool { true }

  func appendObjectStart(
    _ table: Table, key: ObjectKey, to text: inout TextBuffer
  ) -> Bool {
    text.append(UInt8(ascii: "{"))
    guard mode == .json, table.primaryKey == nil, table.kind != .embedded else { return false }
    text.append("\"_key\":")
    text.append(decimal: key.raw)
    return true
  }

  /// Names are printed without any escaping.
  func memberName(_ name: Name) -> [UInt8] { [0x22] + name.bytes + [0x22, 0x3A] }

  func append(int value: Int64, to text: inout TextBuffer) {
    guard mode != .json else { return text.append(decimal: value) }
    text.append("{\"$numberLong\": \"")
    text.append(decimal: value)
    text.append("\"}")
  }

  func append(float value: Float, inMixed: Bool, to text: inout TextBuffer) {
    guard mode != .json else { return text.append(coreFloat: value) }
    text.append("{\"$numberDouble\": \"")
    text.append(coreFloat: value)
    text.append("\"}")
  }

  func append(double value: Double, to text: inout TextBuffer) {
    guard mode != .json else { return text.append(coreDouble: value) }
    text.append("{\"$numberDouble\": \"")
    text.append(coreDouble: value)
    text.append("\"}")
  }

  func append(string value: ByteSlice, to text: inout TextBuffer) {
    text.append(UInt8(ascii: "\""))
    text.append(coreEscaped: value)
    text.append(UInt8(ascii: "\""))
  }

  func append(binary value: ByteSlice, to text: inout TextBuffer) {
    guard mode != .json else {
      text.append(UInt8(ascii: "\""))
      text.append(base64: value)
      return text.append(UInt8(ascii: "\""))
    }
    text.append("{\"$binary\": {\"base64\": \"")
    text.append(base64: value)
    text.append("\", \"subType\": \"00\"}}")
  }

  func append(seconds: Int64, nanoseconds: Int64, to text: inout TextBuffer) {
    guard mode != .json else {
      text.append(UInt8(ascii: "\""))
      text.append(coreDateSeconds: seconds, nanoseconds: nanoseconds)
      return text.append(UInt8(ascii: "\""))
    }
    text.append("{\"$date\": {\"$numberLong\": \"")
    text.append(decimal: TextBuffer.coreMilliseconds(seconds: seconds, nanoseconds: nanoseconds))
    text.append("\"}}")
  }

  func append(decimal value: Decimal128, to text: inout TextBuffer) {
    guard mode != .json else {
      text.append(UInt8(ascii: "\""))
      text.append(coreDecimal128Low: value.low, high: value.high)
      return text.append(UInt8(ascii: "\""))
    }
    text.append("{\"$numberDecimal\": \"")
    text.append(coreDecimal128Low: value.low, high: value.high)
    text.append("\"}")
  }

  func append(objectId value: ByteSlice, to text: inout TextBuffer) {
    guard mode != .json else {
      text.append(UInt8(ascii: "\""))
      text.append(hex: value)
      return text.append(UInt8(ascii: "\""))
    }
    text.append("{\"$oid\": \"")
    text.append(hex: value)
    text.append("\"}")
  }

  func append(uuid value: ByteSlice, to text: inout TextBuffer) {
    guard mode != .json else {
      text.append(UInt8(ascii: "\""))
      text.append(uuid: value)
      return text.append(UInt8(ascii: "\""))
    }
    text.append("{\"$binary\": {\"base64\": \"")
    text.append(base64: value)
    text.append("\", \"subType\": \"04\"}}")
  }

  func appendLink(
    to table: Table, identity: MixedValue, isPrimaryKey: Bool, isTyped: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void
  ) {
    let isWrapped = mode == .xjsonPlus || isTyped
    if isWrapped {
      text.append("{ \"$link\": {\"table\": \"")
      text.append(bytes: table.className.bytes)
      text.append("\", \"key\": ")
    }
    if !isPrimaryKey, case .int(let key) = identity {
      // An object key is a bare number in every mode.
      text.append(decimal: key)
    } else {
      writeIdentity(identity, &text)
    }
    if isWrapped { text.append("}}") }
  }

  /// Lists and sets print links to tombstones like all others; elsewhere such links read as null.
  func appendUnresolved(
    _ table: Table, key: ObjectKey, identity: MixedValue?, isTyped: Bool, isElement: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void
  ) {
    guard isElement else { return text.append("null") }
    appendLink(
      to: table, identity: identity ?? .int(key.raw), isPrimaryKey: identity != nil,
      isTyped: isTyped, text: &text, writeIdentity: writeIdentity)
  }

  func appendEmbeddedStart(_ table: Table, to text: inout TextBuffer) {
    guard mode == .xjsonPlus else { return }
    text.append("{ \"$embedded\": {\"table\": \"")
    text.append(bytes: table.name.bytes)
    text.append("\", \"value\": ")
  }

  func appendEmbeddedEnd(to text: inout TextBuffer) {
    if mode == .xjsonPlus { text.append("}}") }
  }

  func appendSetStart(to text: inout TextBuffer) {
    if mode == .xjsonPlus { text.append("{ \"$set\": ") }
  }

  func appendSetEnd(to text: inout TextBuffer) {
    if mode == .xjsonPlus { text.append(UInt8(ascii: "}")) }
  }

  func dictionaryForm(keys: [MixedValue], isNested: Bool) -> DictionaryForm {
    mode == .xjsonPlus ? .wrapped : .plain
  }

  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer) {
    text.append(form == .wrapped ? "{ \"$dictionary\": {" : "{")
  }

  func append(key: MixedValue, _ form: DictionaryForm, to text: inout TextBuffer) {
    switch key {
    case .string(let bytes): text.append(coreKey: bytes)
    case .int(let number): text.append(decimal: number)
    default: text.append("null")
    }
  }

  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer) {
    text.append(form == .wrapped ? "}}" : "}")
  }
}
