/// Text inside HTML and XML.
package enum MarkupText {
  /// Appends `text` as the content of an element, or as the value of an attribute in quotes.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // Neither HTML nor XML has a zero byte.
      case 0: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
  }
}
