package import RealmModel
import RealmStorage

/// Writes single scalars as text for people: like the fields of CSV, without wrappers and quotes.
package struct PlainValueText: ~Copyable {
  private var target = TextTarget()
  private let writer = ObjectTextWriter(PlainStyle(), schema: ObjectSchema(classes: []))
  private var exact = RealmJSONValueText()

  package init() {}

  /// The text of a value that is neither a link nor a collection. A value that this form cannot hold, such as NaN, is
  /// in the form of Realm JSON.
  package mutating func text(of value: BatchValue) -> String {
    if case .string(let bytes) = value { return bytes.text }
    writer.append(plain: value, inMixed: false, to: &target)
    defer { target.removeAll() }
    let json = target.text.bytes
    if json == Array("null".utf8), !value.isNull {
      exact.append(value)
      return String(decoding: exact.take(), as: UTF8.self)
    }
    let isQuoted = json.first == UInt8(ascii: "\"")
    return String(decoding: isQuoted ? json.dropFirst().dropLast() : json[...], as: UTF8.self)
  }
}
