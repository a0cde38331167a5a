import RealmModel
import RealmStorage

/// Checks an index on words: full text or a list of strings (chapter 3, sections 5.7 and 5.8; rule I7).
///
/// Both sides are reduced to a sum over pairs of word and object. The pairs are collected and compared only
/// if the sums differ, which takes 16 bytes per pair on each side.
struct WordIndexCheck {
  let column: Column
  let table: Table
  let reader: RealmReader

  /// Compares the index with the words of the objects.
  ///
  /// - Parameters:
  ///   - sum: the sum of the index.
  ///   - data: the sum of the objects.
  /// - Throws: errors other than damage.
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
        .indexMissingEntry, "words and index differ, but are too many to compare one by one")
    }
    var plan = ObjectPlan(table, tombstones: false)
    if let position = table.columns.firstIndex(where: { $0.key == column.key }) {
      plan.indexedColumns = [position: .words]
    }
    plan.collected = .words(limit: limit)
    let dataPairs = try ObjectScan.pairs(plan, reader) ?? []
    var entries = WordEntries(
      findings: Findings(limit: 0), isCollecting: true, in: reader.realm.snapshot.fileFormat)
    reader.walkIndex(of: column, &entries)
    var (missing, extra): ([Pair], [Pair]) = ([], [])
    Pair.compare(
      dataPairs, entries.pairs, onlyLeft: { missing.append($0) }, onlyRight: { extra.append($0) })
    for pair in missing {
      findings.add(
        data.hasAmbiguousWord ? .indexCapitalX : .indexMissingEntry, object: key(of: pair).raw,
        "a word of the object is not in the index")
    }
    // An entry for a word that the object does not have is reported below, and not as repeated.
    for pair in Set(entries.repeated).subtracting(extra).sorted() {
      findings.add(
        .indexRepeatedEntry, object: key(of: pair).raw,
        "the index lists the object twice under one word")
    }
    // An extra entry may belong to a value that cannot be read.
    guard data.failure == nil else { return }
    for pair in extra { reportExtra(pair, hasAmbiguousWord: data.hasAmbiguousWord, &findings) }
  }

  private func key(of pair: Pair) -> ObjectKey { ObjectKey(Int64(bitPattern: pair.second)) }

  private func reportExtra(_ pair: Pair, hasAmbiguousWord: Bool, _ findings: inout Findings) {
    let key = key(of: pair)
    let exists = reader.exists(key, in: table) ?? true
    findings.add(
      hasAmbiguousWord ? .indexCapitalX : .indexExtraEntry,
      // The reference can leave an entry behind if a list contained the word more than once.
      column.collection == nil ? nil : .warning, object: key.raw,
      exists
        ? "the index lists the object under a word that the object does not have"
        : "the index lists an object that does not exist")
  }
}

/// The pairs of word and object in an index.
struct WordEntries: SearchIndexVisitor {
  var findings: Findings
  let isCollecting: Bool
  /// Whether the keys of each list have to ascend.
  private let areSorted: Bool
  /// The sum over all entries, including repeated pairs.
  private(set) var sum = PairSum()
  /// Each pair once, and the pairs with more than one entry.
  private(set) var pairs: [Pair] = []
  private(set) var repeated: [Pair] = []
  /// The last key of the current list.
  private var last: Int64?

  init(findings: Findings, isCollecting: Bool, in format: FileFormat) {
    (self.findings, self.isCollecting) = (findings, isCollecting)
    areSorted = format.hasSortedWordLists
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
      if areSorted, let last, key < last {
        findings.add(
          .indexListOrder, at: ref, object: key, "key \(key) follows key \(last) in a list")
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
