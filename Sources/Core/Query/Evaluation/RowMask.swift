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
    self = unsafe values.withUnsafeBufferPointer { values in
      RowMask(count: values.count) { unsafe isIn(values[$0]) }
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

  /// The elements of `values`, one for each row, whose rows are in the set.
  func elements<Element>(of values: [Element]) -> [Element] {
    precondition((self - RowMask(count: values.count)).isEmpty, "each row must have a value")
    let count = count
    return unsafe [Element](unsafeUninitializedCapacity: count) { out, initialized in
      unsafe values.withUnsafeBufferPointer { values in
        var next = 0
        forEachRow {
          unsafe (out.baseAddress.unsafelyUnwrapped + next).initialize(to: values[$0])
          next &+= 1
        }
      }
      initialized = count
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
