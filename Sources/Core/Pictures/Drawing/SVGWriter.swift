import RealmStorage

/// Writes the elements of an SVG picture.
///
/// Escapes every text and attribute, so that names from files cannot add elements or attributes. Characters that XML
/// forbids, or that reorder the text around them, are made visible.
package struct SVGWriter {
  /// The elements so far.
  package private(set) var text = ""

  package init() {}

  /// Names of attributes with their values; nil leaves an attribute out.
  package typealias Attributes = KeyValuePairs<StaticString, String?>

  /// Writes an element without content.
  package mutating func element(_ name: StaticString, _ attributes: Attributes) {
    open(name, attributes)
    text += "/>\n"
  }

  /// Writes an element with text.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], text content: String
  ) {
    open(name, attributes)
    text += ">\(SVGWriter.escaped(content))</\(name)>\n"
  }

  /// Writes an element with the elements that `content` writes.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], content: (inout SVGWriter) -> Void
  ) {
    open(name, attributes)
    text += ">\n"
    content(&self)
    text += "</\(name)>\n"
  }

  /// Writes the elements of `content` as a link to `address`, or without a link if that is nil.
  package mutating func link(to address: String?, content: (inout SVGWriter) -> Void) {
    guard let address else { return content(&self) }
    element("a", ["href": address], content: content)
  }

  /// Writes a style sheet, which is constant and has no characters that XML interprets.
  mutating func style(_ sheet: StaticString) { text += "<style>\n\(sheet)</style>\n" }

  private mutating func open(_ name: StaticString, _ attributes: Attributes) {
    text += "<\(name)"
    for case (let name, let value?) in attributes {
      text += " \(name)=\"\(SVGWriter.escaped(value))\""
    }
  }

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // XML has no noncharacters at the end of the first plane.
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
