/// Assigns the boxes of a graph without cycles to columns, so that lines go from left to right: each box is as far to the
/// right as its lines and the height of the columns allow.
struct ColumnAssignment {
  /// The column of each box, from the left.
  let columns: [Int]
  let count: Int

  /// - Parameters:
  ///   - heights: of the boxes, with the space between them.
  ///   - lines: pairs of different boxes without cycles.
  ///   - limit: a column that is higher gets no further boxes.
  init(heights: [Int], lines: [(source: Int, target: Int)], limit: Int) {
    var sources = Array(repeating: [Int](), count: heights.count)
    var targetCounts = Array(repeating: 0, count: heights.count)
    for line in lines {
      sources[line.target].append(line.source)
      targetCounts[line.source] += 1
    }
    // Positions from the right.
    var places = Array(repeating: 0, count: heights.count)
    var used: [Int] = []
    var waiting = heights.indices.filter { targetCounts[$0] == 0 }
    var next = 0
    while next < waiting.count {
      let box = waiting[next]
      next += 1
      var place = places[box]
      while place < used.count, used[place] > 0, used[place] + heights[box] > limit { place += 1 }
      while used.count <= place { used.append(0) }
      used[place] += heights[box]
      places[box] = place
      for source in sources[box] {
        places[source] = max(places[source], place + 1)
        targetCounts[source] -= 1
        if targetCounts[source] == 0 { waiting.append(source) }
      }
    }
    count = used.count
    columns = places.map { [count] in count - 1 - $0 }
  }
}
