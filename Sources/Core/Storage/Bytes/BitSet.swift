/// A set of small numbers, a bit each.
package struct BitSet: Sendable {
  private var words: [UInt64] = []

  /// No number; room is made as numbers come.
  package init() {}

  /// No number, with room for those below `count`.
  package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  /// The numbers whose bits are set in `words`, the lowest bit of the first word for 0: for loops over the
  /// values of a leaf, which set bits without a call each.
  package init(words: [UInt64]) { self.words = words }

  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// Number of numbers in the set.
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// True where `number`, 0 or more, is in the set.
  package func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] >> UInt64(number & 63) & 1 != 0
  }

  /// - Returns: false where it was there before.
  @discardableResult
  package mutating func insert(_ number: Int) -> Bool {
    grow(to: number + 1)
    let bit: UInt64 = 1 << UInt64(number & 63)
    guard words[number >> 6] & bit == 0 else { return false }
    words[number >> 6] |= bit
    return true
  }

  /// - Returns: false where one of them was there before.
  @discardableResult
  package mutating func insert(_ numbers: Range<Int>) -> Bool {
    grow(to: numbers.upperBound)
    let word = numbers.lowerBound >> 6
    if !numbers.isEmpty, word == (numbers.upperBound - 1) >> 6 {
      // Nearly always: a node takes few units.
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

  /// Takes the numbers from `start` on out of the set.
  package mutating func removeAll(from start: Int) {
    guard words.count > start >> 6 else { return }
    words.removeSubrange((start >> 6 + 1)...)
    words[start >> 6] &= (1 << UInt64(start & 63)) - 1
  }

  package func contains(anyOf numbers: Range<Int>) -> Bool {
    var found = false
    BitSet.eachWord(of: numbers) { word, mask in
      if word < words.count, words[word] & mask != 0 { found = true }
    }
    return found
  }

  package func contains(allOf numbers: Range<Int>) -> Bool {
    var areThere = true
    BitSet.eachWord(of: numbers) { word, mask in
      if word >= words.count || words[word] & mask != mask { areThere = false }
    }
    return areThere
  }

  /// The runs of numbers in `range` that are not in the set, ascending.
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

  /// The first number from `start` on that is in the set, or is not; `end` where there is none below it.
  private func next(from start: Int, isInSet: Bool, below end: Int) -> Int {
    var number = start
    while number < end {
      let word = number >> 6 < words.count ? words[number >> 6] : 0
      let rest = (isInSet ? word : ~word) >> UInt64(number & 63)
      if rest != 0 { return min(end, number + rest.trailingZeroBitCount) }
      // On to the next word.
      number = (number >> 6 + 1) << 6
    }
    return end
  }

  private mutating func grow(to count: Int) {
    let needed = (count + 63) >> 6
    if needed > words.count { words += Array(repeating: 0, count: needed - words.count) }
  }

  /// Calls `body` with each word that has some of `numbers`, and the bits of those.
  @inline(__always)
  private static func eachWord(of numbers: Range<Int>, _ body: (Int, UInt64) -> Void) {
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let bit = number & 63
      let count = min(64 - bit, numbers.upperBound - number)
      body(number >> 6, (UInt64.max >> UInt64(64 - count)) << UInt64(bit))
      number += count
    }
  }
}
