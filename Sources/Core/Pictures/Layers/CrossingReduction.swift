/// Orders the items of columns so that few lines cross: sweeps to the right and to the left, in which each item moves to the
/// mean position of its neighbours in the column before, the barycentre (Sugiyama, Tagawa and Toda 1981). The best order
/// found is kept.
struct CrossingReduction {
  private var columns: [[Int]]
  private let pieces: [[LayeredColumns.Piece]]
  private let heights: [Int]
  private var positions: [Int]

  /// - Returns: the columns with their items in the order with the fewest crossings.
  static func ordered(_ layout: LayeredColumns, sweeps: Int) -> [[Int]] {
    var reduction = CrossingReduction(layout)
    return reduction.best(sweeps: sweeps)
  }

  private init(_ layout: LayeredColumns) {
    (columns, pieces) = (layout.columns, layout.pieces)
    heights = layout.items.map(\.height)
    positions = Array(repeating: 0, count: layout.items.count)
    for column in columns.indices { notePositions(of: column) }
  }

  private mutating func best(sweeps: Int) -> [[Int]] {
    var (best, fewest) = (columns, crossings())
    for sweep in 0..<sweeps where fewest > 0 {
      if sweep.isMultiple(of: 2) {
        for column in columns.indices.dropFirst() {
          order(column, pieces[column - 1].map { ($0.right, $0.left, $0.leftOffset) })
        }
      } else {
        for column in columns.indices.dropLast().reversed() {
          order(column, pieces[column].map { ($0.left, $0.right, $0.rightOffset) })
        }
      }
      let count = crossings()
      if count < fewest { (best, fewest) = (columns, count) }
    }
    return best
  }

  private mutating func notePositions(of column: Int) {
    for (i, item) in columns[column].enumerated() { positions[item] = i }
  }

  /// Moves the items of a column to the barycentres of their neighbours; an item without neighbours keeps its position.
  private mutating func order(
    _ column: Int, _ neighbors: [(item: Int, neighbor: Int, offset: Int)]
  ) {
    var sums: [Int: (sum: Double, count: Int)] = [:]
    for (item, neighbor, offset) in neighbors {
      let height = Double(max(1, heights[neighbor]))
      let place = Double(positions[neighbor]) + Double(offset) / height
      let before = sums[item] ?? (0, 0)
      sums[item] = (before.sum + place, before.count + 1)
    }
    let centres = columns[column].map { item in
      sums[item].map { $0.sum / Double($0.count) } ?? Double(positions[item])
    }
    let order = columns[column].indices.sorted { (centres[$0], $0) < (centres[$1], $1) }
    columns[column] = order.map { columns[column][$0] }
    notePositions(of: column)
  }

  /// The number of pairs of pieces that cross.
  private func crossings() -> Int {
    pieces.reduce(0) { total, pieces in
      let fromLeft = pieces.sorted {
        left($0) == left($1) ? right($0) < right($1) : left($0) < left($1)
      }
      return total + CrossingReduction.inversions(fromLeft.map(right))
    }
  }

  /// Where the left end of a piece is.
  private func left(_ piece: LayeredColumns.Piece) -> (Int, Int) {
    (positions[piece.left], piece.leftOffset)
  }

  /// Where the right end of a piece is.
  private func right(_ piece: LayeredColumns.Piece) -> (Int, Int) {
    (positions[piece.right], piece.rightOffset)
  }

  /// The number of pairs in the wrong order, counted while they are merged into the right one.
  static func inversions(_ values: [(Int, Int)]) -> Int {
    var (sorted, count, length) = (values, 0, 1)
    while length < sorted.count {
      var merged: [(Int, Int)] = []
      merged.reserveCapacity(sorted.count)
      for start in stride(from: 0, to: sorted.count, by: 2 * length) {
        let middle = min(start + length, sorted.count)
        let end = min(middle + length, sorted.count)
        var (a, b) = (start, middle)
        while a < middle || b < end {
          if b == end || (a < middle && sorted[a] <= sorted[b]) {
            merged.append(sorted[a])
            a += 1
          } else {
            merged.append(sorted[b])
            b += 1
            count += middle - a
          }
        }
      }
      sorted = merged
      length *= 2
    }
    return count
  }
}
