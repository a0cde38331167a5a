import RealmStorage

/// The bytes of a plain file that are there twice, and so that one of the two was overwritten by the other.
///
/// A disk copies whole sectors by mistake. Values of an app can be equal, too, but begin and end anywhere.
struct SectorCopies: Sendable {
  /// In a larger file, only whole blocks are compared: sectors would take too much memory.
  private static let comparedByteLimit = 1 << 29
  /// More equal ranges than these prove nothing.
  private static let candidateLimit = 1 << 16
  /// How often a word may be compared with others, on average.
  private static let comparisonsPerWord = 16
  /// The most equal bytes that a disk copies by mistake: 16 blocks.
  private static let copyWordLimit = 16 * DamageWalk.blockByteCount / 8
  /// With fewer different words, values that repeat can be equal by chance: in a sector, and in all equal words.
  private static let (leastDifferentWords, leastUnlikelyWords) = (6, 12)
  /// The fewest words by which bytes that were moved within a block repeat; fewer count only if all words
  /// around them differ.
  private static let leastRepeatedWords = 8
  /// In so many undamaged sectors, one can begin with the few words before it.
  private static let sectorsPerShortRepeat = 4096
  private static let wordsPerSector = SectorSigns.wordsPerSector

  /// Two equal ranges of bytes of which one can have overwritten the other. The bytes before them
  /// differ, as do those after them.
  struct Copy: Equatable, Sendable {
    let first: Range<Int>
    let second: Range<Int>
    /// Whether equal bytes of an app would hardly begin and end exactly here.
    var isUnlikely: Bool

    /// Whether one range follows the other: bytes that were moved by less than their number.
    var isRepeat: Bool { first.upperBound == second.lowerBound }
  }

  private(set) var all: [Copy] = []
  /// The sectors with several different words whose bytes are those of another sector, too.
  private(set) var equalSectors = BitSet()

  /// No copies.
  init() {}

  init(in words: SectorWords) {
    findCopies(in: words)
    for sector in 1..<max(1, words.count / SectorCopies.wordsPerSector) {
      findRepeat(around: sector, in: words)
    }
    findShortRepeats(in: words)
  }

  /// Finds the sectors, or blocks of a large file, whose bytes are somewhere else too.
  private mutating func findCopies(in words: SectorWords) {
    let window =
      words.count * 8 <= SectorCopies.comparedByteLimit
      ? SectorCopies.wordsPerSector : DamageWalk.blockByteCount / 8
    guard words.count >= window else { return }
    let places = HashedPlaces(words, window: window)
    places.forEachEqual { equalSectors.insert(SectorCopies.sectors(ofWords: $0..<$0 + window)) }
    // By distance, up to where the bytes were compared. Places are compared in ascending order.
    var compared: [Int: Int] = [:]
    // Values that repeat are equal to others in many places.
    var work = words.count * SectorCopies.comparisonsPerWord + SectorCopies.copyWordLimit
    var candidates: [Candidate] = []
    var alignments = Alignments()
    func compare(_ other: Int, with place: Int) {
      let distance = place - other
      guard work > 0, compared[distance, default: 0] <= other else { return }
      // One more shows that the range is longer.
      let limit = SectorCopies.copyWordLimit + 1
      let before = words.equalCount(before: other, place, limit: limit)
      let after = words.equalCount(from: other, place, limit: limit)
      work -= before + after + 1
      guard after >= window else { return }
      compared[distance] = other + after
      let range = other - before..<other + after
      alignments.count(range, distance: distance)
      guard candidates.count < SectorCopies.candidateLimit else { return }
      candidates += SectorCopies.candidates(range, distance: distance, in: words)
        .filter(alignments.canBeCopy)
    }
    for pair in places.pairs() { compare(pair.first, with: pair.second) }
    words.forEachHash(window: window) { place, hash in
      guard place % window != 0 else { return }
      for other in places.places(of: hash) { compare(other, with: place) }
    }
    for candidate in candidates {
      var copy = candidate.copy
      switch alignments.cause(of: candidate) {
      case .unlikely where copy.isUnlikely || candidate.whole?.hasWordsOfAnyPlace(words) ?? true:
        copy.isUnlikely = true
      case .chance: continue
      case .unlikely, .possible:
        guard copy.isUnlikely || candidate.isWeakSign else { continue }
      }
      all.append(copy)
    }
  }

  /// Finds bytes right before a sector that are also right after its start: the sector, or the one before
  /// it, was overwritten with bytes that began less than a sector beside it.
  private mutating func findRepeat(around sector: Int, in words: SectorWords) {
    let start = sector * SectorCopies.wordsPerSector
    let limit = min(SectorCopies.wordsPerSector, words.count - start)
    for count in SectorCopies.leastRepeatedWords..<max(SectorCopies.leastRepeatedWords, limit)
    where words[start] == words[start - count] && words[start - 1] == words[start + count - 1]
      && words.equalCount(from: start - count, start, limit: count + 1) == count
      && words.equalCount(before: start - count, start, limit: 1) == 0
      && words.differentWords(in: start..<start + count, limit: count) * 2 > count
    {
      all.append(SectorCopies.copy(of: start - count..<start, start..<start + count, in: words))
    }
  }

  /// Finds a few words right before a sector that are also at its start, if all others of the half sectors
  /// beside its start differ. In a file with many sectors, some are so by chance, and prove nothing.
  private mutating func findShortRepeats(in words: SectorWords) {
    let count = words.count / SectorCopies.wordsPerSector
    var found: [Copy] = []
    for sector in 1..<max(1, count) {
      if let copy = shortRepeat(around: sector, in: words) { found.append(copy) }
    }
    if found.count * SectorCopies.sectorsPerShortRepeat >= count { all += found }
  }

  private func shortRepeat(around sector: Int, in words: SectorWords) -> Copy? {
    let (start, half) = (sector * SectorCopies.wordsPerSector, SectorCopies.wordsPerSector / 2)
    for count in 1..<SectorCopies.leastRepeatedWords
    where words[start] == words[start - count] && words[start - 1] == words[start + count - 1]
      && words.equalCount(from: start - count, start, limit: count) == count
    {
      let around = start - half..<start + half
      let different = around.count - count
      guard words.differentWords(in: around, limit: different) == different else { return nil }
      var copy = SectorCopies.copy(of: start - count..<start, start..<start + count, in: words)
      copy.isUnlikely = false
      return copy
    }
    return nil
  }

  /// - Parameters:
  ///   - first: words.
  ///   - second: later words that are equal.
  private static func copy(
    of first: Range<Int>, _ second: Range<Int>, in words: SectorWords
  ) -> Copy {
    let start = first.prefix(SectorCopies.wordsPerSector)
    let least = (2 * start.count + 2) / 3
    return Copy(
      first: first.lowerBound * 8..<first.upperBound * 8,
      second: second.lowerBound * 8..<second.upperBound * 8,
      isUnlikely: words.differentWords(in: start.startIndex..<start.endIndex, limit: least) == least
    )
  }

  /// - Parameters:
  ///   - range: equal words. Those before and after it are not.
  ///   - distance: where they are again, from there.
  private static func candidates(
    _ range: Range<Int>, distance: Int, in words: SectorWords
  ) -> [Candidate] {
    guard range.count <= copyWordLimit else { return [] }
    let other = range.lowerBound + distance..<range.upperBound + distance
    let (first, second) = distance > 0 ? (range, other) : (other, range)
    let isVarious =
      words.differentWords(in: range, limit: leastUnlikelyWords) == leastUnlikelyWords
    var candidates: [Candidate] = []
    for range in [first, second] {
      guard let whole = WholeSectors(in: range, words) else { continue }
      let offset = whole.range.lowerBound - range.lowerBound
      let start = first.lowerBound + offset
      var copy = copy(
        of: start..<start + whole.range.count,
        second.lowerBound + offset..<second.lowerBound + offset + whole.range.count, in: words)
      guard candidates.last.map({ $0.copy.first != copy.first }) ?? true else { continue }
      if whole.range.count < range.count { copy.isUnlikely = false }
      candidates.append(
        Candidate(
          copy: copy, whole: whole,
          // Values that repeat are next to others of their kind.
          isWeakSign: whole.others.isEmpty && (isVarious || !words.goesOn(beside: whole.range))
            && words.differentWords(in: whole.range, limit: leastDifferentWords)
              == leastDifferentWords
        ))
    }
    let copy = copy(of: first, second, in: words)
    if isVarious, copy.isRepeat, copy.second.lowerBound % SectorSigns.byteCount == 0,
      candidates.allSatisfy({ $0.whole?.others.isEmpty == false })
    {
      candidates.append(Candidate(copy: copy, whole: nil, isWeakSign: true))
    }
    return candidates
  }

  private static func sectors(ofWords words: Range<Int>) -> Range<Int> {
    words.lowerBound / wordsPerSector..<words.upperBound / wordsPerSector
  }
}

/// Equal bytes that may be a copy.
private struct Candidate {
  let copy: SectorCopies.Copy
  /// The whole sectors in the equal words; nil if there are none.
  let whole: WholeSectors?
  /// Whether they are a sign of damage in a realm with other damage, although they can be equal by chance.
  let isWeakSign: Bool
}

/// How often equal words of a file begin and end anywhere. This shows whether those that begin and end at sectors, with
/// a distance of whole sectors, do so by chance.
private struct Alignments {
  /// Equal sectors are copies if fewer than this are expected in the file by chance.
  private static let leastChance = 1.0 / 64
  private static let sectorBits = SectorSigns.wordsPerSector.trailingZeroBitCount

  /// The number of equal ranges by the most zero bits that both ends and the distance have in common, without those
  /// of whole sectors.
  private var counts = [Int](repeating: 0, count: sectorBits)

  mutating func count(_ range: Range<Int>, distance: Int) {
    let bits = (range.lowerBound | range.upperBound | distance).trailingZeroBitCount
    if bits < counts.count { counts[bits] += 1 }
  }

  /// What the equal bytes of a candidate are: equal by chance, possibly so, or hardly.
  enum Cause { case chance, possible, unlikely }

  /// Whether a candidate can turn out to be a copy. Later ranges only raise what is expected.
  func canBeCopy(_ candidate: Candidate) -> Bool {
    switch cause(of: candidate) {
    case .chance: false
    case .unlikely: true
    case .possible: candidate.copy.isUnlikely || candidate.isWeakSign
    }
  }

  /// Why a candidate has these ends, as far as the other ranges show.
  func cause(of candidate: Candidate) -> Cause {
    let copy = candidate.copy
    guard (copy.second.lowerBound - copy.first.lowerBound) % SectorSigns.byteCount == 0 else {
      return .possible
    }
    let expected = expected(candidate.whole?.beside ?? (0, 0))
    return expected <= Alignments.leastChance ? .unlikely : expected <= 1 ? .possible : .chance
  }

  /// How many ranges have such ends by chance. Values have sizes of several words, too, so that equal ranges begin at
  /// multiples of them.
  private func expected(_ beside: (before: Int, after: Int)) -> Double {
    counts.indices.map { bits in
      let places = ((beside.before >> bits) + 1) * ((beside.after >> bits) + 1)
      let share = Double(1 << bits) / Double(SectorSigns.wordsPerSector)
      return Double(counts[bits...].reduce(0, +) * places) * share * share * share
    }.max() ?? 0
  }
}
