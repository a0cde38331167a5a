import RealmModel
import RealmStorage

/// Checks an index on words: full text and lists of strings (chapter 3, sections 5.7 and 5.8; rule I7).
///
/// Both sides are reduced to a sum over pairs of word and object. Only if the sums differ are the pairs
/// collected and compared, with 16 bytes per pair on each side.
struct WordIndexCheck {
  let column: Column
  let table: Table
  let reader: RealmReader

  /// Compares the index with the words of the objects.
  ///
  /// - Parameters:
  ///   - sum: the sum of the index.
  ///   - data: the sum of the objects.
  /// - Throws: errors that say nothing about the file.
  func compare(
    _ index: PairSum, with data: IndexedData, _ findings: inout Findings
  ) throws(RealmFileError) {
    if let failure = data.failure {
      try findings.addUnread(.indexNotCompared, "values cannot be read", because: failure)
    }
    guard index != data.sum else { return }
    // A valid file has no more words than bytes.
    let limit = reader.nodes.logicalSize
    guard max(index.count, data.sum.count) <= limit else {
      return findings.add(
        .indexMissingEntry, "words and index differ; there are too many to list them")
    }
    var plan = ObjectPlan(table, tombstones: false)
    if let position = table.columns.firstIndex(where: { $0.key == column.key }) {
      plan.indexedColumns = [position: .words]
    }
    plan.collected = .words(limit: limit)
    let dataPairs = try ObjectScan.pairs(plan, reader) ?? []
    var entries = WordEntries(findings: Findings(limit: 0), isCollecting: true)
    reader.walkIndex(of: column, &entries)
    var (missing, extra): ([Pair], [Pair]) = ([], [])
    Pair.compare(
      dataPairs, entries.pairs, onlyLeft: { missing.append($0) }, onlyRight: { extra.append($0) })
    for pair in missing {
      findings.add(
        data.hasAmbiguousWord ? .indexCapitalX : .indexMissingEntry, object: key(of: pair).raw,
        "a word of the object is not in the index")
    }
    // An entry that should not exist at all is reported only as such (below), not also as repeated.
    for pair in Set(entries.repeated).subtracting(extra).sorted() {
      findings.add(
        .indexRepeatedEntry, object: key(of: pair).raw,
        "the index lists the object twice under one word")
    }
    // Without the unreadable values, extra entries cannot be recognized.
    guard data.failure == nil else { return }
    for pair in extra { tellExtra(pair, hasAmbiguousWord: data.hasAmbiguousWord, &findings) }
  }

  private func key(of pair: Pair) -> ObjectKey { ObjectKey(Int64(bitPattern: pair.second)) }

  private func tellExtra(_ pair: Pair, hasAmbiguousWord: Bool, _ findings: inout Findings) {
    let key = key(of: pair)
    let exists = reader.exists(key, in: table) ?? true
    findings.add(
      hasAmbiguousWord ? .indexCapitalX : .indexExtraEntry,
      // If a list contained a word more than once, the reference can leave one entry behind.
      column.collection == nil ? nil : .warning, object: key.raw,
      exists
        ? "the index lists the object under a word that it does not have"
        : "the index lists an object that does not exist")
  }
}

/// The words of one object, as hashes of their chunks.
struct ObjectWords {
  private static let fewWords = 24

  /// Has room for more hashes than there are, because removing elements of an array takes longer than all
  /// else here.
  private var stored: [UInt64] = []
  private var count = 0
  /// The number of hashes at which duplicates are removed again, because a list can repeat one word many
  /// times.
  private var crowd = 1 << 12
  /// True if the reference can mistake an "X" in a word for the terminator, or zeros at its start for null.
  private(set) var hasAmbiguousWord = false

  var hashes: ArraySlice<UInt64> { stored[..<count] }

  mutating func removeAll() {
    count = 0
    crowd = 1 << 12
    hasAmbiguousWord = false
  }

  private mutating func append(_ hash: UInt64) {
    if count < stored.count { stored[count] = hash } else { stored.append(hash) }
    count += 1
    guard count >= crowd else { return }
    removeDuplicates()
    crowd = max(crowd, 2 * count)
  }

  /// Adds the words of a text.
  mutating func append(text: ByteSlice) {
    var tokenizer = FullTextTokenizer(text)
    var word = WordHash()
    while tokenizer.next(into: &word) {
      word.finish()
      append(word.value)
      word = WordHash()
    }
  }

  /// Adds an element of a list; null has a hash of its own.
  mutating func append(element word: ByteSlice?) {
    guard let word else { return append(WordHash.null) }
    var hash = WordHash()
    for i in 0..<word.count { hash.add(word[i]) }
    hash.finish()
    append(hash.value)
    if word.count >= 4, word.isZero(0..<4) { hasAmbiguousWord = true }
    let lastChunk = max(0, (word.count - 1) & ~3)
    for i in lastChunk..<max(lastChunk, word.count) where word[i] == UInt8(ascii: "X") {
      hasAmbiguousWord = true
    }
  }

  /// Removes duplicates. A few words are compared with each other without sorting.
  mutating func removeDuplicates() {
    guard count > 1 else { return }
    var kept = 1
    if count > ObjectWords.fewWords {
      stored[..<count].sort()
      for i in 1..<count where stored[i] != stored[kept - 1] {
        stored[kept] = stored[i]
        kept += 1
      }
    } else {
      for i in 1..<count where !stored[..<kept].contains(stored[i]) {
        stored[kept] = stored[i]
        kept += 1
      }
    }
    count = kept
  }
}

/// The pairs of word and object in an index.
struct WordEntries: SearchIndexVisitor {
  var findings: Findings
  let isCollecting: Bool
  /// The sum over all entries, including repeated pairs.
  private(set) var sum = PairSum()
  /// Each pair once, and the pairs with more than one entry.
  private(set) var pairs: [Pair] = []
  private(set) var repeated: [Pair] = []
  /// The last key of the current list.
  private var last: Int64?

  init(findings: Findings, isCollecting: Bool) {
    self.findings = findings
    self.isCollecting = isCollecting
  }

  private mutating func add(_ hash: UInt64, _ key: Int64, isRepeated: Bool = false) {
    let pair = Pair(first: hash, second: UInt64(bitPattern: key))
    sum.add(pair.first, pair.second)
    guard isCollecting else { return }
    if isRepeated { repeated.append(pair) } else { pairs.append(pair) }
  }

  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    for entry in entries { add(WordHash(path: path, entry.chunk).value, entry.key.raw) }
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    let hash = WordHash(path: path).value
    for key in keys {
      if let last, key < last {
        findings.add(
          .indexListOrder, at: ref, object: key, "key \(key) of a list follows key \(last)")
      }
      add(hash, key, isRepeated: key == last)
      last = key
    }
  }

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {
    if last == nil, isWhole {
      findings.add(.indexNode, at: ref, "a list of the index has no objects")
    }
    last = nil
  }
}
