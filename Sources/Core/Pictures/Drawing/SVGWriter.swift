import RealmStorage

/// Writes the elements of an SVG picture.
///
/// Escapes every text and attribute, so that names from files cannot add elements or attributes. Control characters,
/// and those that reorder or hide the text around them, are made visible.
package struct SVGWriter {
  /// The elements so far, in UTF-8.
  private var bytes: [UInt8] = []

  package init() {}

  /// The elements so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Names of attributes with their values; nil leaves an attribute out.
  package typealias Attributes = KeyValuePairs<StaticString, String?>

  /// Writes an element without content.
  package mutating func element(_ name: StaticString, _ attributes: Attributes) {
    open(name, attributes)
    append("/>\n")
  }

  /// Writes an element with text.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], text content: String
  ) {
    open(name, attributes)
    append(">")
    append(text: content)
    append("</\(name)>\n")
  }

  /// Writes an element with the elements that `content` writes.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], content: (inout SVGWriter) -> Void
  ) {
    open(name, attributes)
    append(">\n")
    content(&self)
    append("</\(name)>\n")
  }

  /// Writes the elements of `content` as a link to `address`, or without a link if that is nil.
  package mutating func link(to address: String?, content: (inout SVGWriter) -> Void) {
    guard let address else { return content(&self) }
    element("a", ["href": address], content: content)
  }

  /// Writes a style sheet, which is constant and has no characters that XML interprets.
  mutating func style(_ sheet: StaticString) { append("<style>\n\(sheet)</style>\n") }

  private mutating func open(_ name: StaticString, _ attributes: Attributes) {
    append("<\(name)")
    for case (let name, let value?) in attributes {
      append(" \(name)=\"")
      append(text: value)
      append("\"")
    }
  }

  private mutating func append(_ markup: String) { bytes += markup.utf8 }

  /// Appends text or the value of an attribute.
  private mutating func append(text: String) { MarkupText.append(text.printable, to: &bytes) }
}
