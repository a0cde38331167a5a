import RealmModel
import RealmStorage

/// JSON without wrappers, for tools such as `jq`: types are not distinguished, and a value without a JSON
/// equivalent becomes a string or null (`docs/formats.md`).
struct PlainStyle: TextStyle {
  /// Whether numbers that are not finite, and dates outside the years 1 to 9999, are written for people: as words, and
  /// in the form of Realm JSON. Otherwise they become null.
  var showsAllValues = false

  func append(int value: Int64, to text: inout TextBuffer) { text.append(decimal: value) }

  func append(float value: Float, inMixed: Bool, to target: inout TextTarget) {
    guard value.isFinite else { return append(notFinite: Double(value), to: &target) }
    target.text.append(shortest: value)
  }

  func append(double value: Double, to target: inout TextTarget) {
    guard value.isFinite else { return append(notFinite: value, to: &target) }
    target.text.append(shortest: value)
  }

  private func append(notFinite value: Double, to target: inout TextTarget) {
    guard showsAllValues else { return target.appendNull(.notFiniteNumbers) }
    target.text.append(UInt8(ascii: "\""))
    target.text.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    target.text.append(UInt8(ascii: "\""))
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
      guard showsAllValues else { return target.appendNull(.outlyingDates) }
      RealmJSONStyle().append(seconds: seconds, nanoseconds: nanoseconds, to: &target)
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
      target.appendNull(.linksToNull)
      return .done
    }
    if isTyped { target.losses.add(.linksWithoutClass) }
    return .value(end: "")
  }

  func appendUnresolvedStart(
    to objectClass: ObjectClass, isTyped: Bool, isElement: Bool, target: inout TextTarget
  ) -> LinkForm {
    target.appendNull(.unresolvedLinks)
    return .done
  }

  /// A key that begins with `$` makes an object a wrapper.
  func isAmbiguous(keys: ScalarColumn?, _ range: Range<Int>) -> Bool {
    guard let keys else { return false }
    return range.contains { i in
      guard case .string(let key) = keys[i], key.count > 0 else { return false }
      return key[0] == UInt8(ascii: "$")
    }
  }

  func append(key: BatchValue, to target: inout TextTarget) {
    target.appendKey(key) { $0.appendRepaired($1) }
  }
}
