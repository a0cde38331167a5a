import RealmStorage

/// Draws a treemap with its heading, legend and remarks.
package struct TreemapPicture {
  package static let width = 960
  package static let areaHeight = 540

  private enum Metric {
    static let heading = 34
    static let line = 18
    static let margin = 8
    /// Height of the band with the name of a group.
    static let band = 20.0
    static let padding = 6
    /// Areas of fewer square pixels are drawn as one.
    static let leastArea = 12.0
  }

  /// The first line.
  package var heading: String
  package var areas: [TreemapArea]
  /// The meaning of the colours.
  package var legend: [(tint: TreemapArea.Tint, label: String)]
  /// Sentences below the picture.
  package var remarks: [(level: TreemapArea.Level, text: String)]
  /// What screen readers read.
  package var description: String

  package init(
    heading: String, areas: [TreemapArea], legend: [(tint: TreemapArea.Tint, label: String)],
    remarks: [(level: TreemapArea.Level, text: String)], description: String
  ) {
    (self.heading, self.areas, self.legend) = (heading, areas, legend)
    (self.remarks, self.description) = (remarks, description)
  }

  package func svg(for use: Picture.Use) -> String {
    let legendRows = self.legendRows
    let below = Metric.heading + TreemapPicture.areaHeight + Metric.margin
    let height = below + (legendRows.count + remarks.count) * Metric.line + Metric.margin
    let picture = Picture(
      name: "treemap", width: TreemapPicture.width, height: height, title: heading,
      description: description, hasLinks: areas.contains(where: \.hasLink))
    return picture.svg(for: use) { svg in
      svg.element(
        "text", ["class": "heading", "x": "\(Metric.margin)", "y": "22", "font-size": "15"],
        text: TextExtent.cut(
          heading, to: TreemapPicture.width - 2 * Metric.margin, size: 15, isBold: true))
      draw(
        areas,
        in: Treemap.Rectangle(
          x: 0, y: Double(Metric.heading), width: Double(TreemapPicture.width),
          height: Double(TreemapPicture.areaHeight)), bandEnd: nil, &svg)
      draw(legendRows, from: below, &svg)
      for (i, remark) in remarks.enumerated() {
        let y = below + (legendRows.count + i) * Metric.line + 13
        let name = remark.level == .warning ? "warning" : "note"
        let start = TextExtent.width(of: name + ": ", size: 12, isBold: true)
        svg.element("g", [:]) { svg in
          if remark.text != TreemapPicture.cut(remark.text, start) {
            svg.element("title", text: remark.text)
          }
          svg.element(
            "text", ["class": "\(name)-text", "x": "\(Metric.margin)", "y": "\(y)"],
            text: name + ":")
          svg.element(
            "text", ["x": "\(Metric.margin + start)", "y": "\(y)"],
            text: TreemapPicture.cut(remark.text, start))
        }
      }
    }
  }

  private static func cut(_ remark: String, _ start: Int) -> String {
    TextExtent.cut(remark, to: width - start - 2 * Metric.margin, size: 12)
  }

  // MARK: - Areas

  /// - Parameter bandEnd: the lower end of the bands with the names of the groups around the areas.
  private func draw(
    _ areas: [TreemapArea], in space: Treemap.Rectangle, bandEnd: Double?, _ svg: inout SVGWriter
  ) {
    let sorted = TreemapPicture.joined(areas, in: space)
    let rectangles = Treemap.rectangles(for: sorted.map(\.size), in: space)
    for (area, rectangle) in zip(sorted, rectangles) {
      if area.parts.isEmpty {
        svg.link(to: area.address) { svg in draw(area, in: rectangle, bandEnd: bandEnd, &svg) }
      } else {
        drawGroup(area, in: rectangle, bandEnd: bandEnd, &svg)
      }
    }
  }

  /// The areas in descending order, the smallest ones as one.
  private static func joined(
    _ areas: [TreemapArea], in space: Treemap.Rectangle
  ) -> [TreemapArea] {
    let sorted = areas.enumerated().filter { $0.element.size > 0 }.sorted {
      ($1.element.size, $0.offset) < ($0.element.size, $1.offset)
    }.map(\.element)
    let total = sorted.reduce(0.0) { $0 + Double($1.size) }
    let least = Metric.leastArea * total / max(1, space.area)
    let large = sorted.prefix { Double($0.size) >= least }
    let small = sorted[large.count...]
    guard small.count > 1 else { return sorted }
    let size = small.reduce(0) { $0 + $1.size }
    var rest = TreemapArea(
      "\(small.count) smaller", size: size, sizeText: Text.size(size), tint: .gray)
    rest.level = small.compactMap(\.level).max()
    // The rest is as large as its parts together, which may be larger than some of the others.
    let place = large.firstIndex { $0.size < size } ?? large.endIndex
    return large[..<place] + [rest] + large[place...]
  }

  private func drawGroup(
    _ group: TreemapArea, in rectangle: Treemap.Rectangle, bandEnd: Double?, _ svg: inout SVGWriter
  ) {
    svg.element("g", [:]) { svg in
      let text = TreemapPicture.bandText(group, in: rectangle)
      let isAtBand = bandEnd.map { rectangle.y < $0 } ?? false
      let hasBand = text != nil && !isAtBand
      let end = rectangle.y + Metric.band
      draw(group.parts, in: rectangle, bandEnd: hasBand ? end : isAtBand ? bandEnd : nil, &svg)
      svg.element("rect", TreemapPicture.frame(rectangle, class: "group"))
      guard hasBand, let text else { return }
      svg.link(to: group.address) { svg in
        svg.element("g", [:]) { svg in
          svg.element("title", text: TreemapPicture.tooltip(group))
          svg.element(
            "rect",
            TreemapPicture.frame(
              Treemap.Rectangle(
                x: rectangle.x, y: rectangle.y, width: rectangle.width, height: Metric.band),
              class: "band"))
          svg.element(
            "text",
            [
              "class": "name", "x": TreemapPicture.pixels(rectangle.x + Double(Metric.padding)),
              "y": TreemapPicture.pixels(rectangle.y + 14),
            ], text: text)
        }
      }
    }
  }

  /// The name of a group, and its size if there is space for it; nil if there is no space for the name.
  private static func bandText(_ group: TreemapArea, in rectangle: Treemap.Rectangle) -> String? {
    guard rectangle.height >= 2 * Metric.band else { return nil }
    let room = Int(rectangle.width) - 2 * Metric.padding
    return [group.label.printable + "  " + group.sizeText, group.label.printable].first {
      TextExtent.width(of: $0, size: 12, isBold: true) <= room
    }
  }

  private func draw(
    _ area: TreemapArea, in rectangle: Treemap.Rectangle, bandEnd: Double?, _ svg: inout SVGWriter
  ) {
    let mark =
      switch area.level {
      case nil: ""
      case .note: " note"
      case .warning: " warning"
      }
    svg.element("g", ["class": "area" + mark]) { svg in
      svg.element("title", text: TreemapPicture.tooltip(area))
      svg.element("rect", TreemapPicture.frame(rectangle, class: area.tint.rawValue))
      if area.level != nil, rectangle.width > 8, rectangle.height > 8 {
        let inner = Treemap.Rectangle(
          x: rectangle.x + 3, y: rectangle.y + 3, width: rectangle.width - 6,
          height: rectangle.height - 6)
        svg.element("path", ["class": "mark", "d": TreemapPicture.outline(inner)])
      }
      let top = max(rectangle.y, bandEnd.map { $0 > rectangle.y ? $0 : rectangle.y } ?? rectangle.y)
      let room = Int(rectangle.width) - 2 * Metric.padding
      let lines = [area.label.printable, area.sizeText]
      let bottom = rectangle.y + rectangle.height
      for (i, line) in lines.enumerated() {
        let y = top + 16 + Double(i) * 15
        guard y + 5 <= bottom, TextExtent.width(of: line, size: 12) <= room else { break }
        svg.element(
          "text",
          [
            "class": i == 0 ? nil : "dim",
            "x": TreemapPicture.pixels(rectangle.x + Double(Metric.padding)),
            "y": TreemapPicture.pixels(y),
          ], text: line)
      }
    }
  }

  private static func tooltip(_ area: TreemapArea) -> String {
    ([area.label + ": " + area.sizeText] + area.details).map(\.printable).joined(separator: "; ")
  }

  // MARK: - Legend

  /// The entries of the legend in rows, with their positions.
  private var legendRows: [[(x: Int, entry: (tint: TreemapArea.Tint, label: String))]] {
    var rows: [[(x: Int, entry: (tint: TreemapArea.Tint, label: String))]] = []
    var x = TreemapPicture.width
    for entry in legend {
      let width = 16 + TextExtent.width(of: entry.label, size: 12) + 18
      if x + width > TreemapPicture.width {
        rows.append([])
        x = Metric.margin
      }
      rows[rows.count - 1].append((x, entry))
      x += width
    }
    return rows
  }

  private func draw(
    _ rows: [[(x: Int, entry: (tint: TreemapArea.Tint, label: String))]], from top: Int,
    _ svg: inout SVGWriter
  ) {
    for (i, row) in rows.enumerated() {
      let y = top + i * Metric.line
      for (x, entry) in row {
        svg.element(
          "rect",
          [
            "class": entry.tint.rawValue, "x": "\(x)", "y": "\(y + 3)", "width": "11",
            "height": "11",
          ])
        svg.element(
          "text", ["class": "dim", "x": "\(x + 16)", "y": "\(y + 13)"], text: entry.label)
      }
    }
  }

  // MARK: - Numbers

  /// The attributes of a rectangle. Its ends are rounded, not its sides, so that neighbours touch.
  private static func frame(
    _ rectangle: Treemap.Rectangle, class name: String
  ) -> SVGWriter.Attributes {
    let (x, y) = (hundredths(rectangle.x), hundredths(rectangle.y))
    let width = hundredths(rectangle.x + rectangle.width) - x
    let height = hundredths(rectangle.y + rectangle.height) - y
    return [
      "class": name, "x": pixels(hundredths: x), "y": pixels(hundredths: y),
      "width": pixels(hundredths: width), "height": pixels(hundredths: height),
    ]
  }

  private static func outline(_ rectangle: Treemap.Rectangle) -> String {
    let (x, y) = (pixels(rectangle.x), pixels(rectangle.y))
    let right = pixels(rectangle.x + rectangle.width)
    return "M\(x) \(y)H\(right)V\(pixels(rectangle.y + rectangle.height))H\(x)Z"
  }

  private static func hundredths(_ pixels: Double) -> Int { Int((pixels * 100).rounded()) }

  private static func pixels(_ value: Double) -> String { pixels(hundredths: hundredths(value)) }

  /// A number of at most two decimals. Positions are never negative.
  private static func pixels(hundredths: Int) -> String {
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    guard rest != 0 else { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}

extension TreemapArea {
  /// Whether the area or a part of it is a link.
  fileprivate var hasLink: Bool { address != nil || parts.contains(where: \.hasLink) }
}
