#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records of two or three integers in one block of memory.
///
/// The block grows with `realloc`, which moves large blocks without a copy where the system supports that.
/// So growing needs no memory beyond the records.
@safe
package final class RecordBuffer: @unchecked Sendable {
  /// Number of integers per record.
  package let width: Int
  // Used by one thread at a time, and never inside another access: a check of each access for exclusivity
  // would take longer than the access.
  @exclusivity(unchecked) private var memory: UnsafeMutablePointer<UInt64>?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private var used = 0

  /// - Parameter width: number of integers per record, 2 or 3.
  package init(width: Int) { self.width = width }

  deinit { unsafe free(memory) }

  /// Number of integers.
  package var wordCount: Int { unsafe used }
  /// Number of records.
  package var count: Int { wordCount / width }
  package var byteCount: Int { 8 * wordCount }

  /// Appends records; `records` contains their integers one after the other.
  package func append(_ records: [UInt64]) {
    let place = unsafe room(for: records.count)
    unsafe records.withUnsafeBufferPointer { records in
      guard let start = records.baseAddress else { return }
      unsafe place.update(from: start, count: records.count)
    }
    unsafe used += records.count
  }

  /// Appends `count` records, whose integers `fill` sets: it receives each record's position among them.
  @inline(__always)
  package func append(_ count: Int, _ fill: (Int) -> SortedRuns.Record) {
    precondition(width == 3)
    let place = unsafe room(for: 3 * count)
    for i in 0..<count {
      let record = fill(i)
      unsafe place[3 &* i] = record.first
      unsafe place[3 &* i &+ 1] = record.second
      unsafe place[3 &* i &+ 2] = record.third
    }
    unsafe used += 3 * count
  }

  /// Removes all records, and frees their memory.
  package func removeAll() {
    unsafe free(memory)
    unsafe memory = nil
    unsafe (capacity, used) = (0, 0)
  }

  /// The integer at `index`.
  package subscript(index: Int) -> UInt64 {
    get {
      precondition(index >= 0 && index < wordCount)
      return unsafe memory.unsafelyUnwrapped[index]
    }
    set {
      precondition(index >= 0 && index < wordCount)
      unsafe memory.unsafelyUnwrapped[index] = newValue
    }
  }

  /// A copy of the integers in `range`.
  package func words(_ range: Range<Int>) -> [UInt64] {
    unsafe Array(words[range])
  }

  /// All integers.
  @unsafe
  var words: UnsafeMutableBufferPointer<UInt64> {
    unsafe UnsafeMutableBufferPointer(start: memory, count: wordCount)
  }

  /// Sorts the records at `positions` by their integers in `keys`, as unsigned numbers.
  package func sort(_ positions: Range<Int>, by keys: Range<Int>) {
    guard positions.count > 1 else { return }
    precondition(positions.lowerBound >= 0 && positions.upperBound <= count)
    let start = unsafe UnsafeMutableRawPointer(
      memory.unsafelyUnwrapped + positions.lowerBound * width)
    if width == 2 {
      unsafe RecordSort.sort(start, positions.count, as: RecordSort.Pair.self, by: keys)
    } else {
      unsafe RecordSort.sort(start, positions.count, as: RecordSort.Triple.self, by: keys)
    }
  }

  @unsafe
  private func room(for count: Int) -> UnsafeMutablePointer<UInt64> {
    if unsafe used + count > capacity || capacity == 0 {
      unsafe capacity = max(2 * capacity, used + count, 64)
      let larger = unsafe largerMemory(memory, 8 * capacity)
      unsafe memory = larger.assumingMemoryBound(to: UInt64.self)
    }
    return unsafe memory.unsafelyUnwrapped + used
  }
}
