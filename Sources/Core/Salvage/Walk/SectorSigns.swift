package import RealmStorage

/// Signs of damage that the bytes of a plain file show by themselves, whatever nodes they belong to.
///
/// A disk loses its content in whole sectors of 512 bytes. So noise, zeros, and bytes of another place
/// that begin and end exactly at sectors are damage; those of an app begin and end anywhere.
package struct SectorSigns: Sendable {
  package static let byteCount = 512
  private static let wordsPerSector = byteCount / 8
  /// In a larger file, only whole blocks are compared: sectors would take too much memory.
  private static let comparedByteLimit = 1 << 29
  /// Equal sectors are copies if fewer than this are expected in the file by chance.
  private static let leastChance = 1.0 / 64
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

  /// Two equal ranges of bytes of which one can have overwritten the other. The bytes before them
  /// differ, as do those after them.
  struct Copy: Equatable {
    let first: Range<Int>
    let second: Range<Int>
    /// Whether equal bytes of an app would hardly begin and end exactly here.
    var isUnlikely: Bool

    /// Whether one range follows the other: bytes that were moved by less than their number.
    var isRepeat: Bool { first.upperBound == second.lowerBound }
  }

  /// Sectors one after the other that consist of one word, such as 0.
  struct Repeated {
    var bytes: Range<Int>
    let word: UInt64
  }

  private(set) var repeated: [Repeated] = []
  /// The sectors of bytes that look random.
  private(set) var noise = BitSet()
  private(set) var copies: [Copy] = []
  /// The sectors with several different words whose bytes are those of another sector, too.
  private(set) var equalSectors = BitSet()
  /// The words that begin like the header of a node of current libraries.
  private(set) var headers = BitSet()

  /// No signs.
  package init() {}

  /// - Parameter nodes: a reader of the whole file. The pages of an encrypted one have checksums, so only
  ///   its zeros are found.
  /// - Throws: errors that are not damage.
  package init(_ nodes: NodeReader) throws(RealmFileError) {
    let count = nodes.logicalSize / SectorSigns.byteCount
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard !nodes.source.isEncrypted else {
      for sector in 0..<count {
        let start = sector * SectorSigns.byteCount
        if let bytes = try nodes.readableBytes(in: start..<start + SectorSigns.byteCount),
          bytes.isZero(0..<bytes.count)
        {
          note(repeated: 0, inSector: sector)
        }
        nodes.release(to: mark)
      }
      return
    }
    guard count > 0, let bytes = try nodes.readableBytes(in: 0..<count * SectorSigns.byteCount)
    else { return }
    unsafe bytes.withUnsafeBytes { unsafe find(in: SectorWords($0.bindMemory(to: UInt64.self))) }
  }

  private mutating func find(in words: SectorWords) {
    let count = words.count / SectorSigns.wordsPerSector
    for sector in 0..<count {
      let range = sector * SectorSigns.wordsPerSector..<(sector + 1) * SectorSigns.wordsPerSector
      if words.isOneWord(range) {
        note(repeated: words[range.lowerBound], inSector: sector)
      } else if words.isNoise(range) {
        noise.insert(sector)
      }
      for i in range where UInt32(truncatingIfNeeded: words[i]) == NodeScan.filler {
        headers.insert(i)
      }
    }
    findCopies(in: words)
    for sector in 1..<max(1, count) { findRepeat(around: sector, in: words) }
    findShortRepeats(in: words)
  }

  private mutating func note(repeated word: UInt64, inSector sector: Int) {
    let bytes = sector * SectorSigns.byteCount..<(sector + 1) * SectorSigns.byteCount
    if let last = repeated.last, last.word == word, last.bytes.upperBound == bytes.lowerBound {
      repeated[repeated.count - 1].bytes = last.bytes.lowerBound..<bytes.upperBound
    } else {
      repeated.append(Repeated(bytes: bytes, word: word))
    }
  }

  // MARK: Copies

  /// Finds the sectors, or blocks of a large file, whose bytes are somewhere else too.
  private mutating func findCopies(in words: SectorWords) {
    let window =
      words.count * 8 <= SectorSigns.comparedByteLimit
      ? SectorSigns.wordsPerSector : DamageWalk.blockByteCount / 8
    guard words.count >= window else { return }
    let places = HashedPlaces(words, window: window)
    places.forEachEqual { equalSectors.insert(SectorSigns.sectors(ofWords: $0..<$0 + window)) }
    // By distance, up to where the bytes were compared. Places are compared in ascending order.
    var compared: [Int: Int] = [:]
    // Values that repeat are equal to others in many places.
    var work = words.count * SectorSigns.comparisonsPerWord + SectorSigns.copyWordLimit
    var candidates: [Candidate] = []
    var alignments = Alignments()
    func compare(_ other: Int, with place: Int) {
      let distance = place - other
      guard work > 0, compared[distance, default: 0] <= other else { return }
      let before = words.equalCount(before: other, place, limit: SectorSigns.copyWordLimit)
      let after = words.equalCount(from: other, place, limit: SectorSigns.copyWordLimit)
      work -= before + after + 1
      guard after >= window else { return }
      compared[distance] = other + after
      let range = other - before..<other + after
      alignments.count(range, distance: distance)
      // Later ranges only raise what is expected.
      candidates += SectorSigns.candidates(range, distance: distance, in: words)
        .filter { alignments.makes($0) != .chance }
        .prefix(SectorSigns.candidateLimit - candidates.count)
    }
    for pair in places.pairs() { compare(pair.first, with: pair.second) }
    words.forEachHash(window: window) { place, hash in
      guard place % window != 0 else { return }
      for other in places.places(of: hash) { compare(other, with: place) }
    }
    for candidate in candidates {
      var copy = candidate.copy
      switch alignments.makes(candidate) {
      case .unlikely where copy.isUnlikely || candidate.whole?.hasWordsOfAnyPlace(words) ?? true:
        copy.isUnlikely = true
      case .chance: continue
      case .unlikely, .possible:
        guard copy.isUnlikely || candidate.isWeakSign else { continue }
      }
      copies.append(copy)
    }
  }

  /// Finds bytes right before a sector that are also right after its start: the sector, or the one before
  /// it, was overwritten with bytes that began less than a sector beside it.
  private mutating func findRepeat(around sector: Int, in words: SectorWords) {
    let start = sector * SectorSigns.wordsPerSector
    let limit = min(SectorSigns.wordsPerSector, words.count - start)
    for count in SectorSigns.leastRepeatedWords..<max(SectorSigns.leastRepeatedWords, limit)
    where words[start] == words[start - count] && words[start - 1] == words[start + count - 1]
      && words.equalCount(from: start - count, start, limit: count + 1) == count
      && words.equalCount(before: start - count, start, limit: 1) == 0
      && words.differentWords(in: start..<start + count, limit: count) * 2 > count
    {
      copies.append(SectorSigns.copy(of: start - count..<start, start..<start + count, in: words))
    }
  }

  /// Finds a few words right before a sector that are also at its start, if all others of the half sectors
  /// beside its start differ. In a file with many sectors, some are so by chance, and prove nothing.
  private mutating func findShortRepeats(in words: SectorWords) {
    let count = words.count / SectorSigns.wordsPerSector
    var found: [Copy] = []
    for sector in 1..<max(1, count) {
      if let copy = shortRepeat(around: sector, in: words) { found.append(copy) }
    }
    if found.count * SectorSigns.sectorsPerShortRepeat >= count { copies += found }
  }

  private func shortRepeat(around sector: Int, in words: SectorWords) -> Copy? {
    let (start, half) = (sector * SectorSigns.wordsPerSector, SectorSigns.wordsPerSector / 2)
    for count in 1..<SectorSigns.leastRepeatedWords
    where words[start] == words[start - count] && words[start - 1] == words[start + count - 1]
      && words.equalCount(from: start - count, start, limit: count) == count
    {
      let around = start - half..<start + half
      let different = around.count - count
      guard words.differentWords(in: around, limit: different) == different else { return nil }
      var copy = SectorSigns.copy(of: start - count..<start, start..<start + count, in: words)
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
    let start = first.prefix(SectorSigns.wordsPerSector)
    let least = (2 * start.count + 2) / 3
    return Copy(
      first: first.lowerBound * 8..<first.upperBound * 8,
      second: second.lowerBound * 8..<second.upperBound * 8,
      isUnlikely: words.differentWords(in: start.startIndex..<start.endIndex, limit: least) == least
    )
  }

  /// Equal bytes that may be a copy.
  private struct Candidate {
    let copy: Copy
    /// The whole sectors in the equal words; nil if there are none.
    let whole: WholeSectors?
    /// Whether they are a sign of damage in a realm with other damage, although they can be equal by chance.
    let isWeakSign: Bool
  }

  /// How often equal words of a file begin and end anywhere. This shows whether those that begin and end at sectors, with
  /// a distance of whole sectors, do so by chance.
  private struct Alignments {
    private static let sectorBits = wordsPerSector.trailingZeroBitCount

    /// The number of equal ranges by the most zero bits that both ends and the distance have in common, without those
    /// of whole sectors.
    private var counts = [Int](repeating: 0, count: sectorBits)

    mutating func count(_ range: Range<Int>, distance: Int) {
      let bits = (range.lowerBound | range.upperBound | distance).trailingZeroBitCount
      if bits < counts.count { counts[bits] += 1 }
    }

    enum Cause { case chance, possible, unlikely }

    /// What the ends of a candidate are, as far as the other ranges show.
    func makes(_ candidate: Candidate) -> Cause {
      let copy = candidate.copy
      guard (copy.second.lowerBound - copy.first.lowerBound) % byteCount == 0 else {
        return .possible
      }
      let expected = expected(candidate.whole?.beside ?? (0, 0))
      return expected <= leastChance ? .unlikely : expected <= 1 ? .possible : .chance
    }

    /// How many ranges have such ends by chance. Values have sizes of several words, too, so that equal ranges begin at
    /// multiples of them.
    private func expected(_ beside: (before: Int, after: Int)) -> Double {
      counts.indices.map { bits in
        let places = ((beside.before >> bits) + 1) * ((beside.after >> bits) + 1)
        let share = Double(1 << bits) / Double(wordsPerSector)
        return Double(counts[bits...].reduce(0, +) * places) * share * share * share
      }.max() ?? 0
    }
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
    if isVarious, copy.isRepeat, copy.second.lowerBound % byteCount == 0,
      candidates.allSatisfy({ $0.whole?.others.isEmpty == false })
    {
      candidates.append(Candidate(copy: copy, whole: nil, isWeakSign: true))
    }
    return candidates
  }

  private static func sectors(ofWords words: Range<Int>) -> Range<Int> {
    words.lowerBound / wordsPerSector..<words.upperBound / wordsPerSector
  }

  /// Whether a range of bytes begins and ends at sectors.
  static func isWhole(_ bytes: Range<Int>) -> Bool {
    bytes.lowerBound % byteCount == 0 && bytes.upperBound % byteCount == 0
  }
}

/// The whole sectors of equal words that were overwritten, or were copied.
///
/// Words beside them can be equal, too, if they are zeros or another repeated word, or occur all around.
private struct WholeSectors {
  /// How far around the sectors words are counted, and how often a word occurs there that is in any place.
  private static let (window, leastOccurrences) = (512, 8)

  let range: Range<Int>
  /// The equal words before and after the sectors; those of a repeated word count once.
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

/// The sectors, or blocks, of a file by the hash of their bytes.
private struct HashedPlaces {
  /// More places with one hash have values that repeat, which prove nothing.
  private static let sameHashLimit = 4

  private struct Entry {
    let hash: UInt64
    let place: Int
  }

  /// In the order of the hashes.
  private var entries: [Entry] = []
  /// The hashes, and a few others: a window of the file rarely has the bytes of a sector.
  private var filter: HashFilter

  init(_ words: SectorWords, window: Int) {
    filter = HashFilter(count: words.count / window)
    for place in stride(from: 0, through: words.count - window, by: window)
    where !words.isOneWord(place..<place + window) {
      let hash = words.hash(place..<place + window)
      filter.insert(hash)
      entries.append(Entry(hash: hash, place: place))
    }
    entries.sort { ($0.hash, $0.place) < ($1.hash, $1.place) }
  }

  /// Calls `body` with each place that has the hash of another one.
  func forEachEqual(_ body: (Int) -> Void) {
    for (i, entry) in entries.enumerated() {
      let isEqual =
        i > 0 && entries[i - 1].hash == entry.hash
        || i + 1 < entries.count && entries[i + 1].hash == entry.hash
      if isEqual { body(entry.place) }
    }
  }

  /// Each two places with the same hash, in ascending order; none if there are many.
  func pairs() -> [(first: Int, second: Int)] {
    var pairs: [(first: Int, second: Int)] = []
    var start = 0
    while start < entries.count {
      let same = entries[start...].prefix { $0.hash == entries[start].hash }
      if same.count <= HashedPlaces.sameHashLimit {
        for (i, first) in same.enumerated() {
          for second in same.dropFirst(i + 1) { pairs.append((first.place, second.place)) }
        }
      }
      start = same.endIndex
    }
    return pairs.sorted { $0 < $1 }
  }

  /// The places with a hash; none if there are many.
  func places(of hash: UInt64) -> [Int] {
    guard filter.contains(hash) else { return [] }
    let found = entries[entries.prefixEnd { $0.hash < hash }...]
      .prefix(HashedPlaces.sameHashLimit + 1).prefix { $0.hash == hash }
    return found.count > HashedPlaces.sameHashLimit ? [] : found.map(\.place)
  }
}

/// A set of hashes that may contain a few others.
private struct HashFilter {
  /// Bits for each hash, of which two are set: one in some thousands of other hashes is taken for a known one.
  private static let bitsPerHash = 64

  private var words: [UInt64]
  private let mask: UInt64

  init(count: Int) {
    var size = 64
    while size < count * HashFilter.bitsPerHash { size *= 2 }
    (words, mask) = (Array(repeating: 0, count: size / 64), UInt64(size - 1))
  }

  mutating func insert(_ hash: UInt64) {
    for bit in [first(hash), second(hash)] { words[Int(bit >> 6)] |= 1 << (bit & 63) }
  }

  func contains(_ hash: UInt64) -> Bool { has(first(hash)) && has(second(hash)) }

  private func has(_ bit: UInt64) -> Bool { words[Int(bit >> 6)] >> (bit & 63) & 1 != 0 }
  private func first(_ hash: UInt64) -> UInt64 { hash >> 20 & mask }
  private func second(_ hash: UInt64) -> UInt64 { hash >> 36 & mask }
}
