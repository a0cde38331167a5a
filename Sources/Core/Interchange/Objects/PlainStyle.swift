import RealmModel
import RealmStorage

/// JSON without wrappers, for tools such as `jq`: types are not distinguished, and a value without a JSON
/// equivalent becomes text or null (`docs/formats.md`).
struct PlainStyle: TextStyle {
  func appendObjectStart(
    _ objectClass: ObjectClass, key: ObjectKey?, to text: inout TextBuffer
  ) -> Bool {
    text.append(UInt8(ascii: "{"))
    guard let key, let member = RealmJSONSchema.keyMember(of: objectClass) else { return false }
    text.append(bytes: RealmJSONSchema.memberName(Name(member)))
    text.append(decimal: key.raw)
    return true
  }

  func memberName(of position: Int, in objectClass: ObjectClass) -> [UInt8] {
    RealmJSONSchema.memberName(objectClass.properties[position].name)
  }

  func append(int value: Int64, to text: inout TextBuffer) { text.append(decimal: value) }

  func append(float value: Float, inMixed: Bool, to target: inout TextTarget) {
    guard value.isFinite else { return appendNull(.notFiniteNumbers, to: &target) }
    target.text.append(shortest: value)
  }

  func append(double value: Double, to target: inout TextTarget) {
    guard value.isFinite else { return appendNull(.notFiniteNumbers, to: &target) }
    target.text.append(shortest: value)
  }

  func append(string value: ByteSlice, to target: inout TextTarget) {
    target.appendRepaired(value)
  }

  func append(binary value: ByteSlice, to target: inout TextTarget) {
    target.text.append(UInt8(ascii: "\""))
    target.append(base64: value)
    target.text.append(UInt8(ascii: "\""))
  }

  func append(seconds: Int64, nanoseconds: Int64, to target: inout TextTarget) {
    target.text.append(UInt8(ascii: "\""))
    if target.text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds) {
      target.text.append(UInt8(ascii: "\""))
    } else {
      target.text.cut(to: target.text.count - 1)
      appendNull(.outlyingDates, to: &target)
    }
  }

  func append(decimal value: Decimal128, to text: inout TextBuffer) {
    text.append(UInt8(ascii: "\""))
    text.append(canonicalDecimal128Low: value.low, high: value.high)
    text.append(UInt8(ascii: "\""))
  }

  func append(objectId value: ByteSlice, to text: inout TextBuffer) {
    text.append(UInt8(ascii: "\""))
    text.append(hex: value)
    text.append(UInt8(ascii: "\""))
  }

  func append(uuid value: ByteSlice, to text: inout TextBuffer) {
    text.append(UInt8(ascii: "\""))
    text.append(uuid: value)
    text.append(UInt8(ascii: "\""))
  }

  func appendLinkStart(
    to objectClass: ObjectClass, hasIdentity: Bool, isTyped: Bool, target: inout TextTarget
  ) -> LinkForm {
    guard hasIdentity else {
      appendNull(.linksToNull, to: &target)
      return .done
    }
    if isTyped { target.losses.add(.linksWithoutClass) }
    return .value(end: "")
  }

  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm {
    appendNull(.unresolvedLinks, to: &target)
    return .done
  }

  private func appendNull(_ loss: TextLosses.Kind, to target: inout TextTarget) {
    target.losses.add(loss)
    target.text.append("null")
  }

  func appendEmbeddedStart(_ objectClass: ObjectClass, to text: inout TextBuffer) {}
  func appendEmbeddedEnd(to text: inout TextBuffer) {}
  func appendSetStart(to text: inout TextBuffer) {}
  func appendSetEnd(to text: inout TextBuffer) {}

  func dictionaryForm(keys: ScalarColumn?, _ range: Range<Int>, isMixed: Bool) -> DictionaryForm {
    .plain
  }

  func appendDictionaryStart(_ form: DictionaryForm, to text: inout TextBuffer) { text.append("{") }

  func append(key: BatchValue, to target: inout TextTarget) {
    target.appendKey(key) { $0.appendRepaired($1) }
  }

  func appendDictionaryEnd(_ form: DictionaryForm, to text: inout TextBuffer) { text.append("}") }
}
