import RealmModel
import RealmStorage

/// The objects of the values of a batch. The last integer of an entry is the number of its value here.
struct IndexObjects {
  /// The keys of the objects, value by value.
  private(set) var keys: [UInt64] = []
  /// For each value, where its objects end in `keys`.
  private var ends: [Int] = []

  /// The place in `keys` of the objects with the value of an entry, which ascend.
  func range(of entry: IndexEntry) -> Range<Int> {
    let number = Int(entry.object)
    return number == 0 ? 0..<ends[0] : ends[number - 1]..<ends[number]
  }

  /// Appends the objects of a value.
  ///
  /// - Parameter others: appends the keys of those after the first.
  /// - Returns: the number of the value.
  @inline(__always)
  mutating func append(_ first: UInt64, others: (inout [UInt64]) -> Void) -> UInt64 {
    keys.append(first)
    others(&keys)
    ends.append(keys.count)
    return UInt64(ends.count - 1)
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}

/// A batch of values of an index in order, each with its objects.
final class IndexBatch {
  /// The entries of the values. In a mixed index, their last integers are the keys of their objects, and ``objects`` is
  /// empty.
  let records = RecordBuffer(width: IndexEntry.width)
  /// The bytes of the entries.
  let bytes = ByteStore()
  var objects = IndexObjects()

  var count: Int { records.count }

  func removeAll() {
    records.removeAll(keepingMemory: true)
    bytes.removeAll()
    objects.removeAll()
  }
}

/// Merges the runs of an index.
///
/// What comes next is in the blocks of some runs: all values up to the least of the last values of these blocks. They
/// are sorted together in the cache of the processor. That takes less time than comparing the heads of all runs for
/// each value, and runs that do not overlap follow each other without being compared.
final class IndexMerge {
  /// The most groups in the blocks of all runs together, and about the bytes that one takes.
  private static let (mostGroups, groupByteCount) = (1 << 17, 64)
  /// The least and the most value of ``batchByteCount``.
  private static let (fewestBytes, mostBytes) = (1 << 16, 4 << 20)

  private let form: IndexEntryList.Form
  private let order: StoredOrder
  private let scratchByteCount: Int
  /// The most bytes of groups in a batch; the blocks of all runs together have half as many, unless single groups are
  /// long.
  private let batchByteCount: Int
  private var runs: [IndexRunReader] = []
  /// The first chunks of the first group of each run, which decide most comparisons.
  private var heads: [UInt64] = []
  private var heap: RunHeap
  /// The batch that was returned, and the one before, whose bytes are still in use.
  private var batches: (IndexBatch, IndexBatch)

  /// - Throws: `inputOutput` of a file.
  init(
    _ places: [(IndexRunReader.Place, IndexRun.Objects)], _ form: IndexEntryList.Form,
    _ order: StoredOrder, _ table: BuildTable, scratchByteCount: Int
  ) throws(RealmFileError) {
    // Runs hold the bytes of all values.
    let form = form == .short ? .long : form
    (self.form, self.order, self.scratchByteCount) = (form, order, scratchByteCount)
    let share = max(1, places.count)
    let groupCount = min(
      IndexMerge.mostGroups, scratchByteCount / 2 / IndexMerge.groupByteCount)
    batchByteCount = min(max(scratchByteCount / 2, IndexMerge.fewestBytes), IndexMerge.mostBytes)
    for (place, objects) in places {
      var run = IndexRunReader(
        place, objects, form, table,
        limits: IndexRunReader.Limits(
          groups: groupCount / share, bytes: batchByteCount / 2 / share),
        windowByteCount: min(max(scratchByteCount / 2 / share, 1 << 12), 1 << 18))
      try run.fill()
      guard !run.isFinished else { continue }
      runs.append(run)
      heads.append(run.head.entry.first)
    }
    heap = RunHeap([]) { _, _ in false }
    batches = (IndexBatch(), IndexBatch())
    for run in runs.indices { heap.insert(run, precedes) }
  }

  /// The next batch, which is empty at the end; valid until the next but one call.
  ///
  /// - Throws: the errors of a file.
  func next() throws(RealmFileError) -> IndexBatch {
    batches = (batches.1, batches.0)
    let batch = batches.0
    batch.removeAll()
    let taken = takeRuns()
    for (run, count) in taken {
      runs[run].take(count, into: batch)
      if taken.count == 1 { runs[run].lengthen() }
      try runs[run].fill()
      guard !runs[run].isFinished else { continue }
      heads[run] = runs[run].head.entry.first
      heap.insert(run, precedes)
    }
    IndexEntrySort(
      form: form, order: order, records: batch.records, bytes: batch.bytes,
      scratchByteCount: scratchByteCount
    ).run()
    return batch
  }

  /// Removes from the heap the runs with the next values.
  ///
  /// - Returns: the runs in their order, each with the number of groups to take.
  private func takeRuns() -> [(run: Int, count: Int)] {
    var found: [Int] = []
    /// The least of the last values of blocks that other blocks follow.
    var bound: LongIndexEntry?
    /// The first value that is left out because the batch is full.
    var end: LongIndexEntry?
    var byteCount = 0
    while let run = heap.first {
      let head = runs[run].head
      if let bound, LongIndexEntry.precedes(bound, head, form, order) { break }
      if byteCount >= batchByteCount {
        end = head
        break
      }
      _ = heap.removeFirst(precedes)
      found.append(run)
      byteCount += runs[run].byteCount
      guard !runs[run].isLastBlock else { continue }
      let last = runs[run].last
      if bound.map({ LongIndexEntry.precedes(last, $0, form, order) }) ?? true { bound = last }
    }
    return found.sorted().map { run in
      guard let limit = end ?? bound else { return (run, runs[run].count) }
      return (run, runs[run].count(before: limit, including: end == nil, order))
    }
  }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    guard heads[a] == heads[b] else { return heads[a] < heads[b] }
    return LongIndexEntry.precedes(runs[a].head, runs[b].head, form, order)
  }
}
