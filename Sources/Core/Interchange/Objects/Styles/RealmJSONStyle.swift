import RealmModel
import RealmStorage

/// Realm JSON, our lossless format, specified in `docs/realm-json.md`.
struct RealmJSONStyle: TextStyle {
  func append(int value: Int64, to text: inout TextBuffer) { text.append(decimal: value) }

  /// The default NaN of each width, written without its bits.
  private static let (defaultFloatNaN, defaultDoubleNaN): (UInt32, UInt64) = (
    0x7FC0_0000, 0x7FF8_0000_0000_0000
  )

  func append(float value: Float, inMixed: Bool, to target: inout TextTarget) {
    if inMixed { target.text.append("{\"$float\":") }
    if value.isFinite {
      target.text.append(shortest: value)
    } else {
      append(
        notFinite: Double(value.isNaN ? .nan : value),
        bits: value.isNaN && value.bitPattern != RealmJSONStyle.defaultFloatNaN
          ? UInt64(value.bitPattern) : nil, digits: 8, to: &target.text)
    }
    if inMixed { target.text.append(UInt8(ascii: "}")) }
  }

  func append(double value: Double, to target: inout TextTarget) {
    guard !value.isFinite else { return target.text.append(shortest: value) }
    append(
      notFinite: value,
      bits: value.isNaN && value.bitPattern != RealmJSONStyle.defaultDoubleNaN
        ? value.bitPattern : nil, digits: 16, to: &target.text)
  }

  private func append(
    notFinite value: Double, bits: UInt64?, digits: Int, to text: inout TextBuffer
  ) {
    text.append("{\"$numberDouble\":\"")
    text.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    text.append(UInt8(ascii: "\""))
    if let bits {
      text.append(",\"$bits\":\"")
      text.append(hex: bits, digits: digits)
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "}"))
  }

  func append(string value: ByteSlice, to target: inout TextTarget) {
    guard value.isValidUTF8 else {
      target.text.append("{\"$string\":{\"base64\":\"")
      target.append(base64: value)
      return target.text.append("\"}}")
    }
    target.append(quoted: value, isStrict: true)
  }

  func append(binary value: ByteSlice, to target: inout TextTarget) {
    target.append(wrappedBinary: value)
  }

  func append(seconds: Int64, nanoseconds: Int64, to target: inout TextTarget) {
    target.text.append("{\"$date\":\"")
    if target.text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds) {
      target.text.append("\"}")
    } else {
      // Replaces the opening quote with the stored pair of numbers.
      target.text.cut(to: target.text.count - 1)
      target.text.append("{\"$seconds\":\"")
      target.text.append(decimal: seconds)
      target.text.append("\",\"$ns\":")
      target.text.append(decimal: nanoseconds)
      target.text.append("}}")
    }
  }

  func append(decimal value: Decimal128, to text: inout TextBuffer) {
    text.append("{\"$numberDecimal\":\"")
    text.append(canonicalDecimal128Low: value.low, high: value.high)
    text.append(UInt8(ascii: "\""))
    if !value.isCanonical {
      text.append(",\"$bits\":\"")
      text.append(hex: value.high, digits: 16)
      text.append(hex: value.low, digits: 16)
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "}"))
  }

  func append(objectId value: ByteSlice, to text: inout TextBuffer) {
    text.append(wrappedObjectId: value)
  }

  func append(uuid value: ByteSlice, to text: inout TextBuffer) {
    text.append("{\"$uuid\":\"")
    text.append(uuid: value)
    text.append("\"}")
  }

  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, target: inout TextTarget
  ) -> LinkForm {
    if isTyped {
      appendLinkClass(objectClass, to: &target.text)
      return .value(end: "}}")
    }
    guard !hasIdentity else { return .value(end: "") }
    // The object with a null primary key, unlike no object at all.
    target.text.append("{\"$link\":{\"id\":")
    return .value(end: "}}")
  }

  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm {
    appendLinkClass(objectClass, to: &target.text)
    return objectClass.primaryKey == nil
      ? .resolvedKey(end: ",\"unresolved\":true}}") : .value(end: ",\"unresolved\":true}}")
  }

  private func appendLinkClass(_ objectClass: ObjectClass, to text: inout TextBuffer) {
    text.append("{\"$link\":{\"class\":")
    text.append(bytes: RealmJSONSchema.quoted(objectClass.name))
    text.append(",\"id\":")
  }

  /// The member that wraps a dictionary.
  private static let wrapper = Array("$dictionary".utf8)

  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm {
    guard !range.isEmpty else { return .plain }
    guard case .string(let keys) = keys else { return .pairs }
    var form = DictionaryForm.plain
    for i in range {
      guard let bytes = keys[i], bytes.isValidUTF8 else { return .pairs }
      // In a mixed value, any key that starts with `$` could be mistaken for a wrapper; in a column,
      // only `$dictionary`.
      if isMixed
        ? bytes.count > 0 && bytes[0] == UInt8(ascii: "$")
        : bytes.bytes == RealmJSONStyle.wrapper
      {
        form = .wrapped
      }
    }
    return form
  }

  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer) {
    switch form {
    case .plain: text.append("{")
    case .wrapped: text.append("{\"$dictionary\":{")
    case .pairs: text.append("{\"$dictionary\":[")
    }
  }

  func append(key: BatchValue, to target: inout TextTarget) {
    switch key {
    case .string(let bytes): append(string: bytes, to: &target)
    case .int(let number): target.text.append(decimal: number)
    default: target.text.append("null")
    }
  }

  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer) {
    switch form {
    case .plain: text.append("}")
    case .wrapped: text.append("}}")
    case .pairs: text.append("]}")
    }
  }
}
