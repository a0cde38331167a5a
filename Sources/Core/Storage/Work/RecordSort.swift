/// Sorts records by their highest bits that differ, then each group with the same bits.
///
/// Records are divided with the help of as much memory as they take, which keeps the order of equal ones. Those
/// that take more than a limit are divided in place first, which does not.
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

  /// The number of records up to which insertion is faster.
  private static let insertionCount = 24
  /// The most bits by which records are divided at once, and the fewest.
  private static let (mostBits, fewestBits) = (8, 4)

  /// - Parameters:
  ///   - start: the first of `count` records.
  ///   - keys: the integers to sort by, as unsigned numbers; the first one counts most.
  ///   - scratchByteCount: the most bytes of memory that are used for the time of the call.
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

  /// Memory for records, which is allocated when it is needed first.
  @unsafe
  private struct Scratch<Record: Sortable> {
    /// The most records.
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

  /// Divides records into groups by their highest bits that differ, then sorts each group.
  ///
  /// All bits above these are equal, so each nested call divides by lower bits: calls are nested up to 16 deep
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
    // Groups of about eight records, which are then sorted by insertion.
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

  /// Some bits of one of the integers of a record.
  private typealias Digit = (key: Int, shift: UInt64, bits: Int)

  @inline(__always)
  private static func value<Record: Sortable>(_ digit: Digit, of record: Record) -> Int {
    Int(record.word(digit.key) &>> digit.shift & (1 &<< UInt64(digit.bits) &- 1))
  }

  /// Sets `starts` to the places where the records with each digit start.
  @unsafe
  private static func count<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ starts: UnsafeMutableBufferPointer<Int>,
    _ digit: Digit
  ) {
    unsafe starts.initialize(repeating: 0)
    // A digit is below the number of its values, which is that of the places.
    for i in 0..<records.count { unsafe starts[value(digit, of: records[i])] &+= 1 }
    var start = 0
    for i in 0..<starts.count {
      let count = unsafe starts[i]
      unsafe starts[i] = start
      start &+= count
    }
  }

  /// Orders records by a digit. Those with the same digit keep their order.
  ///
  /// - Parameters:
  ///   - ends: is set to where the records of each digit end.
  ///   - scratch: memory for as many records or more.
  @unsafe
  private static func distribute<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ ends: UnsafeMutableBufferPointer<Int>,
    _ digit: Digit, _ scratch: UnsafeMutableBufferPointer<Record>
  ) {
    unsafe count(records, ends, digit)
    // The counts of all digits add up to the number of records, so each place is below it.
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
  ///   - ends: is set to where the records of each digit end.
  ///   - nexts: memory for as many numbers or more.
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
      // Each step puts one record in its final place: the counts of all digits add up to the number of records,
      // so a digit never gets more records than it has places.
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
