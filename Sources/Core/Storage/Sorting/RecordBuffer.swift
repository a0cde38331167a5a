#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records of two or three integers in one block of memory.
///
/// The block grows with `realloc`, which on some systems moves large blocks without copying them, so that
/// growing needs no additional memory.
@safe
package final class RecordBuffer: @unchecked Sendable {
  /// Number of integers per record.
  package let width: Int
  // Unchecked: one thread uses the buffer at a time, accesses never nest, and checking an access for
  // exclusivity would take longer than the access itself.
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

  /// Appends records, given as the integers of one after the other.
  package func append(_ records: [UInt64]) {
    let place = unsafe room(for: records.count)
    unsafe records.withUnsafeBufferPointer { records in
      guard let start = records.baseAddress else { return }
      unsafe place.update(from: start, count: records.count)
    }
    unsafe used += records.count
  }

  /// Appends a record of three integers.
  package func append(_ first: UInt64, _ second: UInt64, _ third: UInt64) {
    precondition(width == 3)
    let place = unsafe room(for: 3)
    unsafe place[0] = first
    unsafe place[1] = second
    unsafe place[2] = third
    unsafe used += 3
  }

  /// Appends the records of `other`; both have three integers per record.
  ///
  /// - Parameter offset: added to the second integer of each record.
  package func append(_ other: RecordBuffer, addingToSecond offset: UInt64) {
    precondition(width == 3 && other.width == 3)
    let place = unsafe room(for: other.wordCount)
    let words = unsafe other.words
    for i in stride(from: 0, to: other.wordCount, by: 3) {
      unsafe place[i] = words[i]
      unsafe place[i &+ 1] = words[i &+ 1] + offset
      unsafe place[i &+ 2] = words[i &+ 2]
    }
    unsafe used += other.wordCount
  }

  /// Removes all records.
  ///
  /// - Parameter keepingMemory: whether the buffer keeps its memory for new records.
  package func removeAll(keepingMemory: Bool = false) {
    unsafe used = 0
    guard !keepingMemory else { return }
    unsafe free(memory)
    unsafe memory = nil
    unsafe capacity = 0
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

  /// Calls `body` with each group of two or more adjacent records at `positions` that have the same first
  /// integer.
  package func forEachGroup(of positions: Range<Int>, _ body: (Range<Int>) -> Void) {
    precondition(positions.lowerBound >= 0 && positions.upperBound <= count)
    var start = positions.lowerBound
    while start < positions.upperBound {
      // Looked up for each group, because `body` may change the records.
      let words = unsafe words
      let first = unsafe words[start &* width]
      var end = start + 1
      while end < positions.upperBound, unsafe words[end &* width] == first { end &+= 1 }
      if end - start > 1 { body(start..<end) }
      start = end
    }
  }

  /// Sorts the records at `positions` by the integers at the indices `keys`, as unsigned numbers.
  ///
  /// Equal records keep their order if all records take at most `scratchByteCount` bytes.
  ///
  /// - Parameter scratchByteCount: maximum bytes of memory used during the call.
  package func sort(
    _ positions: Range<Int>, by keys: Range<Int>, scratchByteCount: Int
  ) {
    guard positions.count > 1 else { return }
    precondition(positions.lowerBound >= 0 && positions.upperBound <= count)
    let start = unsafe UnsafeMutableRawPointer(
      memory.unsafelyUnwrapped + positions.lowerBound * width)
    if width == 2 {
      unsafe RecordSort.sort(
        start, positions.count, as: RecordSort.Pair.self, by: keys, scratchByteCount)
    } else {
      unsafe RecordSort.sort(
        start, positions.count, as: RecordSort.Triple.self, by: keys, scratchByteCount)
    }
  }

  /// Room for `count` integers after the last one.
  @unsafe
  private func room(for count: Int) -> UnsafeMutablePointer<UInt64> {
    if unsafe used + count > capacity || capacity == 0 {
      unsafe capacity = max(2 * capacity, used + count, 64)
      let larger = unsafe resizedMemory(memory, 8 * capacity)
      unsafe memory = larger.assumingMemoryBound(to: UInt64.self)
    }
    return unsafe memory.unsafelyUnwrapped + used
  }
}
