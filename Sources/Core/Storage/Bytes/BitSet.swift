/// A set of small non-negative numbers, stored as one bit per number.
@usableFromInline
package struct BitSet: Sendable {
  @usableFromInline private(set) var words: [UInt64] = []

  /// An empty set; it grows as numbers are inserted.
  package init() {}

  /// An empty set with room for the numbers below `count`.
  package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  /// The numbers whose bits are set in `words`; the lowest bit of the first word is number 0. A loop over
  /// the values of a leaf sets the bits of a word without a call per value.
  package init(words: [UInt64]) { self.words = words }

  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// How many numbers the set contains.
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Whether the set contains `number`, which is 0 or more.
  @inlinable
  package func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] >> UInt64(number & 63) & 1 != 0
  }

  /// Adds `number`.
  ///
  /// - Returns: false if the set already contained it.
  @discardableResult
  package mutating func insert(_ number: Int) -> Bool {
    grow(to: number + 1)
    let bit: UInt64 = 1 << UInt64(number & 63)
    guard words[number >> 6] & bit == 0 else { return false }
    words[number >> 6] |= bit
    return true
  }

  /// Adds all of `numbers`.
  ///
  /// - Returns: false if the set already contained one of them.
  @discardableResult
  package mutating func insert(_ numbers: Range<Int>) -> Bool {
    grow(to: numbers.upperBound)
    let word = numbers.lowerBound >> 6
    if !numbers.isEmpty, word == (numbers.upperBound - 1) >> 6 {
      // The usual case, because most nodes are small.
      let mask =
        (UInt64.max >> UInt64(64 - numbers.count)) << UInt64(numbers.lowerBound & 63)
      let isFree = words[word] & mask == 0
      words[word] |= mask
      return isFree
    }
    var isFree = true
    BitSet.eachWord(of: numbers) { word, mask in
      if words[word] & mask != 0 { isFree = false }
      words[word] |= mask
    }
    return isFree
  }

  /// Adds all numbers of `other`.
  package mutating func formUnion(_ other: BitSet) {
    grow(to: other.words.count << 6)
    for i in other.words.indices { words[i] |= other.words[i] }
  }

  /// The numbers of this set that are not in `other`.
  package func subtracting(_ other: BitSet) -> BitSet {
    var difference = self
    for i in words.indices.prefix(other.words.count) { difference.words[i] &= ~other.words[i] }
    return difference
  }

  /// Removes all numbers from `start` on.
  package mutating func removeAll(from start: Int) {
    guard words.count > start >> 6 else { return }
    words.removeSubrange((start >> 6 + 1)...)
    words[start >> 6] &= (1 << UInt64(start & 63)) - 1
  }

  /// Whether the set contains at least one of `numbers`.
  @inlinable
  package func contains(anyOf numbers: Range<Int>) -> Bool {
    var found = false
    BitSet.eachWord(of: numbers) { word, mask in
      if word < words.count, words[word] & mask != 0 { found = true }
    }
    return found
  }

  /// Whether the set contains all of `numbers`.
  package func contains(allOf numbers: Range<Int>) -> Bool {
    var hasAll = true
    BitSet.eachWord(of: numbers) { word, mask in
      if word >= words.count || words[word] & mask != mask { hasAll = false }
    }
    return hasAll
  }

  /// The runs of numbers in `range` that are not in the set, in ascending order.
  package func gaps(in range: Range<Int>) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var number = range.lowerBound
    while number < range.upperBound {
      number = next(from: number, isInSet: false, below: range.upperBound)
      let start = number
      number = next(from: number, isInSet: true, below: range.upperBound)
      if start < number { gaps.append(start..<number) }
    }
    return gaps
  }

  /// The runs of numbers in `range` that are in the set, in ascending order.
  package func runs(in range: Range<Int>) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = range.lowerBound
    for gap in gaps(in: range) {
      if start < gap.lowerBound { runs.append(start..<gap.lowerBound) }
      start = gap.upperBound
    }
    if start < range.upperBound { runs.append(start..<range.upperBound) }
    return runs
  }

  /// The last number in `range` that is in the set; nil if there is none.
  package func last(in range: Range<Int>) -> Int? {
    let end = range.upperBound
    var word = min(end >> 6, words.count)
    // The lowest bits of the word with `end`.
    var rest = word < words.count ? words[word] & ((1 << UInt64(end & 63)) - 1) : 0
    while rest == 0 {
      guard word > range.lowerBound >> 6 else { return nil }
      word -= 1
      rest = words[word]
    }
    let last = word << 6 + 63 - rest.leadingZeroBitCount
    return last >= range.lowerBound ? last : nil
  }

  /// The first number from `start` on that is in the set (`isInSet`) or not in it; `end` if there
  /// is none below `end`.
  private func next(from start: Int, isInSet: Bool, below end: Int) -> Int {
    var number = start
    while number < end {
      let word = number >> 6 < words.count ? words[number >> 6] : 0
      let rest = (isInSet ? word : ~word) >> UInt64(number & 63)
      if rest != 0 { return min(end, number + rest.trailingZeroBitCount) }
      // Continue with the next word.
      number = (number >> 6 + 1) << 6
    }
    return end
  }

  private mutating func grow(to count: Int) {
    let needed = (count + 63) >> 6
    if needed > words.count { words += Array(repeating: 0, count: needed - words.count) }
  }

  /// Calls `body` with the index of each word that covers some of `numbers`, and their bits in that word.
  @inlinable
  @inline(__always)
  static func eachWord(of numbers: Range<Int>, _ body: (Int, UInt64) -> Void) {
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let bit = number & 63
      let count = min(64 - bit, numbers.upperBound - number)
      body(number >> 6, (UInt64.max >> UInt64(64 - count)) << UInt64(bit))
      number += count
    }
  }
}
