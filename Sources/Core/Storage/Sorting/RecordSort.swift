/// A radix sort: divides records into groups by the highest bits in which they differ, then sorts each group.
///
/// Dividing takes as much extra memory as the records, and keeps the order of equal records. If the records
/// exceed the limit, they are first divided in place, which does not keep that order.
enum RecordSort {
  /// A record of integers.
  protocol Sortable: BitwiseCopyable {
    func word(_ index: Int) -> UInt64
  }

  struct Pair: Sortable {
    let (first, second): (UInt64, UInt64)

    @inline(__always)
    func word(_ index: Int) -> UInt64 { index == 0 ? first : second }
  }

  struct Triple: Sortable {
    let (first, second, third): (UInt64, UInt64, UInt64)

    @inline(__always)
    func word(_ index: Int) -> UInt64 { index == 0 ? first : index == 1 ? second : third }
  }

  /// Up to this many records, insertion sort is faster.
  private static let insertionCount = 24
  /// Maximum and minimum number of bits by which records are divided at once.
  private static let (mostBits, fewestBits) = (8, 4)

  /// - Parameters:
  ///   - start: the first of `count` records.
  ///   - keys: indices of the integers to sort by, as unsigned numbers; the first counts most.
  ///   - scratchByteCount: maximum bytes of memory used during the call.
  @unsafe
  static func sort<Record: Sortable>(
    _ start: UnsafeMutableRawPointer, _ count: Int, as _: Record.Type, by keys: Range<Int>,
    _ scratchByteCount: Int
  ) {
    let records = unsafe UnsafeMutableBufferPointer(
      start: start.assumingMemoryBound(to: Record.self), count: count)
    var scratch = unsafe Scratch<Record>(limit: scratchByteCount / MemoryLayout<Record>.stride)
    unsafe sort(records, by: keys, &scratch)
    unsafe scratch.records.deallocate()
  }

  /// Memory for records, allocated on first use.
  @unsafe
  private struct Scratch<Record: Sortable> {
    /// Maximum number of records.
    let limit: Int
    var records = unsafe UnsafeMutableBufferPointer<Record>(start: nil, count: 0)
  }

  @unsafe
  private static func sort<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, by keys: Range<Int>,
    _ scratch: inout Scratch<Record>
  ) {
    guard records.count > insertionCount else { return unsafe insert(records, by: keys) }
    var keys = keys
    while let key = keys.first {
      var (any, all, last, isSorted) = (UInt64(0), UInt64.max, UInt64(0), true)
      for i in 0..<records.count {
        let word = unsafe records[i].word(key)
        any |= word
        all &= word
        if word < last { isSorted = false }
        last = word
      }
      let rest = keys.dropFirst()
      if any == all {
        keys = rest
        continue
      }
      guard isSorted else {
        return unsafe divide(records, key, any ^ all, by: keys, &scratch)
      }
      guard !rest.isEmpty else { return }
      var start = 0
      while start < records.count {
        let word = unsafe records[start].word(key)
        var end = start + 1
        while end < records.count, unsafe records[end].word(key) == word { end += 1 }
        unsafe sort(UnsafeMutableBufferPointer(rebasing: records[start..<end]), by: rest, &scratch)
        start = end
      }
      return
    }
  }

  /// Divides records into groups by the highest bits in which they differ, then sorts each group.
  ///
  /// All higher bits are equal, so each nested call divides by lower bits: the recursion is at most 16 deep
  /// for each key.
  ///
  /// - Parameter difference: the bits in which the integers `key` differ.
  @unsafe
  private static func divide<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ key: Int, _ difference: UInt64,
    by keys: Range<Int>, _ scratch: inout Scratch<Record>
  ) {
    let wanted = unsafe min(records.count, scratch.limit)
    if unsafe scratch.records.count < wanted {
      unsafe scratch.records.deallocate()
      unsafe scratch.records = .allocate(capacity: wanted)
    }
    // Groups of about eight records, which insertion then sorts.
    let bits = min(
      mostBits, max(fewestBits, Int.bitWidth - 4 - records.count.leadingZeroBitCount))
    let shift = UInt64(max(0, UInt64.bitWidth - difference.leadingZeroBitCount - bits))
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 << mostBits) { places in
      let ends = unsafe UnsafeMutableBufferPointer(rebasing: places[..<(1 << bits)])
      if unsafe records.count <= scratch.records.count {
        unsafe distribute(records, ends, (key, shift, bits), scratch.records)
      } else {
        let nexts = unsafe UnsafeMutableBufferPointer(rebasing: places[(1 << mostBits)...])
        unsafe distribute(records, ends, nexts, (key, shift, bits))
      }
      var start = 0
      for digit in 0..<ends.count {
        let end = unsafe ends[digit]
        if end - start > 1 {
          unsafe sort(
            UnsafeMutableBufferPointer(rebasing: records[start..<end]), by: keys, &scratch)
        }
        start = end
      }
    }
  }

  /// A range of bits in one of the integers of a record.
  private typealias Digit = (key: Int, shift: UInt64, bits: Int)

  @inline(__always)
  private static func value<Record: Sortable>(_ digit: Digit, of record: Record) -> Int {
    Int(record.word(digit.key) &>> digit.shift & (1 &<< UInt64(digit.bits) &- 1))
  }

  /// Sets `starts` to the index at which the records with each digit start.
  @unsafe
  private static func count<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ starts: UnsafeMutableBufferPointer<Int>,
    _ digit: Digit
  ) {
    unsafe starts.initialize(repeating: 0)
    // A digit has `bits` bits, and `starts` has 1 << `bits` elements.
    for i in 0..<records.count { unsafe starts[value(digit, of: records[i])] &+= 1 }
    var start = 0
    for i in 0..<starts.count {
      let count = unsafe starts[i]
      unsafe starts[i] = start
      start &+= count
    }
  }

  /// Orders records by a digit. Records with the same digit keep their order.
  ///
  /// - Parameters:
  ///   - ends: set to the index at which the records of each digit end.
  ///   - scratch: memory for at least as many records.
  @unsafe
  private static func distribute<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ ends: UnsafeMutableBufferPointer<Int>,
    _ digit: Digit, _ scratch: UnsafeMutableBufferPointer<Record>
  ) {
    unsafe count(records, ends, digit)
    // The counts of all digits add up to the number of records, so each index is less than it.
    for i in 0..<records.count {
      let record = unsafe records[i]
      let digit = value(digit, of: record)
      unsafe scratch[ends[digit]] = record
      unsafe ends[digit] &+= 1
    }
    if let start = scratch.baseAddress {
      unsafe records.baseAddress?.update(from: start, count: records.count)
    }
  }

  /// Orders records by a digit in place.
  ///
  /// - Parameters:
  ///   - ends: set to the index at which the records of each digit end.
  ///   - nexts: memory for at least as many numbers.
  @unsafe
  private static func distribute<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ ends: UnsafeMutableBufferPointer<Int>,
    _ nexts: UnsafeMutableBufferPointer<Int>, _ digit: Digit
  ) {
    unsafe count(records, ends, digit)
    for i in 0..<ends.count { unsafe nexts[i] = ends[i] }
    for i in 1..<ends.count { unsafe ends[i &- 1] = ends[i] }
    unsafe ends[ends.count &- 1] = records.count
    for own in 0..<ends.count {
      // Each step moves one record to its final place. The counts of all digits add up to the number of
      // records, so no digit receives more records than it has places.
      while unsafe nexts[own] < ends[own] {
        var record = unsafe records[nexts[own]]
        var other = value(digit, of: record)
        while other != own {
          let place = unsafe nexts[other]
          unsafe nexts[other] = place &+ 1
          unsafe swap(&records[place], &record)
          other = value(digit, of: record)
        }
        unsafe records[nexts[own]] = record
        unsafe nexts[own] &+= 1
      }
    }
  }

  @unsafe
  private static func insert<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, by keys: Range<Int>
  ) {
    guard records.count > 1 else { return }
    for i in 1..<records.count {
      let record = unsafe records[i]
      var place = i
      while place > 0, unsafe precedes(record, records[place &- 1], keys) {
        unsafe records[place] = records[place &- 1]
        place &-= 1
      }
      unsafe records[place] = record
    }
  }

  @inline(__always)
  private static func precedes<Record: Sortable>(
    _ a: Record, _ b: Record, _ keys: Range<Int>
  ) -> Bool {
    for key in keys {
      let (x, y) = (a.word(key), b.word(key))
      if x != y { return x < y }
    }
    return false
  }
}
