import RealmStorage

/// A batch of sorted index entries.
struct IndexEntryBatch {
  /// ``IndexEntry/width`` integers per entry.
  var words: [UInt64] = []
  /// The bytes of entries of the longer forms.
  let bytes: ByteStore
}

/// Sorts the entries of an index of one of the longer forms, with their bytes. Entries that do not fit in memory
/// go to an unlinked file, in sorted runs that are merged at the end.
///
/// In the file, an entry is its first integer, its number of bytes and its object, followed by the bytes.
///
/// Used like ``SortedRuns``, by one thread at a time.
final class LongIndexRuns: @unchecked Sendable {
  /// A sorted part of the file.
  private struct Run {
    /// Where the bytes after `block` start in the file; `end` is the end of the run.
    var offset: Int
    let end: Int
    /// A part of the run in memory.
    let block = ByteStore()
    /// Position in `block` of the next entry.
    var next = 0
    /// The current entry. Its bytes are in `block`.
    var entry = IndexEntry(first: 0, second: 0, object: 0)
  }

  private static let headByteCount = 24
  /// Number of bytes to write at once, and to read at once from a run.
  private static let (writeByteCount, readByteCount) = (1 << 20, 1 << 16)
  /// The most entries of a batch, and the number of bytes at which a merged batch ends.
  private static let (batchCount, batchByteCount) = (1 << 12, 1 << 20)

  private let form: IndexEntryList.Form
  private let budget: MemoryBudget
  private let records = RecordBuffer(width: IndexEntry.width)
  private let bytes = ByteStore()
  private var runs: [Run] = []
  /// Nil before the merge starts.
  private var heap: RunHeap?
  private var file: SpillFile?
  /// Number of integers of `records` that were returned.
  private var returned = 0

  init(_ form: IndexEntryList.Form, budget: MemoryBudget) {
    (self.form, self.budget) = (form, budget)
    budget.join()
  }

  deinit {
    budget.add(-byteCount)
    budget.leave()
  }

  private var byteCount: Int { records.byteCount + bytes.count }

  /// Appends entries.
  ///
  /// - Parameter keys: as in ``BuildIndex/append(_:keys:)``.
  /// - Throws: `cannotCreate` and `inputOutput` of the file.
  func append(_ added: IndexEntryList, keys: [UInt64]?) throws(RealmFileError) {
    records.append(added.records, addingToSecond: UInt64(bytes.count) << 24, thirds: keys)
    bytes.append(added.bytes)
    budget.add(added.byteCount)
    if budget.isExceeded(by: byteCount) { try spill() }
  }

  /// Ends appending and starts the merge.
  ///
  /// - Throws: as ``append(_:keys:)``.
  func finish() throws(RealmFileError) {
    guard !runs.isEmpty else { return sort() }
    if records.wordCount > 0 { try spill() }
  }

  private func spill() throws(RealmFileError) {
    sort()
    let target = if let file { file } else { try SpillFile() }
    file = target
    let start = target.byteCount
    let block = ByteStore()
    for i in 0..<records.count {
      let entry = record(i)
      block.append(entry.first)
      block.append(UInt64(entry.byteCount))
      block.append(entry.object)
      block.append(
        bytes.slice(at: entry.position, count: entry.byteCount + form.valueByteCount))
      guard block.count >= LongIndexRuns.writeByteCount else { continue }
      try target.append(block)
      block.removeAll()
    }
    try target.append(block)
    runs.append(Run(offset: start, end: target.byteCount))
    budget.add(-byteCount)
    records.removeAll()
    bytes.removeAll(keepingMemory: false)
  }

  // MARK: Reading

  /// The next entries; an empty batch at the end. Their bytes are readable while the batch exists.
  ///
  /// - Throws: `inputOutput` of the file.
  func next() throws(RealmFileError) -> IndexEntryBatch {
    guard runs.isEmpty else { return try merged() }
    let end = min(returned + IndexEntry.width * LongIndexRuns.batchCount, records.wordCount)
    defer { returned = end }
    return IndexEntryBatch(words: records.words(returned..<end), bytes: bytes)
  }

  private func merged() throws(RealmFileError) -> IndexEntryBatch {
    if heap == nil {
      for run in runs.indices { _ = try advance(run) }
      heap = RunHeap(Array(runs.indices), precedes)
    }
    var batch = IndexEntryBatch(bytes: ByteStore())
    while batch.words.count < IndexEntry.width * LongIndexRuns.batchCount,
      batch.bytes.count < LongIndexRuns.batchByteCount, let best = heap?.first
    {
      let entry = runs[best].entry
      batch.words += [
        entry.first, UInt64(batch.bytes.count) << 24 | UInt64(entry.byteCount), entry.object,
      ]
      batch.bytes.append(
        runs[best].block.slice(at: entry.position, count: entry.byteCount + form.valueByteCount))
      let isFinished = try !advance(best)
      heap?.update(isFinished: isFinished, precedes)
    }
    return batch
  }

  /// Whether the current entry of run `a` comes before that of run `b`.
  private func precedes(_ a: Int, _ b: Int) -> Bool {
    LongIndexEntry.precedes(
      LongIndexEntry(entry: runs[a].entry, bytes: runs[a].block),
      LongIndexEntry(entry: runs[b].entry, bytes: runs[b].block), form)
  }

  /// Reads the next entry of a run.
  ///
  /// - Returns: false if nothing is left.
  private func advance(_ run: Int) throws(RealmFileError) -> Bool {
    guard try read(LongIndexRuns.headByteCount, of: run) else { return false }
    let count = Int(runs[run].block.number(at: runs[run].next + 8))
    let size = LongIndexRuns.headByteCount + count + form.valueByteCount
    guard try read(size, of: run) else { return false }
    let (start, block) = (runs[run].next, runs[run].block)
    runs[run].entry = IndexEntry(
      first: block.number(at: start),
      second: UInt64(start + LongIndexRuns.headByteCount) << 24 | UInt64(count),
      object: block.number(at: start + 16))
    runs[run].next += size
    return true
  }

  /// Reads until the next `count` bytes of a run are in its block.
  ///
  /// - Returns: false if nothing is left.
  private func read(_ count: Int, of run: Int) throws(RealmFileError) -> Bool {
    let (block, next) = (runs[run].block, runs[run].next)
    guard next + count > block.count else { return true }
    let start = runs[run].offset - (block.count - next)
    let room = min(max(count, LongIndexRuns.readByteCount), runs[run].end - start)
    guard room >= count, let file else { return false }
    try file.read(at: start, count: room, into: block)
    (runs[run].offset, runs[run].next) = (start + room, 0)
    return true
  }

  // MARK: Sorting

  private func record(_ i: Int) -> IndexEntry {
    let start = IndexEntry.width * i
    return IndexEntry(
      first: records[start], second: records[start + 1], object: records[start + 2])
  }

  /// Sorts the entries in memory.
  private func sort() {
    sort(0..<records.count, by: 0)
    records.forEachGroup(of: 0..<records.count) { group in
      let first = records[IndexEntry.width * group.lowerBound]
      sort(group, from: 8)
      for i in group { records[IndexEntry.width * i] = first }
    }
  }

  /// Sorts entries by one of their integers.
  private func sort(_ range: Range<Int>, by word: Int) {
    records.sort(range, by: word..<(word + 1), scratchByteCount: budget.scratchByteCount)
  }

  /// Sorts entries whose chunks before `offset` are equal: by their next two chunks, and so on. The first integer
  /// of each record holds these chunks meanwhile.
  private func sort(_ range: Range<Int>, from offset: Int) {
    let isAtEnd = range.allSatisfy { record($0).byteCount <= offset }
    if isAtEnd, form != .mixed { return sort(range, by: 2) }
    guard !isAtEnd, offset + 8 <= LongIndexEntry.limit else { return compare(range) }
    for i in range {
      let entry = LongIndexEntry(entry: record(i), bytes: bytes)
      records[IndexEntry.width * i] = entry.word(at: offset)
    }
    sort(range, by: 0)
    records.forEachGroup(of: range) { sort($0, from: offset + 8) }
  }

  /// Sorts entries that differ only in their values or after the last chunk.
  private func compare(_ range: Range<Int>) {
    // Most such entries have equal values, and are then in order.
    sort(range, by: 2)
    let sorted = range.map { i in
      let entry = record(i)
      return LongIndexEntry(
        entry: IndexEntry(first: 0, second: entry.second, object: entry.object), bytes: bytes)
    }.sorted { LongIndexEntry.precedes($0, $1, form) }
    for (i, sorted) in zip(range, sorted) {
      let start = IndexEntry.width * i
      (records[start + 1], records[start + 2]) = (sorted.entry.second, sorted.entry.object)
    }
  }
}
