import RealmModel
import RealmPictures
import RealmStorage

/// A class in a diagram: its name, and a row for each property.
struct ClassBox {
  /// A row of text.
  struct Row {
    /// `pk`, `ix` or `ft`.
    var mark: String
    var name: String
    var type: String
    /// Position of the property; nil for a row that stands for several.
    var property: Int?
  }

  enum Metric {
    static let headHeight = 26
    static let rowHeight = 18
    static let padding = 8
    /// Width for the marks.
    static let markWidth = 22
    /// Space between the name and the type.
    static let gap = 16
    static let leastWidth = 110
    static let mostWidth = 300
    /// More properties than that are told as a number, except links.
    static let mostRows = 60
  }

  let objectClass: ObjectClass
  let rows: [Row]
  let width: Int

  init(_ objectClass: ObjectClass, in schema: ObjectSchema) {
    self.objectClass = objectClass
    let all = objectClass.properties.enumerated().map { position, property in
      ClassBox.row(property, position, of: objectClass, schema)
    }
    var rows = all
    if all.count > Metric.mostRows {
      var free = Metric.mostRows - objectClass.properties.count(where: \.isShownLink)
      rows = zip(all, objectClass.properties).compactMap { row, property in
        if property.isShownLink { return row }
        free -= 1
        return free >= 0 ? row : nil
      }
      if rows.count < all.count {
        rows.append(Row(mark: "", name: "… \(all.count - rows.count) more", type: ""))
      }
    }
    self.rows = rows
    let widest = rows.map {
      TextExtent.width(of: $0.name, size: 12) + TextExtent.width(of: $0.type, size: 12)
    }.max()
    let head = TextExtent.width(of: objectClass.name.text, size: 12, isBold: true)
    let kind = ClassBox.word(for: objectClass.kind).map {
      TextExtent.width(of: $0, size: 10) + Metric.gap
    }
    let wanted = max(
      head + (kind ?? 0) + 2 * Metric.padding,
      (widest ?? 0) + Metric.markWidth + Metric.gap + 2 * Metric.padding)
    width = min(max(wanted, Metric.leastWidth), Metric.mostWidth)
  }

  private static func row(
    _ property: Property, _ position: Int, of objectClass: ObjectClass, _ schema: ObjectSchema
  ) -> Row {
    let isPrimaryKey = position == objectClass.primaryKey
    let notation = PropertyNotation(property, isPrimaryKey: isPrimaryKey, schema)
    let mark =
      isPrimaryKey ? "pk" : notation.isFulltextIndexed ? "ft" : notation.isIndexed ? "ix" : ""
    return Row(
      mark: mark, name: property.name.text, type: notation.short ?? notation.long,
      property: position)
  }

  /// The kind of a class that is not an ordinary one.
  static func word(for kind: ObjectClass.Kind) -> String? {
    switch kind {
    case .topLevel: nil
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }

  var height: Int { Metric.headHeight + rows.count * Metric.rowHeight + Metric.padding / 2 }

  /// The middle of the head, where links to the class end.
  static let headOffset = Metric.headHeight / 2

  /// The middle of the row of each property that has one.
  var rowOffsets: [Int: Int] {
    Dictionary(
      uniqueKeysWithValues: rows.enumerated().compactMap { i, row in
        row.property.map {
          ($0, Metric.headHeight + i * Metric.rowHeight + Metric.rowHeight / 2)
        }
      })
  }

  /// Draws the box.
  ///
  /// - Parameter place: the place of the box, which may be wider than the box needs to be.
  func draw(at place: LayeredLayout.Box, address: String?, _ svg: inout SVGWriter) {
    let kind = ClassBox.word(for: objectClass.kind)
    svg.element("g", ["class": kind ?? "ordinary"]) { svg in
      svg.element(
        "rect",
        [
          "class": "box", "x": "\(place.x)", "y": "\(place.y)", "width": "\(place.width)",
          "height": "\(place.height)", "rx": "4",
        ])
      svg.link(to: address) { svg in drawHead(at: place, kind, &svg) }
      svg.element(
        "path",
        [
          "class": "rule",
          "d": "M\(place.x) \(place.y + Metric.headHeight)h\(place.width)",
        ])
      for (i, row) in rows.enumerated() {
        draw(row, at: place, top: place.y + Metric.headHeight + i * Metric.rowHeight, &svg)
      }
    }
  }

  private func drawHead(
    at place: LayeredLayout.Box, _ kind: String?, _ svg: inout SVGWriter
  ) {
    svg.element("g") { svg in
      let count = Text.count(objectClass.properties.count, "property", "properties")
      svg.element("title", text: "\(objectClass.name.text): \(count)")
      svg.element(
        "rect",
        [
          "class": "box-head", "x": "\(place.x + 1)", "y": "\(place.y + 1)",
          "width": "\(place.width - 2)", "height": "\(Metric.headHeight - 1)", "rx": "3",
        ])
      let kindWidth = kind.map { TextExtent.width(of: $0, size: 10) + Metric.gap } ?? 0
      let room = place.width - 2 * Metric.padding - kindWidth
      svg.element(
        "text",
        ["class": "name", "x": "\(place.x + Metric.padding)", "y": "\(place.y + 18)"],
        text: TextExtent.cut(objectClass.name.text, to: room, size: 12, isBold: true))
      if let kind {
        svg.element(
          "text",
          [
            "class": "dim", "font-size": "10", "text-anchor": "end",
            "x": "\(place.x + place.width - Metric.padding)", "y": "\(place.y + 17)",
          ], text: kind)
      }
    }
  }

  private func draw(
    _ row: Row, at place: LayeredLayout.Box, top: Int, _ svg: inout SVGWriter
  ) {
    let room = place.width - 2 * Metric.padding - Metric.markWidth - Metric.gap
    let nameWidth = TextExtent.width(of: row.name, size: 12)
    // The type gets at least half of the room, and what the name leaves.
    let typeRoom = max(room / 2, room - nameWidth)
    let type = TextExtent.cut(row.type, to: typeRoom, size: 12)
    let name = TextExtent.cut(
      row.name, to: room - TextExtent.width(of: type, size: 12), size: 12)
    svg.element("g") { svg in
      if type != row.type.printable || name != row.name.printable {
        svg.element("title", text: "\(row.name): \(row.type)")
      }
      if !row.mark.isEmpty {
        svg.element(
          "text",
          [
            "class": "key", "font-size": "10", "x": "\(place.x + Metric.padding)",
            "y": "\(top + 13)",
          ], text: row.mark)
      }
      svg.element(
        "text",
        [
          "class": row.property == nil ? "dim" : nil,
          "x": "\(place.x + Metric.padding + Metric.markWidth)", "y": "\(top + 13)",
        ], text: name)
      if !type.isEmpty {
        svg.element(
          "text",
          [
            "class": "dim", "text-anchor": "end",
            "x": "\(place.x + place.width - Metric.padding)", "y": "\(top + 13)",
          ], text: type)
      }
    }
  }
}

extension Property {
  /// Whether the property has a line to its target class.
  var isShownLink: Bool { type == .link && target != nil }
}
