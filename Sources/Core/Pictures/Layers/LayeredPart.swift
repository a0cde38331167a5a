/// The layout of a part of a graph that lines connect.
struct LayeredPart {
  /// Positions of boxes in the graph, with their places in the part.
  private(set) var boxes: [(box: Int, place: LayeredLayout.Box)] = []
  /// Positions of lines in the graph, with their routes in the part.
  private(set) var routes: [(line: Int, route: LayeredLayout.Route)] = []
  private(set) var width = 0
  private(set) var height = 0

  private static let sweeps = 24
  private static let passes = 16

  /// - Parameter members: the boxes of the part.
  init(_ members: [Int], in graph: LayeredGraph) {
    let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
    // Lines with their positions in the graph and in the part.
    var numbers: [Int] = []
    var (part, loops) = (LayeredGraph(boxes: members.map { graph.boxes[$0] }, lines: []), [Int]())
    for (number, line) in graph.lines.enumerated() {
      guard let source = places[line.source], let target = places[line.target] else { continue }
      guard source != target else {
        loops.append(number)
        continue
      }
      var line = line
      (line.source, line.target) = (source, target)
      numbers.append(number)
      part.lines.append(line)
    }
    let columns = LayeredPart.columns(of: part)
    place(members, columns, part)
    for (i, number) in numbers.enumerated() {
      guard let path = columns.layout.paths[i] else { continue }
      let isForward = path.items.first == part.lines[i].source
      let route = LayeredPart.route(path, columns)
      routes.append((number, isForward ? route : route.reversed()))
    }
    for number in loops {
      guard let place = places[graph.lines[number].source] else { continue }
      let box = boxes[place].place
      routes.append(
        (
          number,
          [graph.lines[number].sourceOffset, graph.lines[number].targetOffset].map {
            LayeredLayout.Point(x: box.x + box.width, y: box.y + $0)
          }
        ))
      width = max(width, box.x + box.width + LayeredLayout.loopWidth)
    }
  }

  private struct Columns {
    var layout: LayeredColumns
    var tops: [Int]
    /// Left side and width of each column.
    var spans: [(x: Int, width: Int)]
  }

  private static func columns(of part: LayeredGraph) -> Columns {
    let pairs = part.lines.map { ($0.source, $0.target) }
    let isReversed = LineDirections(count: part.boxes.count, lines: pairs).isReversed
    let heights = part.boxes.map { $0.height + ItemPlacement.boxGap }
    let area = zip(part.boxes, heights).reduce(0.0) {
      $0 + Double($1.0.width + 2 * LayeredLayout.loopWidth) * Double($1.1)
    }
    let assignment = ColumnAssignment(
      heights: heights,
      lines: zip(pairs, isReversed).map { $1 ? ($0.1, $0.0) : $0 },
      limit: max(heights.max() ?? 0, Int(area.squareRoot())))
    var layout = LayeredColumns(part, columns: assignment.columns, count: assignment.count)
    layout.columns = CrossingReduction.ordered(layout, sweeps: sweeps)
    let tops = ItemPlacement.tops(of: layout, passes: passes)
    var (spans, x) = ([(x: Int, width: Int)](), 0)
    for (i, column) in layout.columns.enumerated() {
      let width = column.compactMap { layout.items[$0].box }.map { part.boxes[$0].width }.max() ?? 0
      spans.append((x, width))
      x += width
      if i < layout.pieces.count { x += LayeredLayout.gap(lineCount: layout.pieces[i].count) }
    }
    return Columns(layout: layout, tops: tops, spans: spans)
  }

  /// Takes over the places of the boxes. All boxes of a column have its width, so that lines end at its sides.
  private mutating func place(_ members: [Int], _ columns: Columns, _ part: LayeredGraph) {
    for (place, box) in members.enumerated() {
      let span = columns.spans[columns.layout.items[place].column]
      boxes.append(
        (
          box,
          LayeredLayout.Box(
            x: span.x, y: columns.tops[place], width: span.width,
            height: part.boxes[place].height)
        ))
    }
    width = columns.spans.last.map { $0.x + $0.width } ?? 0
    height =
      columns.layout.items.indices.map { columns.tops[$0] + columns.layout.items[$0].height }
      .max() ?? 0
  }

  /// The route of a path from left to right.
  private static func route(
    _ path: LayeredColumns.Path, _ columns: Columns
  ) -> LayeredLayout.Route {
    var route: LayeredLayout.Route = []
    for (i, item) in path.items.enumerated() {
      let span = columns.spans[columns.layout.items[item].column]
      let top = columns.tops[item]
      if i > 0 {
        let offset = i == path.items.count - 1 ? path.rightOffset : 0
        route.append(LayeredLayout.Point(x: span.x, y: top + offset))
      }
      if i < path.items.count - 1 {
        let offset = i == 0 ? path.leftOffset : 0
        route.append(LayeredLayout.Point(x: span.x + span.width, y: top + offset))
      }
    }
    return route
  }
}
