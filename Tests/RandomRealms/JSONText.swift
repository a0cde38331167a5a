import TestSupport

/// Writes JSON: a small writer that shares nothing with the exports.
enum JSONText {
  static func text(of value: JSONValue) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  static func append(_ value: JSONValue, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let token): text += token
    case .string(let string): append(string, to: &text)
    case .array(let elements):
      text += "["
      for (i, element) in elements.enumerated() {
        if i > 0 { text += "," }
        append(element, to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (i, member) in members.enumerated() {
        if i > 0 { text += "," }
        append(member.name, to: &text)
        text += ":"
        append(member.value, to: &text)
      }
      text += "}"
    }
  }

  private static func append(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// The name of a member for a class or property: what begins like the form for odd names takes it.
  static func memberName(_ name: String) -> String {
    name.hasPrefix("$base64:") ? "$base64:" + RandomValues.base64Text(Array(name.utf8)) : name
  }
}
