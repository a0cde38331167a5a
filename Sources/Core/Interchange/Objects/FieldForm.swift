/// The form of fields and lines.
enum FieldForm: Sendable {
  /// CSV (RFC 4180): a field with a comma, a quote or a line end stands in quotes. The empty string is a
  /// field of two quotes, null an empty field.
  case commas
  /// Tabs between fields: in a field, tabs, line ends and backslashes are escaped with a backslash. The
  /// empty string and null are both empty fields.
  case tabs

  var separator: UInt8 {
    switch self {
    case .commas: UInt8(ascii: ",")
    case .tabs: UInt8(ascii: "\t")
    }
  }

  func append(lineEnd text: inout TextBuffer) {
    switch self {
    case .commas: text.append("\r\n")
    case .tabs: text.append("\n")
    }
  }

  /// Appends the only field of a line, which is empty: readers of CSV skip a line without text.
  func append(loneEmptyField text: inout TextBuffer) {
    if self == .commas { text.append("\"\"") }
  }

  func append(field: [UInt8], to text: inout TextBuffer) {
    switch self {
    case .commas: FieldForm.append(quoted: field, to: &text)
    case .tabs: FieldForm.append(escaped: field, to: &text)
    }
  }

  private static func append(quoted field: [UInt8], to text: inout TextBuffer) {
    let needsQuotes =
      field.isEmpty
      || field.contains {
        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
          || $0 == UInt8(ascii: "\r")
      }
    guard needsQuotes else { return text.append(bytes: field) }
    text.append(UInt8(ascii: "\""))
    for byte in field {
      if byte == UInt8(ascii: "\"") { text.append(byte) }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func append(escaped field: [UInt8], to text: inout TextBuffer) {
    for byte in field {
      switch byte {
      case UInt8(ascii: "\t"): text.append("\\t")
      case UInt8(ascii: "\n"): text.append("\\n")
      case UInt8(ascii: "\r"): text.append("\\r")
      case UInt8(ascii: "\\"): text.append("\\\\")
      default: text.append(byte)
      }
    }
  }
}
