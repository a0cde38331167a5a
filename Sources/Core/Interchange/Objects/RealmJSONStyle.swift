import RealmModel
import RealmStorage

/// Realm JSON, our lossless text: `docs/realm-json.md` is its specification.
struct RealmJSONStyle: TextStyle {
  let schema: Schema

  var imitatesUpgrade: Bool { false }

  func appendObjectStart(
    _ table: Table, key: ObjectKey, to text: inout TextBuffer
  ) -> Bool {
    text.append(UInt8(ascii: "{"))
    guard let member = RealmJSONSchema.keyMember(of: table) else { return false }
    text.append(bytes: RealmJSONSchema.memberName(Name(member)))
    text.append(decimal: key.raw)
    return true
  }

  func memberName(_ name: Name) -> [UInt8] { RealmJSONSchema.memberName(name) }

  func append(int value: Int64, to text: inout TextBuffer) { text.append(decimal: value) }

  /// The default NaN of each width: what its text alone stands for.
  private static let (defaultFloatNaN, defaultDoubleNaN): (UInt32, UInt64) = (
    0x7FC0_0000, 0x7FF8_0000_0000_0000
  )

  func append(float value: Float, inMixed: Bool, to text: inout TextBuffer) {
    if inMixed { text.append("{\"$float\":") }
    if value.isFinite {
      text.append(shortest: value)
    } else {
      append(
        notFinite: Double(value.isNaN ? .nan : value),
        bits: value.isNaN && value.bitPattern != RealmJSONStyle.defaultFloatNaN
          ? UInt64(value.bitPattern) : nil, digits: 8, to: &text)
    }
    if inMixed { text.append(UInt8(ascii: "}")) }
  }

  func append(double value: Double, to text: inout TextBuffer) {
    guard !value.isFinite else { return text.append(shortest: value) }
    append(
      notFinite: value,
      bits: value.isNaN && value.bitPattern != RealmJSONStyle.defaultDoubleNaN
        ? value.bitPattern : nil, digits: 16, to: &text)
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

  func append(string value: ByteSlice, to text: inout TextBuffer) {
    guard value.isValidUTF8 else {
      text.append("{\"$string\":{\"base64\":\"")
      text.append(base64: value)
      return text.append("\"}}")
    }
    text.append(UInt8(ascii: "\""))
    text.append(jsonEscaped: value)
    text.append(UInt8(ascii: "\""))
  }

  func append(binary value: ByteSlice, to text: inout TextBuffer) {
    text.append("{\"$binary\":{\"base64\":\"")
    text.append(base64: value)
    text.append("\",\"subType\":\"00\"}}")
  }

  func append(seconds: Int64, nanoseconds: Int64, to text: inout TextBuffer) {
    text.append("{\"$date\":\"")
    if text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds) {
      text.append("\"}")
    } else {
      // The quote becomes the pair as it is stored.
      text.cut(to: text.count - 1)
      text.append("{\"$seconds\":\"")
      text.append(decimal: seconds)
      text.append("\",\"$ns\":")
      text.append(decimal: nanoseconds)
      text.append("}}")
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
    text.append("{\"$oid\":\"")
    text.append(hex: value)
    text.append("\"}")
  }

  func append(uuid value: ByteSlice, to text: inout TextBuffer) {
    text.append("{\"$uuid\":\"")
    text.append(uuid: value)
    text.append("\"}")
  }

  func appendLink(
    to table: Table, identity: MixedValue, isPrimaryKey: Bool, isTyped: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void
  ) {
    if isTyped {
      text.append("{\"$link\":{\"class\":")
      text.append(bytes: RealmJSONSchema.quoted(table.className))
      text.append(",\"id\":")
      writeIdentity(identity, &text)
      text.append("}}")
    } else if case .null = identity {
      // The object whose key is null, told from no object at all.
      text.append("{\"$link\":{\"id\":null}}")
    } else {
      writeIdentity(identity, &text)
    }
  }

  func appendUnresolved(
    _ table: Table, key: ObjectKey, identity: MixedValue?, isTyped: Bool, isElement: Bool,
    text: inout TextBuffer, writeIdentity: (MixedValue, inout TextBuffer) -> Void
  ) {
    text.append("{\"$link\":{\"class\":")
    text.append(bytes: RealmJSONSchema.quoted(table.className))
    text.append(",\"id\":")
    // Without a primary key it is the key that the object has or would have (chapter 3, 4.2).
    writeIdentity(identity ?? .int(-2 &- key.raw), &text)
    text.append(",\"unresolved\":true}}")
  }

  func appendEmbeddedStart(_ table: Table, to text: inout TextBuffer) {}
  func appendEmbeddedEnd(to text: inout TextBuffer) {}
  func appendSetStart(to text: inout TextBuffer) {}
  func appendSetEnd(to text: inout TextBuffer) {}

  /// The member that wraps a dictionary.
  private static let wrapper = Array("$dictionary".utf8)

  func dictionaryForm(keys: [MixedValue], isNested: Bool) -> DictionaryForm {
    var form = DictionaryForm.plain
    for key in keys {
      guard case .string(let bytes) = key else { return .pairs }
      guard bytes.isValidUTF8 else { return .pairs }
      // In a mixed value any key with a `$` could be taken for a wrapper of ours, in a column only
      // the wrapper of a dictionary itself.
      if isNested
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

  func append(key: MixedValue, _ form: DictionaryForm, to text: inout TextBuffer) {
    switch key {
    case .string(let bytes): append(string: bytes, to: &text)
    case .int(let number): text.append(decimal: number)
    default: text.append("null")
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
