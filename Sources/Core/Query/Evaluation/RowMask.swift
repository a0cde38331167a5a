import RealmModel

/// A set of rows of up to ``ObjectBatch/capacity`` objects.
struct RowMask: Sendable, Equatable {
  /// Row 0 is the lowest bit of the first word.
  private var words: SIMD4<UInt64>

  private init(words: SIMD4<UInt64>) { self.words = words }

  static let none = RowMask(words: .zero)

  /// The rows `0..<count`.
  init(count: Int) {
    words = .zero
    for i in 0..<4 {
      let rest = count - i * 64
      words[i] = rest >= 64 ? .max : rest > 0 ? 1 << UInt64(rest) &- 1 : 0
    }
  }

  /// The rows below `count` for which `isIn` is true. Inlined, so that a loop over a column has a constant
  /// shape.
  @inline(__always)
  init(count: Int, where isIn: (Int) -> Bool) {
    words = .zero
    var row = 0
    while row < count {
      let end = Swift.min(row &+ 64, count)
      var word: UInt64 = 0
      for i in row..<end { word |= (isIn(i) ? 1 : 0) << UInt64(truncatingIfNeeded: i &- row) }
      words[row >> 6] = word
      row = end
    }
  }

  /// The rows with values for which `isIn` is true.
  @inline(__always)
  init<Value>(of values: [Value], where isIn: (Value) -> Bool) {
    words = .zero
    var rest = values.makeIterator()
    for i in 0..<4 {
      var (word, bit): (UInt64, UInt64) = (0, 0)
      while bit < 64, let value = rest.next() {
        word |= (isIn(value) ? 1 : 0) << bit
        bit &+= 1
      }
      words[i] = word
    }
  }

  var isEmpty: Bool { words == .zero }

  /// Number of rows in the set.
  var count: Int {
    words[0].nonzeroBitCount + words[1].nonzeroBitCount + words[2].nonzeroBitCount
      + words[3].nonzeroBitCount
  }

  subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }

  mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  /// The rows in ascending order.
  var rows: [Int] {
    var rows: [Int] = []
    rows.reserveCapacity(count)
    forEachRow { rows.append($0) }
    return rows
  }

  /// Calls `body` with the rows in ascending order. Inlined: faster than the iterator.
  @inline(__always)
  func forEachRow(_ body: (Int) -> Void) {
    for i in 0..<4 {
      var word = words[i]
      while word != 0 {
        body(i &* 64 &+ word.trailingZeroBitCount)
        word &= word &- 1
      }
    }
  }

  static func & (a: RowMask, b: RowMask) -> RowMask { RowMask(words: a.words & b.words) }
  static func | (a: RowMask, b: RowMask) -> RowMask { RowMask(words: a.words | b.words) }
  /// The rows of `a` that are not in `b`.
  static func - (a: RowMask, b: RowMask) -> RowMask { RowMask(words: a.words & ~b.words) }
}

extension RowMask: Sequence {
  /// Returns the rows in ascending order.
  struct Iterator: IteratorProtocol {
    fileprivate var words: SIMD4<UInt64>
    fileprivate var position = 0

    mutating func next() -> Int? {
      while words[position] == 0 {
        guard position < 3 else { return nil }
        position += 1
      }
      let bit = words[position].trailingZeroBitCount
      words[position] &= words[position] &- 1
      return position * 64 + bit
    }
  }

  func makeIterator() -> Iterator { Iterator(words: words) }
}
