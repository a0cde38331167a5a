/// An external merge sort: sorts any number of records of two or three integers by all their integers, as
/// unsigned numbers. Records that do not fit in memory move to an unlinked file as sorted runs, which are
/// merged at the end.
///
/// The caller appends records, calls ``finish()``, then reads the records with ``next()``. Used by one
/// thread at a time.
@safe
package final class SortedRuns: @unchecked Sendable {
  /// A sorted part of the file.
  private struct Run {
    var offset: Int
    var wordCount: Int
    var buffer: [UInt64] = []
    var next = 0
  }

  /// Integers read or returned at once.
  private static let batchWordCount = 3 << 12

  private let width: Int
  private let budget: MemoryBudget
  private let records: RecordBuffer
  private var runs: [Run] = []
  /// Nil before the merge starts.
  private var heap: RunHeap?
  private var file: SpillFile?
  /// Number of integers of `records` that have been returned.
  private var returned = 0
  /// Number of records.
  package private(set) var count = 0

  /// - Parameter width: number of integers per record, 2 or 3.
  package init(width: Int, budget: MemoryBudget) {
    (self.width, self.budget) = (width, budget)
    records = RecordBuffer(width: width)
    budget.join()
  }

  deinit {
    budget.add(-records.byteCount)
    budget.leave()
  }

  /// Appends records, given as the integers of one after the other.
  ///
  /// - Throws: `cannotCreate` or `inputOutput`, for the file.
  package func append(_ added: [UInt64]) throws(RealmFileError) {
    records.append(added)
    count += added.count / width
    budget.add(8 * added.count)
    if budget.isExceeded(by: records.byteCount) { try spill() }
  }

  /// Ends the appending; ``next()`` then returns the records.
  ///
  /// - Throws: same as ``append(_:)``.
  package func finish() throws(RealmFileError) {
    guard !runs.isEmpty else { return sort() }
    if records.wordCount > 0 { try spill() }
  }

  private func sort() {
    records.sort(0..<records.count, by: 0..<width, scratchByteCount: budget.scratchByteCount)
  }

  private func spill() throws(RealmFileError) {
    sort()
    let target = if let file { file } else { try SpillFile(isEncrypted: budget.encryptsFiles) }
    file = target
    runs.append(Run(offset: target.byteCount, wordCount: records.wordCount))
    try unsafe target.append(UnsafeRawBufferPointer(records.words))
    budget.add(-records.byteCount)
    records.removeAll()
  }

  // MARK: Reading

  /// The next records, as integers one after the other; empty after the last record.
  ///
  /// - Throws: `inputOutput`, for the file.
  package func next() throws(RealmFileError) -> [UInt64] {
    guard runs.isEmpty else { return try merged() }
    let end = min(returned + SortedRuns.batchWordCount, records.wordCount)
    defer { returned = end }
    return records.words(returned..<end)
  }

  private func merged() throws(RealmFileError) -> [UInt64] {
    if heap == nil {
      for run in runs.indices { _ = try fill(run) }
      heap = RunHeap(Array(runs.indices), precedes)
    }
    var result: [UInt64] = []
    result.reserveCapacity(SortedRuns.batchWordCount)
    while result.count < SortedRuns.batchWordCount, let best = heap?.first {
      for word in 0..<width { result.append(runs[best].buffer[runs[best].next + word]) }
      runs[best].next += width
      let isFinished = try !fill(best)
      heap?.update(isFinished: isFinished, precedes)
    }
    return result
  }

  /// Whether the next record of run `a` comes before that of run `b`.
  private func precedes(_ a: Int, _ b: Int) -> Bool {
    let (i, j) = (runs[a].next, runs[b].next)
    for word in 0..<width {
      let (x, y) = (runs[a].buffer[i + word], runs[b].buffer[j + word])
      if x != y { return x < y }
    }
    return false
  }

  /// Reads more of a run if all its records in memory have been returned.
  ///
  /// - Returns: false if the run has no more records.
  private func fill(_ run: Int) throws(RealmFileError) -> Bool {
    guard runs[run].next == runs[run].buffer.count else { return true }
    let count = min(SortedRuns.batchWordCount, runs[run].wordCount)
    guard count > 0, let file else { return false }
    var buffer = [UInt64](repeating: 0, count: count)
    try unsafe buffer.withUnsafeMutableBufferPointer { (words) throws(RealmFileError) in
      try unsafe file.read(at: runs[run].offset, into: UnsafeMutableRawBufferPointer(words))
    }
    runs[run].offset += 8 * count
    runs[run].wordCount -= count
    (runs[run].buffer, runs[run].next) = (buffer, 0)
    return true
  }
}
