import RealmStorage

/// An index whose entries stand for words: full text and lists of strings (chapter 3, sections 5.7
/// and 5.8; rule I7).
///
/// Both sides become a sum over pairs of word and object; only where the sums differ are the pairs
/// themselves collected and compared, with 16 bytes a pair on each side.
struct WordIndexComparison {
  private let column: Column
  private let table: Table
  private let reader: RealmReader
  private var defects: ColumnFindings

  /// Compares the index of `column` with its words.
  ///
  /// - Throws: where the clusters of the table cannot be found.
  static func run(
    _ column: Column, _ table: Table, _ reader: RealmReader, _ defects: inout ColumnFindings
  ) throws(RealmFileError) {
    var comparison = WordIndexComparison(
      column: column, table: table, reader: reader, defects: defects)
    try comparison.run()
    defects = comparison.defects
  }

  private mutating func run() throws(RealmFileError) {
    let data = try words(collecting: false)
    let index = try entries(collecting: false)
    defects = index.defects
    if let failure = data.failure {
      try defects.addUnread(.indexNotCompared, "values cannot be read", because: failure)
    }
    guard index.sum != data.sum else { return }

    // No sound file has more words than bytes.
    guard max(index.sum.count, data.sum.count) <= reader.nodes.logicalSize else {
      defects.add(.indexMissingEntry, "too many words to tell which of them differ")
      return
    }
    let dataPairs = try words(collecting: true).pairs
    let indexPairs = try entries(collecting: true).pairs
    var (missing, extra): ([Pair], [Pair]) = ([], [])
    Pair.compare(
      dataPairs, indexPairs, onlyLeft: { missing.append($0) }, onlyRight: { extra.append($0) })
    for pair in missing {
      defects.add(
        data.hasCapitalX ? .indexCapitalX : .indexMissingEntry,
        "a word of the object is not in the index", object: key(of: pair))
    }
    // Entries of values that cannot be read have nothing to be compared with.
    guard data.failure == nil else { return }
    for pair in extra { tellExtra(pair, hasCapitalX: data.hasCapitalX) }
  }

  private func key(of pair: Pair) -> ObjectKey { ObjectKey(Int64(bitPattern: pair.second)) }

  private mutating func tellExtra(_ pair: Pair, hasCapitalX: Bool) {
    let key = key(of: pair)
    let exists = reader.exists(key, in: table) ?? true
    let rule: Rule =
      hasCapitalX
      ? .indexCapitalX
      : !exists && column.collection != nil ? .indexRepeatedEntry : .indexExtraEntry
    defects.add(
      rule,
      exists
        ? "the object is listed under a word that it does not have"
        : "an object that does not exist",
      object: key)
  }

  // MARK: The data

  private struct DataWords {
    var sum = PairSum()
    var pairs: [Pair] = []
    /// The first reason why values cannot be read.
    var failure: RealmFileError?
    /// A word in which the reference can take an "X" for the end (section 5.7).
    var hasCapitalX = false
  }

  private func words(collecting: Bool) throws(RealmFileError) -> DataWords {
    var result = DataWords()
    try reader.nodes.traversing { () throws(RealmFileError) in
      for position in try reader.clusters(of: table) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        do throws(RealmFileError) {
          try add(try reader.cluster(position), to: &result, collecting: collecting)
        } catch {
          result.failure = error.first(of: result.failure)
        }
      }
    }
    return result
  }

  private func add(
    _ cluster: Cluster, to result: inout DataWords, collecting: Bool
  ) throws(RealmFileError) {
    let batch = try reader.batch(column, of: cluster)
    var words = ObjectWords()
    for row in 0..<cluster.count {
      words.removeAll()
      switch batch {
      case .string(let texts):
        guard let text = texts[row] else { continue }
        var tokenizer = FullTextTokenizer(text)
        var word = WordHash()
        while tokenizer.next(into: &word) {
          words.append(word)
          word = WordHash()
        }
      case .collection(let roots):
        guard roots[row] != 0 else { continue }
        var elements = reader.elements(column, root: roots[row])
        while let run = try elements.next() {
          guard case .string(let strings) = run else { continue }
          for string in strings { words.append(string) }
        }
      default: continue
      }
      words.removeDuplicates()
      if words.hasCapitalX { result.hasCapitalX = true }
      let key = UInt64(bitPattern: cluster.key(at: row).raw)
      for hash in words.hashes {
        result.sum.add(hash, key)
        if collecting { result.pairs.append(Pair(first: hash, second: key)) }
      }
    }
  }

  // MARK: The index

  private func entries(collecting: Bool) throws(RealmFileError) -> WordEntries {
    var entries = WordEntries(defects: defects, isCollecting: collecting)
    try reader.nodes.traversing { () throws(RealmFileError) in
      SearchIndexReader(nodes: reader.nodes).walk(root: column.index, &entries)
    }
    return entries
  }
}

/// The words of one object, as hashes of their chunks.
private struct ObjectWords {
  private static let fewWords = 24

  private(set) var hashes: [UInt64] = []
  /// Hashes at which those that are there twice are dropped again: a list of one word can be long.
  private var crowd = 1 << 12
  /// A word in which the reference can take an "X" for the end.
  private(set) var hasCapitalX = false

  mutating func removeAll() {
    hashes.removeAll(keepingCapacity: true)
    crowd = 1 << 12
  }

  private mutating func append(_ hash: UInt64) {
    hashes.append(hash)
    guard hashes.count >= crowd else { return }
    removeDuplicates()
    crowd = max(crowd, 2 * hashes.count)
  }

  /// A word of a text.
  mutating func append(_ word: WordHash) {
    var word = word
    word.finish()
    append(word.value)
  }

  /// An element of a list; null has a place of its own.
  mutating func append(_ word: ByteSlice?) {
    guard let word else {
      return append(WordHash.null)
    }
    var hash = WordHash()
    for i in 0..<word.count { hash.add(word[i]) }
    append(hash)
    let lastChunk = max(0, (word.count - 1) & ~3)
    for i in lastChunk..<max(lastChunk, word.count) where word[i] == UInt8(ascii: "X") {
      hasCapitalX = true
    }
  }

  /// Few words are compared with one another, without moving them around.
  mutating func removeDuplicates() {
    guard hashes.count > 1 else { return }
    var kept = 1
    if hashes.count > ObjectWords.fewWords {
      hashes.sort()
      for i in 1..<hashes.count where hashes[i] != hashes[kept - 1] {
        hashes[kept] = hashes[i]
        kept += 1
      }
    } else {
      for i in 1..<hashes.count where !hashes[..<kept].contains(hashes[i]) {
        hashes[kept] = hashes[i]
        kept += 1
      }
    }
    hashes.removeLast(hashes.count - kept)
  }
}

/// The pairs of word and object that an index has.
private struct WordEntries: SearchIndexVisitor {
  var defects: ColumnFindings
  let isCollecting: Bool
  private(set) var sum = PairSum()
  private(set) var pairs: [Pair] = []

  init(defects: ColumnFindings, isCollecting: Bool) {
    self.defects = defects
    self.isCollecting = isCollecting
  }

  private mutating func add(_ hash: UInt64, _ key: Int64) {
    sum.add(hash, UInt64(bitPattern: key))
    if isCollecting { pairs.append(Pair(first: hash, second: UInt64(bitPattern: key))) }
  }

  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    for entry in entries { add(WordHash(path: path, entry.chunk).value, entry.key.raw) }
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    if keys.isEmpty { defects.add(.indexNode, "a list without objects", at: ref) }
    let hash = WordHash(path: path).value
    for i in keys.indices {
      if i > 0, keys[i] == keys[i - 1] {
        defects.add(
          .indexRepeatedEntry, "the object is listed twice under one word", at: ref,
          object: ObjectKey(keys[i]))
        continue
      }
      if i > 0, keys[i] < keys[i - 1] {
        defects.add(
          .indexListOrder, "the keys of a list do not ascend", at: ref,
          object: ObjectKey(keys[i]))
      }
      add(hash, keys[i])
    }
  }

  mutating func visitDefect(_ rule: Rule, _ text: String, at ref: Ref) {
    defects.add(rule, text, at: ref)
  }
}
