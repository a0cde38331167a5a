import RealmStorage

/// A part of a page. It can only grow by elements, attributes and text, all of which are escaped, so no text from a
/// realm becomes markup. This is the only way to make HTML.
package struct HTML {
  /// The part in UTF-8.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// The names and values of attributes, in their order. An attribute without a value (nil) is left out; the empty
  /// string stands for one that is only present, such as `checked`.
  package struct Attributes: ExpressibleByDictionaryLiteral {
    fileprivate private(set) var pairs: [(name: StaticString, value: String?)]

    package init(dictionaryLiteral pairs: (StaticString, String?)...) { self.pairs = pairs }

    /// These attributes, and `others` behind them.
    func with(_ others: Attributes) -> Attributes {
      var all = self
      all.pairs += others.pairs
      return all
    }
  }

  /// Elements without content and end.
  private static let voidElements: Set<String> = [
    "input", "meta", "link", "img", "br", "hr", "col",
  ]

  /// Adds an element.
  ///
  /// - Parameters:
  ///   - name: its name; the program knows it, so it needs no escape.
  ///   - content: adds the content.
  /// - Throws: the errors of `content`.
  package mutating func element<Failure: Error>(
    _ name: StaticString, _ attributes: Attributes = [:],
    _ content: (inout HTML) throws(Failure) -> Void
  ) throws(Failure) {
    start(name, attributes)
    try content(&self)
    raw("</")
    raw(name)
    raw(">")
  }

  /// Adds an element that contains only text.
  package mutating func element(
    _ name: StaticString, _ attributes: Attributes, _ text: String
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// The same without attributes.
  package mutating func element(_ name: StaticString, _ text: String) {
    element(name, [:], text)
  }

  /// Adds an element without content: `input`, `meta`, `link`, `img`, `br`.
  package mutating func void(_ name: StaticString, _ attributes: Attributes = [:]) {
    assert(HTML.voidElements.contains("\(name)"))
    start(name, attributes)
  }

  private mutating func start(_ name: StaticString, _ attributes: Attributes) {
    raw("<")
    raw(name)
    for (name, value) in attributes.pairs {
      guard let value else { continue }
      raw(" ")
      raw(name)
      guard !value.isEmpty else { continue }
      raw("=\"")
      MarkupText.append(value, to: &bytes)
      raw("\"")
    }
    raw(">")
  }

  /// Adds text. Control characters, and characters that reorder or hide others, become visible; line feeds and tabs
  /// stay.
  package mutating func text(_ text: String) {
    guard text.utf8.contains(where: { $0 == 9 || $0 == 10 }) else {
      return MarkupText.append(text.printable, to: &bytes)
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (i, line) in lines.enumerated() {
      if i > 0 { raw("\n") }
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      MarkupText.append(parts.map { String($0).printable }.joined(separator: "\t"), to: &bytes)
    }
  }

  /// Adds text with all its characters, also those that cannot be seen, for fields whose text is sent back.
  package mutating func verbatim(_ text: String) { MarkupText.append(text, to: &bytes) }

  /// Adds another part.
  package mutating func add(_ other: HTML) { bytes += other.bytes }

  /// Adds markup that this program made or contains, such as a picture.
  package mutating func add(trusted markup: TrustedMarkup) { bytes += markup.bytes }

  private mutating func raw(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Markup that needs no escapes, because this program made it: its files, and pictures whose texts are escaped.
package struct TrustedMarkup: Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }
}
