import TestSupport
import Testing

@testable import RealmPictures

@Suite("Layered layout")
struct LayeredLayoutTests {
  private func graph(_ count: Int, _ lines: [(Int, Int)], height: Int = 60) -> LayeredGraph {
    LayeredGraph(
      boxes: Array(repeating: LayeredGraph.Box(width: 100, height: height), count: count),
      lines: lines.map {
        LayeredGraph.Line(source: $0.0, target: $0.1, sourceOffset: 40, targetOffset: 13)
      })
  }

  /// Random boxes and lines, also several between the same boxes and from a box to itself.
  private func random(
    _ count: Int, _ lineCount: Int, _ random: inout SplitMix64
  ) -> LayeredGraph {
    let boxes = (0..<count).map { _ in
      LayeredGraph.Box(
        width: Int.random(in: 80...300, using: &random),
        height: Int.random(in: 30...900, using: &random))
    }
    let lines = (0..<lineCount).map { _ in
      let source = Int.random(in: 0..<count, using: &random)
      return LayeredGraph.Line(
        source: source, target: Int.random(in: 0..<count, using: &random),
        sourceOffset: Int.random(in: 0..<boxes[source].height, using: &random), targetOffset: 13)
    }
    return LayeredGraph(boxes: boxes, lines: lines)
  }

  @Test("lines go from left to right, one column after the other")
  func chain() {
    let layout = LayeredLayout(graph(3, [(0, 1), (1, 2), (0, 2)]))
    #expect(layout.boxes[0].x < layout.boxes[1].x)
    #expect(layout.boxes[1].x < layout.boxes[2].x)
    #expect(layout.routes.map { $0?.count } == [2, 2, 4])
    #expect(layout.routes[0]?.first?.x == layout.boxes[0].x + layout.boxes[0].width)
    #expect(layout.routes[0]?.first?.y == layout.boxes[0].y + 40)
    #expect(
      layout.routes[0]?.last
        == LayeredLayout.Point(
          x: layout.boxes[1].x, y: layout.boxes[1].y + 13))
  }

  @Test("one line of a cycle goes back, and ends at the right side of its target")
  func cycle() throws {
    let layout = LayeredLayout(graph(2, [(0, 1), (1, 0)]))
    let routes = try layout.routes.map { try #require($0) }
    #expect(routes.count { $0[0].x < $0[1].x } == 1)
    let back = try #require(routes.firstIndex { $0[0].x > $0[1].x })
    let target = layout.boxes[back == 0 ? 1 : 0]
    #expect(routes[back].last?.x == target.x + target.width)
  }

  @Test("no line crosses if the order of a column allows it")
  func crossings() throws {
    // In the given order, the lines of four pairs would cross six times.
    let layout = LayeredLayout(graph(8, [(0, 7), (1, 6), (2, 5), (3, 4), (0, 6), (1, 5), (2, 4)]))
    let ends = try layout.routes.map { try #require($0) }.map { ($0[0].y, $0[1].y) }.sorted(by: <)
    for (a, b) in zip(ends, ends.dropFirst()) { #expect(a.1 <= b.1, "\(ends)") }
  }

  @Test("inversions are counted")
  func inversions() {
    let values = [(3, 0), (1, 0), (2, 0), (2, 0), (0, 5), (0, 4)]
    // By hand: 3 is before five smaller ones, 1 before two, each 2 before two, and 5 before 4.
    #expect(CrossingReduction.inversions(values) == 12)
    #expect(CrossingReduction.inversions([]) == 0)
  }

  @Test("few lines are reversed, and those left have no cycle")
  func directions() {
    // A cycle of five with a chord that closes a second one over the same line.
    let lines = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 4)].map {
      (source: $0.0, target: $0.1)
    }
    #expect(LineDirections(count: 5, lines: lines).isReversed.count(where: \.self) == 1)
    var numbers = SplitMix64(seed: 5)
    for _ in 0..<50 {
      let lines = (0..<40).map { _ in
        (
          source: Int.random(in: 0..<10, using: &numbers),
          target: Int.random(in: 10..<20, using: &numbers)
        )
      }.map { Bool.random(using: &numbers) ? $0 : (source: $0.target, target: $0.source) }
      let isReversed = LineDirections(count: 20, lines: lines).isReversed
      var left = zip(lines, isReversed).map { $1 ? ($0.target, $0.source) : ($0.source, $0.target) }
      // Boxes without lines from others are removed until nothing is left.
      while true {
        let targets = Set(left.map(\.1))
        let kept = left.filter { targets.contains($0.0) }
        guard kept.count < left.count else { break }
        left = kept
      }
      #expect(left.isEmpty)
      #expect(isReversed.count(where: \.self) <= lines.count / 2)
    }
  }

  @Test("boxes do not overlap and no line goes through a box, in random graphs")
  func random() {
    for seed in 0..<60 {
      var numbers = SplitMix64(seed: UInt64(seed))
      let count = Int.random(in: 1...60, using: &numbers)
      let graph = random(count, Int.random(in: 0...120, using: &numbers), &numbers)
      let layout = LayeredLayout(graph)
      check(layout, graph, "seed \(seed)")
      #expect(layout.boxes == LayeredLayout(graph).boxes)
      #expect(layout.routes == LayeredLayout(graph).routes)
    }
  }

  private func check(_ layout: LayeredLayout, _ graph: LayeredGraph, _ comment: Comment) {
    for (i, a) in layout.boxes.enumerated() {
      #expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= layout.width, comment)
      #expect(a.y + a.height <= layout.height && a.width >= graph.boxes[i].width, comment)
      for b in layout.boxes[(i + 1)...] {
        let isApart =
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y
          || b.y + b.height <= a.y
        #expect(isApart, comment)
      }
    }
    for (line, route) in zip(graph.lines, layout.routes) {
      guard let route else {
        Issue.record(comment)
        continue
      }
      let (source, target) = (layout.boxes[line.source], layout.boxes[line.target])
      #expect(route.first?.y == source.y + line.sourceOffset, comment)
      #expect(route.last?.y == target.y + line.targetOffset, comment)
      #expect([source.x, source.x + source.width].contains(route.first?.x ?? -1), comment)
      #expect([target.x, target.x + target.width].contains(route.last?.x ?? -1), comment)
      for (from, to) in zip(route, route.dropFirst()) {
        // A bend stays within the rectangle of its ends.
        let (left, right) = (min(from.x, to.x), max(from.x, to.x))
        let (top, bottom) = (min(from.y, to.y), max(from.y, to.y))
        for box in layout.boxes {
          let isThrough =
            left < box.x + box.width && right > box.x && top < box.y + box.height && bottom > box.y
          #expect(!isThrough, "\(comment): \(from) to \(to) and \(box)")
        }
      }
    }
  }

  @Test("ten thousand boxes in a chain with lines over all of it end in a layout")
  func large() {
    let count = 10_000
    let lines = (0..<(count - 1)).map { ($0, $0 + 1) } + (0..<(count - 1)).map { ($0, count - 1) }
    let layout = LayeredLayout(graph(count, lines))
    // The short lines are drawn, the longest ones left out.
    #expect(layout.routes.prefix(count - 1).allSatisfy { $0 != nil })
    #expect(layout.routes[count - 1] == nil)
  }
}
