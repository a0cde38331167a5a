/// A small JSON writer that shares no code with the exports.
extension JSONValue: CustomStringConvertible {
  public var description: String { text }

  /// The value as JSON without white space.
  public var text: String {
    var text = ""
    append(to: &text)
    return text
  }

  /// Appends the value as JSON without white space.
  public func append(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let token): text += token
    case .string(let string): JSONValue.append(string, to: &text)
    case .array(let elements):
      text += "["
      for (i, element) in elements.enumerated() {
        if i > 0 { text += "," }
        element.append(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (i, member) in members.enumerated() {
        if i > 0 { text += "," }
        JSONValue.append(member.name, to: &text)
        text += ":"
        member.value.append(to: &text)
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
}
