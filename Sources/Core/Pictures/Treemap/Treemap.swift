/// Divides a rectangle into areas proportional to sizes, as close to squares as possible: the squarified treemap of
/// Bruls, Huizing and van Wijk (2000).
package enum Treemap {
  /// A rectangle in pixels.
  package struct Rectangle: Equatable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package var area: Double { width * height }
  }

  /// A rectangle for each size; together they fill `rectangle`.
  ///
  /// - Parameter sizes: positive, in descending order.
  package static func rectangles(for sizes: [Int], in rectangle: Rectangle) -> [Rectangle] {
    let total = sizes.reduce(0.0) { $0 + Double($1) }
    guard total > 0 else { return [] }
    let areas = sizes.map { Double($0) * rectangle.area / total }
    var (rest, result) = (rectangle, [Rectangle]())
    var start = 0
    while start < areas.count {
      let end = endOfRow(areas, from: start, side: min(rest.width, rest.height))
      let row = areas[start..<end]
      result += place(row, in: &rest, isLast: end == areas.count)
      start = end
    }
    return result
  }

  /// The end of the row that starts at `start` along the shorter side of the space that is left: areas are added as long
  /// as the worst ratio of sides becomes better.
  private static func endOfRow(_ areas: [Double], from start: Int, side: Double) -> Int {
    var (sum, worst, end) = (0.0, Double.infinity, start)
    while end < areas.count {
      let next = sum + areas[end]
      // The areas descend: the first is the largest, the new one the smallest.
      let ratio = max(
        side * side * areas[start] / (next * next), next * next / (side * side * areas[end]))
      guard ratio <= worst || end == start else { break }
      (sum, worst, end) = (next, ratio, end + 1)
    }
    return end
  }

  /// Places a row along the shorter side of `rest`, and takes its space from it. The last row takes all, and the last
  /// area of a row what is left of the row, so that rounding leaves no gaps.
  private static func place(
    _ row: ArraySlice<Double>, in rest: inout Rectangle, isLast: Bool
  ) -> [Rectangle] {
    let sum = row.reduce(0, +)
    let isUpright = rest.width >= rest.height
    let (long, side) =
      isUpright ? (rest.width, rest.height) : (rest.height, rest.width)
    let thickness = isLast || side <= 0 ? long : min(long, sum / side)
    var (position, result) = (0.0, [Rectangle]())
    for (i, area) in zip(row.indices, row) {
      let length =
        i == row.endIndex - 1 ? side - position : min(side - position, side * area / sum)
      result.append(
        isUpright
          ? Rectangle(x: rest.x, y: rest.y + position, width: thickness, height: length)
          : Rectangle(x: rest.x + position, y: rest.y, width: length, height: thickness))
      position += length
    }
    if isUpright {
      rest.x += thickness
      rest.width -= thickness
    } else {
      rest.y += thickness
      rest.height -= thickness
    }
    return result
  }
}
