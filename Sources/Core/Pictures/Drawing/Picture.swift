/// A whole picture: its size, and what screen readers read instead of it.
package struct Picture {
  /// Where a picture is shown.
  package enum Use: Sendable {
    /// In a file of its own, with the style sheet.
    case file
    /// In a page, which has ``styleSheet`` in its own style sheets: a content security policy forbids one inside.
    case page
  }

  /// Prefix of the identifiers in the picture: a page may show several pictures.
  let name: StaticString
  let width: Int
  let height: Int
  let title: String
  let description: String
  /// Whether elements are links: a picture with links is not an image to screen readers, which would hide them.
  let hasLinks: Bool

  package init(
    name: StaticString, width: Int, height: Int, title: String, description: String, hasLinks: Bool
  ) {
    (self.name, self.width, self.height) = (name, width, height)
    (self.title, self.description, self.hasLinks) = (title, description, hasLinks)
  }

  /// The picture as an SVG element.
  package func svg(for use: Use, content: (inout SVGWriter) -> Void) -> String {
    var svg = SVGWriter()
    svg.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "realm-picture",
        "viewBox": "0 0 \(width) \(height)", "width": "\(width)", "height": "\(height)",
        "role": hasLinks ? "group" : "img", "aria-labelledby": "\(name)-title",
        "aria-describedby": "\(name)-description",
        "font-family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
        "font-size": "12",
      ]
    ) { svg in
      svg.element("title", ["id": "\(name)-title"], text: title)
      svg.element("desc", ["id": "\(name)-description"], text: description)
      if case .file = use { svg.style(Picture.styleSheet) }
      content(&svg)
    }
    return svg.text
  }
}
