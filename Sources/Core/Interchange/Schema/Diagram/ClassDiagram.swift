package import RealmModel
package import RealmPictures
import RealmStorage

/// A class diagram: a box for each class of the app with its properties, and a line for each link, from its property to its
/// class.
package struct ClassDiagram {
  private enum Metric {
    static let margin = 20
    static let legendHeight = 26
    static let legendGap = 18
    /// Width of a mark and of the start of a line in the legend.
    static let markWidth = 18
    static let startWidth = 32
  }

  /// A line, with the property that it shows.
  private struct Link {
    let origin: ObjectClass
    let property: Property
    let type: String
    let isEmbedded: Bool
  }

  private let boxes: [ClassBox]
  private let links: [Link]
  private let layout: LayeredLayout

  package init(_ schema: ObjectSchema) {
    let shown = schema.appClasses
    boxes = shown.map { ClassBox(schema.classes[$0], in: schema) }
    let places = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1, $0) })
    var (links, lines) = ([Link](), [LayeredGraph.Line]())
    for (source, box) in boxes.enumerated() {
      let offsets = box.rowOffsets
      for (position, property) in box.objectClass.properties.enumerated()
      where property.type == .link {
        guard let target = property.target.flatMap({ places[$0] }), let offset = offsets[position]
        else { continue }
        let notation = PropertyNotation(property, isPrimaryKey: false, schema)
        links.append(
          Link(
            origin: box.objectClass, property: property, type: notation.short ?? notation.long,
            isEmbedded: boxes[target].objectClass.kind == .embedded))
        lines.append(
          LayeredGraph.Line(
            source: source, target: target, sourceOffset: offset,
            targetOffset: ClassBox.headOffset))
      }
    }
    self.links = links
    layout = LayeredLayout(
      LayeredGraph(
        boxes: boxes.map { LayeredGraph.Box(width: $0.width, height: $0.height) }, lines: lines))
  }

  /// The diagram as SVG.
  ///
  /// - Parameter address: the address of the page about a class; nil for none.
  package func svg(for use: Picture.Use, address: (ObjectClass) -> String? = { _ in nil }) -> String
  {
    let addresses = boxes.map { address($0.objectClass) }
    let top = Metric.margin + Metric.legendHeight
    let picture = Picture(
      name: "classes", width: max(ClassDiagram.legendWidth, layout.width) + 2 * Metric.margin,
      height: layout.height + top + Metric.margin, title: "Class diagram",
      description: description, hasLinks: addresses.contains { $0 != nil })
    return picture.svg(for: use) { svg in
      drawLegend(&svg)
      svg.element("g", ["transform": "translate(\(Metric.margin) \(top))"]) { svg in
        for (link, route) in zip(links, layout.routes) {
          if let route { draw(link, route, &svg) }
        }
        for (i, box) in boxes.enumerated() {
          box.draw(at: layout.boxes[i], address: addresses[i], &svg)
        }
      }
    }
  }

  /// The classes and links in words.
  private var description: String {
    let hidden = layout.routes.count { $0 == nil }
    let lines = links.prefix(100).map {
      "\($0.origin.name).\($0.property.name) links to \($0.type)"
    }
    return
      ([
        Text.count(boxes.count, "class", "classes") + ", " + Text.count(links.count, "link")
          + (hidden == 0 ? "" : ", \(hidden) of them without a line")
      ] + lines).joined(separator: "; ")
  }

  // MARK: - Lines

  private func draw(_ link: Link, _ route: LayeredLayout.Route, _ svg: inout SVGWriter) {
    let isLoop = route.count == 2 && route[0].x == route[1].x
    // Whether the line leaves to the right, and arrives from the left.
    let isForward = isLoop || route[0].x < route[1].x
    svg.element("g", ["class": "link"]) { svg in
      svg.element(
        "title", text: "\(link.origin.name.text).\(link.property.name.text): \(link.type)")
      svg.element("path", ["class": "line", "d": ClassDiagram.path(route, isLoop: isLoop)])
      let end = ClassDiagram.arrow(at: route[route.count - 1], isToRight: isForward && !isLoop)
      svg.element("path", ["class": "line", "d": end])
      ClassDiagram.drawStart(
        at: route[0], isToRight: isForward, isEmbedded: link.isEmbedded,
        isCollection: link.property.collection != nil, &svg)
    }
  }

  private static func path(_ route: LayeredLayout.Route, isLoop: Bool) -> String {
    var path = "M\(route[0].x) \(route[0].y)"
    for i in route.indices.dropFirst() {
      let (from, to) = (route[i - 1], route[i])
      if isLoop {
        let x = from.x + LayeredLayout.loopWidth * 4 / 3
        path += "C\(x) \(from.y) \(x) \(to.y) \(to.x) \(to.y)"
      } else if i.isMultiple(of: 2) {
        path += "H\(to.x)"
      } else {
        let middle = (from.x + to.x) / 2
        path += "C\(middle) \(from.y) \(middle) \(to.y) \(to.x) \(to.y)"
      }
    }
    return path
  }

  private static func arrow(at point: LayeredLayout.Point, isToRight: Bool) -> String {
    let x = isToRight ? point.x - 7 : point.x + 7
    return "M\(x) \(point.y - 4)L\(point.x) \(point.y)L\(x) \(point.y + 4)"
  }

  /// Draws the marks where a line starts: a diamond for embedded objects, otherwise a dot; two of them for a collection.
  private static func drawStart(
    at point: LayeredLayout.Point, isToRight: Bool, isEmbedded: Bool, isCollection: Bool,
    _ svg: inout SVGWriter
  ) {
    let direction = isToRight ? 1 : -1
    for i in 0..<(isCollection ? 2 : 1) {
      let x = point.x + direction * (isEmbedded ? 5 + 10 * i : 4 + 7 * i)
      let mark =
        isEmbedded
        ? "M\(x - 5) \(point.y)l5 -4l5 4l-5 4Z"
        : "M\(x - 3) \(point.y)a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z"
      svg.element("path", ["class": "tip", "d": mark])
    }
  }

  // MARK: - Legend

  /// The signs of the diagram with their meanings: marks of properties, and starts of lines.
  private static let marks = [
    ("pk", "primary key"), ("ix", "indexed"), ("ft", "full-text indexed"),
  ]
  private static let starts: [(isEmbedded: Bool, isCollection: Bool, meaning: String)] = [
    (false, false, "link"), (false, true, "links"), (true, false, "embedded object"),
    (true, true, "embedded objects"),
  ]

  private static var legendWidth: Int {
    let meanings = marks.map(\.1) + starts.map(\.meaning)
    let signs = marks.count * Metric.markWidth + starts.count * Metric.startWidth
    return meanings.reduce(signs) { $0 + TextExtent.width(of: $1, size: 12) + Metric.legendGap }
  }

  private func drawLegend(_ svg: inout SVGWriter) {
    let y = Metric.margin
    var x = Metric.margin
    func label(_ text: String, _ svg: inout SVGWriter) {
      svg.element("text", ["class": "dim", "x": "\(x)", "y": "\(y + 4)"], text: text)
      x += TextExtent.width(of: text, size: 12) + Metric.legendGap
    }
    for (mark, meaning) in ClassDiagram.marks {
      svg.element(
        "text", ["class": "key", "font-size": "10", "x": "\(x)", "y": "\(y + 4)"], text: mark)
      x += Metric.markWidth
      label(meaning, &svg)
    }
    for start in ClassDiagram.starts {
      svg.element("path", ["class": "line", "d": "M\(x) \(y)h26"])
      ClassDiagram.drawStart(
        at: LayeredLayout.Point(x: x, y: y), isToRight: true, isEmbedded: start.isEmbedded,
        isCollection: start.isCollection, &svg)
      x += Metric.startWidth
      label(start.meaning, &svg)
    }
  }
}
