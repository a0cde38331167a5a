import TestSupport
import Testing

@testable import RealmPictures

@Suite("Treemap")
struct TreemapTests {
  private let space = Treemap.Rectangle(x: 10, y: 20, width: 600, height: 400)

  @Test("the example of the paper: areas 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4")
  func example() {
    let rectangles = Treemap.rectangles(
      for: [6, 6, 4, 3, 2, 2, 1], in: Treemap.Rectangle(x: 0, y: 0, width: 6, height: 4))
    // Figure 5 of Bruls, Huizing and van Wijk: two areas of 3 by 2 on the left, then 4 and 3 above the rest.
    let expected: [(Double, Double)] = [
      (3, 2), (3, 2), (12 / 7, 7 / 3), (9 / 7, 7 / 3), (1.2, 5 / 3), (1.2, 5 / 3), (0.6, 5 / 3),
    ]
    #expect(rectangles.count == expected.count)
    for (rectangle, sides) in zip(rectangles, expected) {
      #expect(abs(rectangle.width - sides.0) < 1e-9, "\(rectangle)")
      #expect(abs(rectangle.height - sides.1) < 1e-9, "\(rectangle)")
    }
  }

  @Test("areas are proportional, inside of the space, and do not overlap")
  func proportional() {
    var random = SplitMix64(seed: 7)
    for count in [1, 2, 3, 10, 100] {
      let sizes = (0..<count).map { _ in Int.random(in: 1...1_000_000, using: &random) }
        .sorted(by: >)
      let rectangles = Treemap.rectangles(for: sizes, in: space)
      let total = sizes.reduce(0, +)
      for (size, rectangle) in zip(sizes, rectangles) {
        let expected = Double(size) / Double(total) * space.area
        #expect(abs(rectangle.area - expected) < 1e-6 * space.area, "\(sizes)")
        #expect(rectangle.x >= space.x && rectangle.y >= space.y)
        #expect(rectangle.x + rectangle.width <= space.x + space.width + 1e-6)
        #expect(rectangle.y + rectangle.height <= space.y + space.height + 1e-6)
      }
      for i in rectangles.indices {
        for j in rectangles.indices where j > i {
          let (a, b) = (rectangles[i], rectangles[j])
          let width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
          let height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
          #expect(width < 1e-6 || height < 1e-6, "\(sizes): \(a) and \(b)")
        }
      }
    }
  }

  @Test("sizes that differ by far, and none, end in a layout")
  func extremes() {
    #expect(Treemap.rectangles(for: [], in: space).isEmpty)
    let sizes = [Int.max / 2, 1_000_000, 1, 1, 1]
    let rectangles = Treemap.rectangles(for: sizes, in: space)
    #expect(rectangles.count == 5)
    #expect(rectangles.allSatisfy { $0.width >= 0 && $0.height >= 0 && $0.area.isFinite })
    let flat = Treemap.Rectangle(x: 0, y: 0, width: 10, height: 0)
    #expect(Treemap.rectangles(for: [3, 2], in: flat).allSatisfy { $0.area == 0 })
  }
}
