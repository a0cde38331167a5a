/// The sectors, or blocks, of a file by the hash of their bytes.
struct HashedPlaces {
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
