import RealmStorage

/// The bytes of a plain file as words of eight bytes, for ``SectorSigns``.
@safe
struct SectorWords {
  /// A factor of the hash; odd, so that no word is lost.
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let words: UnsafeBufferPointer<UInt64>

  @unsafe
  init(_ words: UnsafeBufferPointer<UInt64>) { unsafe self.words = words }

  var count: Int { unsafe words.count }

  subscript(index: Int) -> UInt64 { unsafe words[index] }

  /// Whether all words in `range` are equal.
  func isOneWord(_ range: Range<Int>) -> Bool {
    for i in range where self[i] != self[range.lowerBound] { return false }
    return true
  }

  /// The number of different words in `range`, at most `limit`.
  func differentWords(in range: Range<Int>, limit: Int) -> Int {
    var seen: [UInt64] = []
    seen.reserveCapacity(limit)
    for i in range where !seen.contains(self[i]) {
      seen.append(self[i])
      if seen.count == limit { break }
    }
    return seen.count
  }

  /// Whether the word before or after `range` is also in it.
  func goesOn(beside range: Range<Int>) -> Bool {
    let beside = [range.lowerBound - 1, range.upperBound].filter { $0 >= 0 && $0 < count }
    return beside.contains { place in range.contains { self[$0] == self[place] } }
  }

  /// How many words from two places on are equal, at most `limit`.
  func equalCount(from one: Int, _ two: Int, limit: Int) -> Int {
    let end = min(limit, count - max(one, two))
    var i = 0
    while i < end, self[one + i] == self[two + i] { i += 1 }
    return i
  }

  /// How many words before two places are equal, at most `limit`.
  func equalCount(before one: Int, _ two: Int, limit: Int) -> Int {
    let end = min(limit, min(one, two))
    var i = 0
    while i < end, self[one - 1 - i] == self[two - 1 - i] { i += 1 }
    return i
  }

  // MARK: Hashes

  private static func mixed(_ word: UInt64) -> UInt64 { (word ^ word >> 32) &* factor }

  func hash(_ range: Range<Int>) -> UInt64 {
    range.reduce(0) { $0 &* SectorWords.factor &+ SectorWords.mixed(self[$1]) }
  }

  /// Calls `body` with each place and the hash of the `window` words from there.
  func forEachHash(window: Int, _ body: (_ place: Int, _ hash: UInt64) -> Void) {
    var power: UInt64 = 1
    for _ in 0..<window { power = power &* SectorWords.factor }
    var hash = self.hash(0..<window)
    body(0, hash)
    for end in window..<max(window, count) {
      hash =
        hash &* SectorWords.factor &+ SectorWords.mixed(self[end])
        &- SectorWords.mixed(self[end - window]) &* power
      body(end - window + 1, hash)
    }
  }

  // MARK: Noise

  /// Whether the bytes look random: those at each position of a word, too. Numbers, dates and text repeat
  /// at least some of them.
  func isNoise(_ range: Range<Int>) -> Bool {
    // Each bit is 0 and 1 in random words; those of numbers, dates and letters are often the same.
    let (ones, zeros) = range.reduce((UInt64(0), UInt64(0))) { ($0.0 | self[$1], $0.1 | ~self[$1]) }
    guard ones == .max, zeros == .max else { return false }
    return NoiseTest.isNoise(range.lazy.map { self[$0] })
  }
}

/// Tells random bytes from others by how many of them are different.
enum NoiseTest {
  /// Of random bytes, at most one of billions of sectors has fewer different ones than these fractions of
  /// those expected: at one position of the words, and at all.
  private static let (leastPart, leastTotalPart) = (0.8, 0.93)
  private static let lanes = 8
  private static let byteValues = 256

  static func isNoise(_ words: some Sequence<UInt64>) -> Bool {
    var seen = Array(repeating: UInt64(0), count: lanes * byteValues / 64)
    var count = 0
    for word in words {
      count += 1
      for lane in 0..<lanes {
        let byte = Int(word >> UInt64(8 * lane) & 0xFF)
        seen[lane * 4 + byte >> 6] |= 1 << UInt64(byte & 63)
      }
    }
    let expected = expectedCounts[min(count, expectedCounts.count - 1)]
    var total = 0
    for lane in 0..<lanes {
      let different = (0..<4).reduce(0) { $0 + seen[lane * 4 + $1].nonzeroBitCount }
      guard Double(different) >= leastPart * expected else { return false }
      total += different
    }
    return Double(total) >= leastTotalPart * expected * Double(lanes)
  }

  /// Whether a few bytes look random: most of them are different.
  static func isShortNoise(_ words: [UInt64]) -> Bool {
    var seen = Set<UInt8>()
    for word in words {
      for lane in 0..<lanes { seen.insert(UInt8(truncatingIfNeeded: word >> UInt64(8 * lane))) }
    }
    return Double(seen.count) >= leastShortPart * expectedCounts[words.count * lanes]
  }

  private static let leastShortPart = 0.85

  /// The expected number of different values among so many random bytes.
  private static let expectedCounts: [Double] = {
    var counts = [0.0]
    while counts.count <= SectorSigns.byteCount {
      counts.append(counts[counts.count - 1] * (1 - 1 / Double(byteValues)) + 1)
    }
    return counts
  }()
}
