import RealmStorage

/// The bytes of a plain file as words of eight bytes, for ``SectorSigns``.
@safe
struct SectorWords {
  private let words: UnsafeBufferPointer<UInt64>

  @unsafe
  init(_ words: UnsafeBufferPointer<UInt64>) { unsafe self.words = words }

  var count: Int { unsafe words.count }

  subscript(index: Int) -> UInt64 { unsafe words[index] }

  /// Whether all words in `range` are 0.
  func isZero(_ range: Range<Int>) -> Bool { range.allSatisfy { self[$0] == 0 } }

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
