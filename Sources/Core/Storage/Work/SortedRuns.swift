import Synchronization

/// The memory that several ``SortedRuns`` share.
package final class MemoryBudget: Sendable {
  package let limit: Int
  private let used = Mutex(0)

  /// - Parameter limit: the most bytes in use.
  package init(limit: Int) { self.limit = limit }

  /// Number of bytes in use.
  package var byteCount: Int { used.withLock { $0 } }

  func add(_ byteCount: Int) { used.withLock { $0 += byteCount } }
}

/// Sorts any number of records of two or three integers. Records that do not fit in memory go to an
/// unlinked file, in sorted runs that are merged at the end.
///
/// The caller appends records, calls ``finish()``, then reads the records with ``next()``. Used by one
/// thread at a time.
///
/// Invariant 1: records that compare as equal keep the order in which they were appended.
@safe
package final class SortedRuns: @unchecked Sendable {
  /// A record; `third` is 0 for records of two integers.
  package struct Record {
    package let first: UInt64
    package let second: UInt64
    package let third: UInt64
  }

  /// The order of records with the same first integer.
  package struct Ties: Sendable {
    /// A second integer that ascends in this order. Records that it does not distinguish have the same.
    let number: @Sendable (Record) -> UInt64
    /// Whether a record comes before another record with the same first integer.
    let precedes: @Sendable (Record, Record) -> Bool

    package init(
      number: @escaping @Sendable (Record) -> UInt64,
      precedes: @escaping @Sendable (Record, Record) -> Bool
    ) {
      (self.number, self.precedes) = (number, precedes)
    }
  }

  /// A sorted part of the file.
  private struct Run {
    var offset: Int
    var wordCount: Int
    var buffer: [UInt64] = []
    var next = 0
  }

  /// Minimum size of a run in bytes.
  private static let leastSpill = 1 << 16
  /// Number of integers that are read, or returned, at once.
  private static let batchWordCount = 3 << 12

  private let width: Int
  private let keyCount: Int
  private let ties: Ties?
  private let budget: MemoryBudget
  private var words: [UInt64] = []
  private var spare: [UInt64] = []
  private var runs: [Run] = []
  /// A heap of the unfinished runs, with the run of the smallest record first; nil before the merge
  /// starts.
  private var heap: [Int]?
  private var file: FileDescriptor?
  private var fileByteCount = 0
  /// Number of integers of `words` that were returned.
  private var given = 0
  /// Number of records.
  package private(set) var count = 0

  /// - Parameters:
  ///   - width: number of integers per record, 2 or 3.
  ///   - keyCount: number of leading integers that are compared; 1 if `precedes` is given.
  ///   - precedes: compares records with the same first integer.
  package init(
    width: Int, keyCount: Int, budget: MemoryBudget, ties: Ties? = nil
  ) {
    (self.width, self.keyCount, self.budget) = (width, keyCount, budget)
    self.ties = ties
  }

  deinit { budget.add(-8 * words.count) }

  /// Appends records; `records` contains their integers one after the other.
  ///
  /// - Throws: `cannotCreate` and `inputOutput` of the file.
  package func append(_ records: [UInt64]) throws(RealmFileError) {
    words += records
    count += records.count / width
    budget.add(8 * records.count)
    // A store spills when it has its share of the common budget, so that its runs are long.
    let share = max(SortedRuns.leastSpill, budget.limit / 16)
    guard budget.byteCount > budget.limit, 8 * words.count >= share else { return }
    try spill()
  }

  /// Ends appending and starts the merge.
  ///
  /// - Throws: as ``append(_:)``.
  package func finish() throws(RealmFileError) {
    guard !runs.isEmpty else { return sort() }
    if !words.isEmpty { try spill() }
  }

  private func spill() throws(RealmFileError) {
    sort()
    let target = if let file { file } else { try UnlinkedFile.make() }
    file = target
    try unsafe words.withUnsafeBufferPointer { (words) throws(RealmFileError) in
      try unsafe target.write(UnsafeRawBufferPointer(words), at: fileByteCount)
    }
    runs.append(Run(offset: fileByteCount, wordCount: words.count))
    fileByteCount += 8 * words.count
    budget.add(-8 * words.count)
    words = []
  }

  // MARK: Reading

  /// The next records, as integers one after the other; empty after the last record.
  ///
  /// - Throws: `inputOutput` of the file.
  package func next() throws(RealmFileError) -> [UInt64] {
    guard runs.isEmpty else { return try merged() }
    let end = min(given + SortedRuns.batchWordCount, words.count)
    defer { given = end }
    return Array(words[given..<end])
  }

  private func merged() throws(RealmFileError) -> [UInt64] {
    if heap == nil {
      var all: [Int] = []
      for run in runs.indices where try fill(run) { all.append(run) }
      heap = all
      for place in all.indices.reversed() { sink(place) }
    }
    var result: [UInt64] = []
    result.reserveCapacity(SortedRuns.batchWordCount)
    while result.count < SortedRuns.batchWordCount, let best = heap?.first {
      for word in 0..<width { result.append(runs[best].buffer[runs[best].next + word]) }
      runs[best].next += width
      if try !fill(best), let last = heap?.popLast(), heap?.isEmpty == false { heap?[0] = last }
      sink(0)
    }
    return result
  }

  /// Moves the run at `place` of the heap down, until no run is below one with a later record.
  private func sink(_ place: Int) {
    guard let count = heap?.count else { return }
    var place = place
    while 2 * place + 1 < count {
      var child = 2 * place + 1
      if child + 1 < count, isFirst(child + 1, child) { child += 1 }
      guard isFirst(child, place) else { return }
      heap?.swapAt(child, place)
      place = child
    }
  }

  /// Whether the next record of the run at place `a` of the heap comes before the one at place `b`. Of
  /// equal records, the one of the earlier run comes first, because it was appended first.
  private func isFirst(_ a: Int, _ b: Int) -> Bool {
    guard let heap else { return false }
    let (x, y) = (record(heap[a]), record(heap[b]))
    if isBefore(x, y) { return true }
    return heap[a] < heap[b] && !isBefore(y, x)
  }

  private func record(_ run: Int) -> Record {
    let (buffer, start) = (runs[run].buffer, runs[run].next)
    return Record(
      first: buffer[start], second: buffer[start + 1], third: width > 2 ? buffer[start + 2] : 0)
  }

  private func isBefore(_ a: Record, _ b: Record) -> Bool {
    guard a.first == b.first else { return a.first < b.first }
    if let ties { return ties.precedes(a, b) }
    guard keyCount > 1, a.second == b.second else { return keyCount > 1 && a.second < b.second }
    return keyCount > 2 && a.third < b.third
  }

  /// Reads more of a run after all records in memory were returned.
  ///
  /// - Returns: false if nothing is left.
  private func fill(_ run: Int) throws(RealmFileError) -> Bool {
    guard runs[run].next == runs[run].buffer.count else { return true }
    let count = min(SortedRuns.batchWordCount, runs[run].wordCount)
    guard count > 0, let file else { return false }
    var buffer = [UInt64](repeating: 0, count: count)
    let got = try unsafe buffer.withUnsafeMutableBufferPointer { (words) throws(RealmFileError) in
      try unsafe file.read(at: runs[run].offset, into: UnsafeMutableRawBufferPointer(words))
    }
    guard got == 8 * count else {
      throw RealmFileError(.unsupported("a temporary file became shorter while it was read"))
    }
    runs[run].offset += got
    runs[run].wordCount -= count
    (runs[run].buffer, runs[run].next) = (buffer, 0)
    return true
  }

  // MARK: Sorting

  /// Sorts the records in memory.
  private func sort() {
    guard words.count > width else { return }
    spare = [UInt64](repeating: 0, count: words.count)
    for key in (0..<keyCount).reversed() { sort(by: key) }
    spare = []
    if let ties { sort(ties) }
  }

  /// Sorts by one integer, byte by byte, starting with the lowest byte.
  private func sort(by key: Int) {
    let width = width
    let count = words.count / width
    var (any, all) = (UInt64(0), UInt64.max)
    var isSorted = true
    unsafe words.withUnsafeBufferPointer { words in
      var last: UInt64 = 0
      for i in 0..<count {
        let value = unsafe words[i &* width &+ key]
        any |= value
        all &= value
        if value < last { isSorted = false }
        last = value
      }
    }
    guard !isSorted else { return }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where (any ^ all) >> shift & 0xFF != 0 {
      unsafe words.withUnsafeBufferPointer { source in
        unsafe spare.withUnsafeMutableBufferPointer { target in
          var starts = [Int](repeating: 0, count: 257)
          unsafe starts.withUnsafeMutableBufferPointer { starts in
            for i in 0..<count {
              let digit = unsafe Int(source[i &* width &+ key] >> shift & 0xFF)
              unsafe starts[digit &+ 1] &+= 1
            }
            for digit in 0..<256 { unsafe starts[digit &+ 1] &+= starts[digit] }
            for i in 0..<count {
              let digit = unsafe Int(source[i &* width &+ key] >> shift & 0xFF)
              // Each record has one place: the counts of all digits add up to `count`.
              let place = unsafe starts[digit] &* width
              unsafe starts[digit] &+= 1
              for word in 0..<width {
                unsafe target[place &+ word] = source[i &* width &+ word]
              }
            }
          }
        }
      }
      swap(&words, &spare)
    }
  }

  /// Sorts records with the same first integer.
  private func sort(_ ties: Ties) {
    let count = words.count / width
    func record(_ i: Int) -> Record {
      Record(
        first: words[i * width], second: words[i * width + 1],
        third: width > 2 ? words[i * width + 2] : 0)
    }
    func precedes(_ a: (number: UInt64, record: Record), _ b: (number: UInt64, record: Record))
      -> Bool
    {
      a.number == b.number ? ties.precedes(a.record, b.record) : a.number < b.number
    }
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, words[end * width] == words[start * width] { end += 1 }
      if end - start > 1 {
        let records = (start..<end).map { i in
          let record = record(i)
          return (number: ties.number(record), record: record)
        }
        // Most such records are sorted already: equal values of consecutive objects.
        if zip(records.dropFirst(), records).contains(where: { precedes($0, $1) }) {
          // Swift's sort is stable, as invariant 1 requires.
          for (i, (_, record)) in records.sorted(by: precedes).enumerated() {
            words[(start + i) * width + 1] = record.second
            if width > 2 { words[(start + i) * width + 2] = record.third }
          }
        }
      }
      start = end
    }
  }
}
