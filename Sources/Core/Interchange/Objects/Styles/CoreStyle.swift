import RealmModel
import RealmStorage

/// The three JSON formats of the reference implementation, byte for byte (chapter 6, section 1), including
/// their flaws: where the reference writes invalid JSON, so does this.
struct CoreStyle: TextStyle {
  /// How much type information the output has.
  enum Mode: Sendable {
    /// Plain JSON values; types are lost.
    case json
    /// Scalars in the wrappers of Extended JSON.
    case xjson
    /// Also wrappers for links, embedded objects, sets and dictionaries.
    case xjsonPlus
  }

  let mode: Mode

  func keyMember(of objectClass: ObjectClass) -> [UInt8]? {
    mode == .json && objectClass.primaryKey == nil && objectClass.kind != .embedded
      ? Array("\"_key\":".utf8) : nil
  }

  /// Names are written without escapes.
  func memberName(of position: Int, in objectClass: ObjectClass) -> [UInt8] {
    [0x22] + objectClass.properties[position].name.bytes + [0x22, 0x3A]
  }

  func append(int value: Int64, to text: inout TextBuffer) {
    guard mode != .json else { return text.append(decimal: value) }
    text.append("{\"$numberLong\": \"")
    text.append(decimal: value)
    text.append("\"}")
  }

  func append(float value: Float, inMixed: Bool, to target: inout TextTarget) {
    guard mode != .json else { return target.text.append(coreFloat: value) }
    target.text.append("{\"$numberDouble\": \"")
    target.text.append(coreFloat: value)
    target.text.append("\"}")
  }

  func append(double value: Double, to target: inout TextTarget) {
    guard mode != .json else { return target.text.append(coreDouble: value) }
    target.text.append("{\"$numberDouble\": \"")
    target.text.append(coreDouble: value)
    target.text.append("\"}")
  }

  func append(string value: ByteSlice, to target: inout TextTarget) {
    target.append(quoted: value, isStrict: false)
  }

  func append(binary value: ByteSlice, to target: inout TextTarget) {
    guard mode != .json else {
      target.text.append(UInt8(ascii: "\""))
      target.append(base64: value)
      return target.text.append(UInt8(ascii: "\""))
    }
    target.text.append("{\"$binary\": {\"base64\": \"")
    target.append(base64: value)
    target.text.append("\", \"subType\": \"00\"}}")
  }

  func append(seconds: Int64, nanoseconds: Int64, to target: inout TextTarget) {
    guard mode != .json else {
      target.text.append(UInt8(ascii: "\""))
      target.text.append(coreDateSeconds: seconds, nanoseconds: nanoseconds)
      return target.text.append(UInt8(ascii: "\""))
    }
    target.text.append("{\"$date\": {\"$numberLong\": \"")
    target.text.append(
      decimal: TextBuffer.coreMilliseconds(seconds: seconds, nanoseconds: nanoseconds))
    target.text.append("\"}}")
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

  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, target: inout TextTarget
  ) -> LinkForm {
    let isWrapped = mode == .xjsonPlus || isTyped
    if isWrapped {
      target.text.append("{ \"$link\": {\"table\": \"")
      target.text.append(bytes: objectClass.name.bytes)
      target.text.append("\", \"key\": ")
    }
    let end: StaticString = isWrapped ? "}}" : ""
    // An object key is a bare number in every mode.
    return objectClass.primaryKey == nil ? .objectKey(end: end) : .value(end: end)
  }

  /// In lists and sets, links to tombstones are written like all others; elsewhere they are null.
  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm {
    guard isElement else {
      target.text.append("null")
      return .done
    }
    return appendLinkStart(to: objectClass, hasIdentity: false, isTyped: isTyped, target: &target)
  }

  func appendEmbeddedStart(_ objectClass: ObjectClass, to text: inout TextBuffer) {
    guard mode == .xjsonPlus else { return }
    text.append("{ \"$embedded\": {\"table\": \"")
    text.append(bytes: objectClass.tableName)
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

  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm {
    mode == .xjsonPlus ? .wrapped : .plain
  }

  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer) {
    text.append(form == .wrapped ? "{ \"$dictionary\": {" : "{")
  }

  func append(key: BatchValue, to target: inout TextTarget) {
    switch key {
    case .string(let bytes): target.text.append(coreKey: bytes)
    case .int(let number): target.text.append(decimal: number)
    default: target.text.append("null")
    }
  }

  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer) {
    text.append(form == .wrapped ? "}}" : "}")
  }
}
