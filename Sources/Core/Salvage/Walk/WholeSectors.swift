/// The whole sectors of equal words that were overwritten, or were copied.
///
/// Words beside them can be equal, too, if they are zeros or another repeated word, or occur all around.
struct WholeSectors {
  /// How far around the sectors words are counted, and how often a word occurs there that is in any place.
  private static let (window, leastOccurrences) = (512, 8)

  let range: Range<Int>
  /// The equal words before and after the sectors; those of a word that is repeated just up to the sectors count once.
  private(set) var beside = (before: 0, after: 0)
  /// The places of these words, without those of a repeated word.
  private(set) var others: [Int] = []

  /// - Returns: nil if the range has other words beside whole sectors.
  init?(in range: Range<Int>, _ words: SectorWords) {
    let size = SectorSigns.byteCount / 8
    func isByChance(_ beside: Range<Int>) -> Bool {
      beside.count > 1 || beside.allSatisfy { words[$0] == 0 }
    }
    var (lower, upper) = (range.lowerBound, range.upperBound)
    if lower % size != 0 {
      lower = range.first { words[$0] != words[range.lowerBound] } ?? upper
      beside.before = 1
      if lower % size != 0 || !isByChance(range.lowerBound..<lower) {
        lower = min(upper, (range.lowerBound / size + 1) * size)
        beside.before = lower - range.lowerBound
        others += range.lowerBound..<lower
      }
    }
    if upper % size != 0 {
      upper = range.last { words[$0] != words[range.upperBound - 1] }.map { $0 + 1 } ?? lower
      beside.after = 1
      if upper % size != 0 || !isByChance(upper..<range.upperBound) {
        upper = max(lower, range.upperBound / size * size)
        beside.after = range.upperBound - upper
        others += upper..<range.upperBound
      }
    }
    guard lower < upper else { return nil }
    self.range = lower..<upper
  }

  /// Whether the words beside the sectors occur all around, so that they are in any place by chance.
  func hasWordsOfAnyPlace(_ words: SectorWords) -> Bool {
    let around = [
      max(0, range.lowerBound - WholeSectors.window)..<range.lowerBound,
      range.upperBound..<min(words.count, range.upperBound + WholeSectors.window),
    ].joined()
    return others.allSatisfy { place in
      around.count { words[$0] == words[place] } >= WholeSectors.leastOccurrences
    }
  }
}
