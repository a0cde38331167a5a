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
    // Eight rows without a branch and without a shift by a variable, as long as there are eight.
    while row &+ 8 <= count {
      var bits: UInt64 = isIn(row) ? 1 : 0
      bits |= isIn(row &+ 1) ? 2 : 0
      bits |= isIn(row &+ 2) ? 4 : 0
      bits |= isIn(row &+ 3) ? 8 : 0
      bits |= isIn(row &+ 4) ? 16 : 0
      bits |= isIn(row &+ 5) ? 32 : 0
      bits |= isIn(row &+ 6) ? 64 : 0
      bits |= isIn(row &+ 7) ? 128 : 0
      words[row &>> 6] |= bits &<< UInt64(truncatingIfNeeded: row & 63)
      row &+= 8
    }
    while row < count {
      if isIn(row) { insert(row) }
      row &+= 1
    }
  }

  /// The rows with values for which `isIn` is true.
  @inline(__always)
  init<Value>(of values: [Value], where isIn: (Value) -> Bool) {
    self = unsafe values.withUnsafeBufferPointer { unsafe RowMask(of: $0, where: isIn) }
  }

  /// The rows with values for which `isIn` is true, for values in a buffer.
  @inline(__always)
  init<Value>(of values: UnsafeBufferPointer<Value>, where isIn: (Value) -> Bool) {
    self = RowMask(count: values.count) { unsafe isIn(values[$0]) }
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

  /// Appends the elements of `values`, one for each row, whose rows are in the set.
  @inline(__always)
  func append<Element: BitwiseCopyable>(
    elementsOf values: UnsafeBufferPointer<Element>, to target: inout [Element]
  ) {
    precondition((self - RowMask(count: values.count)).isEmpty, "each row must have a value")
    // First on the stack: appending them one by one takes five times as long.
    for i in 0..<4 {
      unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: 64) { found in
        var next = 0
        var word = words[i]
        while word != 0 {
          unsafe (found.baseAddress.unsafelyUnwrapped + next)
            .initialize(to: values[i &* 64 &+ word.trailingZeroBitCount])
          next &+= 1
          word &= word &- 1
        }
        unsafe target.append(contentsOf: UnsafeBufferPointer(rebasing: found[..<next]))
      }
    }
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
