/// Determines how far down the items of columns are: near the items that lines connect them with, in their order, and with
/// space between them.
struct ItemPlacement {
  /// Space between two boxes, between a box and a passage, and between two passages.
  static let boxGap = 28
  static let passageGap = 16
  static let lineGap = 9
  /// Passages of long lines should be in line with each other.
  private static let passageWeight = 4.0

  private let layout: LayeredColumns
  /// The top of each item.
  private var tops: [Double]

  /// - Returns: the top of each item, at least 0.
  static func tops(of layout: LayeredColumns, passes: Int) -> [Int] {
    var placement = ItemPlacement(layout)
    for pass in 0..<passes { placement.move(isRightward: pass.isMultiple(of: 2)) }
    // Rounding keeps the gaps, which are whole numbers.
    let tops = placement.tops.map { Int($0.rounded()) }
    let first = tops.min() ?? 0
    return tops.map { $0 - first }
  }

  private init(_ layout: LayeredColumns) {
    self.layout = layout
    tops = Array(repeating: 0, count: layout.items.count)
    for column in layout.columns {
      for (item, offset) in zip(column, ItemPlacement.offsets(of: column, layout)) {
        tops[item] = Double(offset)
      }
    }
  }

  /// The tops of the items of a column that are as close together as possible, the first one at 0.
  private static func offsets(of column: [Int], _ layout: LayeredColumns) -> [Int] {
    var (offsets, top) = ([Int](), 0)
    for (i, item) in column.enumerated() {
      if i > 0 {
        let isPassage = (layout.items[column[i - 1]].box == nil, layout.items[item].box == nil)
        switch isPassage {
        case (true, true): top += lineGap
        case (false, false): top += boxGap
        default: top += passageGap
        }
      }
      offsets.append(top)
      top += layout.items[item].height
    }
    return offsets
  }

  private mutating func move(isRightward: Bool) {
    let order = layout.columns.indices
    for column in isRightward ? Array(order) : order.reversed() {
      // Where lines between this column and the ones on both sides would be level.
      var wishes: [Int: (sum: Double, count: Double)] = [:]
      func wish(_ item: Int, _ top: Double, _ weight: Double) {
        let before = wishes[item] ?? (0, 0)
        wishes[item] = (before.sum + top * weight, before.count + weight)
      }
      // The column that has moved already counts more.
      let (before, after) = isRightward ? (4.0, 1.0) : (1.0, 4.0)
      if column > 0 {
        for piece in layout.pieces[column - 1] {
          wish(
            piece.right, tops[piece.left] + Double(piece.leftOffset - piece.rightOffset), before)
        }
      }
      if column < layout.pieces.count {
        for piece in layout.pieces[column] {
          wish(piece.left, tops[piece.right] + Double(piece.rightOffset - piece.leftOffset), after)
        }
      }
      place(layout.columns[column], wishes)
    }
  }

  /// Moves the items of a column as near as possible to their wishes: the sum of the squared distances, times the weights, is
  /// the least for which the order and the gaps hold. This is isotonic regression, by the pool-adjacent-violators
  /// algorithm.
  private mutating func place(_ column: [Int], _ wishes: [Int: (sum: Double, count: Double)]) {
    let offsets = ItemPlacement.offsets(of: column, layout)
    // Items that stick together: their common shift against `offsets`, its weight, and how many they are.
    var pools: [(shift: Double, weight: Double, count: Int)] = []
    for (item, offset) in zip(column, offsets) {
      let wish = wishes[item]
      let isPassage = layout.items[item].box == nil
      let weight = wish.map { _ in isPassage ? ItemPlacement.passageWeight : 1 } ?? 0.05
      let top = wish.map { $0.sum / $0.count } ?? tops[item]
      pools.append((top - Double(offset), weight, 1))
      while pools.count > 1, pools[pools.count - 2].shift >= pools[pools.count - 1].shift {
        let (last, before) = (pools.removeLast(), pools.removeLast())
        let weight = before.weight + last.weight
        pools.append(
          (
            (before.shift * before.weight + last.shift * last.weight) / weight, weight,
            before.count + last.count
          ))
      }
    }
    var i = 0
    for pool in pools {
      for _ in 0..<pool.count {
        tops[column[i]] = Double(offsets[i]) + pool.shift
        i += 1
      }
    }
  }
}
