import RealmModel
import RealmStorage

/// Finds the objects of a full-text search through its index, with several threads.
struct WordSearch {
  /// Largest number of objects of a word.
  private static let limit = 1 << 22
  /// Number of clusters in a part.
  private static let clustersPerPart = 64

  private let realm: Realm
  private let table: Table
  private let column: Column
  private let jobs: Int

  /// - Parameter column: a column of `table` with a full-text index.
  init(_ realm: Realm, _ table: Table, _ column: Column, jobs: Int) {
    (self.realm, self.table, self.column, self.jobs) = (realm, table, column, jobs)
  }

  /// The objects with all words of a search and none of its excluded words.
  ///
  /// - Parameter search: a search with at least one included word.
  /// - Returns: the keys in ascending order; nil if a word has too many objects.
  /// - Throws: `damaged`, with rule `link.dangling` if the index has an object that does not exist.
  func run(_ search: TextSearch) throws(RealmFileError) -> [ObjectKey]? {
    let words =
      search.words.map { Word(bytes: $0) } + search.prefixes.map { Word(bytes: $0, isPrefix: true) }
      + search.excluded.map { Word(bytes: $0, isExcluded: true) }
    guard let lists = try lists(of: words) else { return nil }
    return try combine(lists, words)
  }

  private struct Word {
    var bytes: [UInt8]
    var isPrefix = false
    var isExcluded = false
  }

  /// The objects of each word, read in parallel.
  private func lists(of words: [Word]) throws(RealmFileError) -> [[ObjectKey]]? {
    var lists: [[ObjectKey]?] = []
    let parts = OrderedParts<[ObjectKey]?, RealmFileError>(
      count: words.count, jobs: jobs, isShallow: true
    ) { (_, found) in lists.append(found) }
    try parts.run {
      () throws(RealmFileError) in
      IndexSearch(column, try realm.snapshot.makeReader())
    } _: { (search, part) throws(RealmFileError) in
      let word = words[part]
      return try search.objects(with: word.bytes, isPrefix: word.isPrefix, limit: Self.limit)
    }
    let known = lists.compactMap { $0 }
    return known.count == words.count ? known : nil
  }

  /// The objects in all lists of included words and in no list of an excluded word. Each part of the work is
  /// a range of clusters.
  private func combine(
    _ lists: [[ObjectKey]], _ words: [Word]
  ) throws(RealmFileError) -> [ObjectKey] {
    let clusters = try PropertyReader(realm).clusters(of: table)
    let size = WordSearch.clustersPerPart
    var all: [ObjectKey] = []
    // Without clusters, one part reports any key as dangling.
    let parts = OrderedParts<[ObjectKey], RealmFileError>(
      count: max(1, (clusters.count + size - 1) / size), jobs: jobs, isShallow: true
    ) { (_, found) in all += found }
    try parts.run {
      () throws(RealmFileError) in
      try PropertyReader(realm)
    } _: { (reader, part) throws(RealmFileError) in
      let (first, end) = (part * size, min((part + 1) * size, clusters.count))
      /// The part of ascending keys that belongs to these clusters; negative keys belong to the first cluster.
      func own(_ keys: [ObjectKey]) -> ArraySlice<ObjectKey> {
        let start = part == 0 ? 0 : keys[...].lowerBound(of: clusters[first].base)
        let limit =
          end < clusters.count ? keys[...].lowerBound(of: clusters[end].base) : keys.count
        return keys[start..<max(start, limit)]
      }
      var found: ArraySlice<ObjectKey>?
      for (word, list) in zip(words, lists) {
        found =
          found.map {
            word.isExcluded
              ? SortedKeys.subtraction($0, own(list)) : SortedKeys.intersection($0, own(list))
          } ?? own(list)
      }
      let keys = found ?? []
      try check(keys, reader, clusters[first..<end])
      return Array(keys)
    }
    return all
  }

  /// Checks that `keys` are keys of objects in `clusters`.
  private func check(
    _ keys: ArraySlice<ObjectKey>, _ reader: PropertyReader,
    _ clusters: ArraySlice<ClusterPosition>
  ) throws(RealmFileError) {
    var rest = keys
    for (i, cluster) in clusters.enumerated() {
      let next = clusters.startIndex + i + 1
      let end =
        next < clusters.endIndex ? rest.lowerBound(of: clusters[next].base) : rest.endIndex
      let own = rest[..<end]
      rest = rest[end...]
      guard !own.isEmpty else { continue }
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      try reader.checkExistence(of: own, at: cluster, of: table)
    }
    if let key = rest.first { throw PropertyReader.dangling(key, of: table) }
  }
}

extension ArraySlice<ObjectKey> {
  /// Position of the first of ascending keys that is not below `base`.
  fileprivate func lowerBound(of base: UInt64) -> Int {
    guard base <= Int64.max else { return endIndex }
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].raw < Int64(base) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Operations on ascending keys.
enum SortedKeys {
  /// The keys in both. Has no branches on the keys, which no processor could predict.
  static func intersection(
    _ a: ArraySlice<ObjectKey>, _ b: ArraySlice<ObjectKey>
  ) -> ArraySlice<ObjectKey> {
    let kept = unsafe [ObjectKey](
      unsafeUninitializedCapacity: min(a.count, b.count)
    ) { kept, count in
      var (i, j) = (0, 0)
      unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in
          // `count` is at most `i` and `j`, so there is room for one more key.
          while i < a.count, j < b.count {
            let (x, y) = unsafe (a[i].raw, b[j].raw)
            unsafe kept[count] = ObjectKey(x)
            count &+= x == y ? 1 : 0
            i &+= x <= y ? 1 : 0
            j &+= y <= x ? 1 : 0
          }
        }
      }
    }
    return kept[...]
  }

  /// The keys of `a` that are not in `b`.
  static func subtraction(
    _ a: ArraySlice<ObjectKey>, _ b: ArraySlice<ObjectKey>
  ) -> ArraySlice<ObjectKey> {
    var kept: [ObjectKey] = []
    var rest = b
    for key in a {
      while let first = rest.first, first.raw < key.raw { rest.removeFirst() }
      if rest.first != key { kept.append(key) }
    }
    return kept[...]
  }
}
