/// Places boxes in columns, and routes lines from left to right between them (Sugiyama, Tagawa and Toda 1981): lines
/// against the direction are reversed, boxes get columns and an order with few crossings, then positions.
///
/// Boxes do not overlap, and no line goes through a box: lines change their height only between columns, and pass columns
/// at places of their own. Parts of the graph that no line connects are laid out separately and put in rows. The same graph
/// always has the same layout.
package struct LayeredLayout: Sendable {
  package struct Box: Equatable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int
  }

  package struct Point: Equatable, Sendable {
    package var x: Int
    package var y: Int

    package init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
  }

  /// A line: an even number of points from the source to the target. It bends between the first and second, the third and
  /// fourth and so on, and is level between the second and third and so on.
  ///
  /// A line from a box to itself has two points with the same x; it bends to the right of them.
  package typealias Route = [Point]

  package private(set) var boxes: [Box]
  /// The route of each line; nil if the graph has too many lines to draw them all.
  package private(set) var routes: [Route?]
  package private(set) var width = 0
  package private(set) var height = 0

  /// How far a line from a box to itself goes to the right of the box.
  package static let loopWidth = 24

  private enum Metric {
    static let leastGap = 60
    static let mostGap = 180
    /// Width that a line adds to the space between columns.
    static let lineWidth = 3
    /// Space between parts.
    static let partGap = 36
  }

  package init(_ graph: LayeredGraph) {
    boxes = graph.boxes.map { Box(x: 0, y: 0, width: $0.width, height: $0.height) }
    routes = Array(repeating: nil, count: graph.lines.count)
    let parts = LayeredLayout.parts(of: graph).map { LayeredPart($0, in: graph) }
    pack(parts)
  }

  /// The boxes of each part that lines connect, in ascending order of their first boxes.
  private static func parts(of graph: LayeredGraph) -> [[Int]] {
    var neighbors = Array(repeating: [Int](), count: graph.boxes.count)
    for line in graph.lines {
      neighbors[line.source].append(line.target)
      neighbors[line.target].append(line.source)
    }
    var isReached = Array(repeating: false, count: graph.boxes.count)
    var parts: [[Int]] = []
    for start in graph.boxes.indices where !isReached[start] {
      isReached[start] = true
      var (part, next) = ([start], 0)
      while next < part.count {
        for neighbor in neighbors[part[next]] where !isReached[neighbor] {
          isReached[neighbor] = true
          part.append(neighbor)
        }
        next += 1
      }
      parts.append(part.sorted())
    }
    return parts
  }

  /// Puts the parts in rows, the highest first, and takes over their positions.
  private mutating func pack(_ parts: [LayeredPart]) {
    let area = parts.reduce(0.0) {
      $0 + Double($1.width + Metric.partGap) * Double($1.height + Metric.partGap)
    }
    let limit = max(parts.map(\.width).max() ?? 0, Int((1.5 * area).squareRoot()))
    var (x, y, rowHeight) = (0, 0, 0)
    let order = parts.indices.sorted {
      (parts[$1].height, $0) < (parts[$0].height, $1)
    }
    for part in order.map({ parts[$0] }) {
      if x > 0, x + part.width > limit {
        (x, y, rowHeight) = (0, y + rowHeight + Metric.partGap, 0)
      }
      for (box, place) in part.boxes {
        boxes[box] = Box(x: x + place.x, y: y + place.y, width: place.width, height: place.height)
      }
      for (line, route) in part.routes {
        routes[line] = route.map { Point(x: x + $0.x, y: y + $0.y) }
      }
      width = max(width, x + part.width)
      rowHeight = max(rowHeight, part.height)
      height = max(height, y + rowHeight)
      x += part.width + Metric.partGap
    }
  }

  /// The space between a column and the next.
  static func gap(lineCount: Int) -> Int {
    min(Metric.mostGap, Metric.leastGap + Metric.lineWidth * lineCount)
  }
}
