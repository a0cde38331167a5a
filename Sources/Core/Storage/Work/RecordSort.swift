/// Sorts records in place: byte by byte from the highest one, and only by bytes that differ.
///
/// Records that compare as equal can change places.
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

  /// - Parameters:
  ///   - start: the first of `count` records.
  ///   - keys: the integers to sort by, as unsigned numbers; the first one counts most.
  @unsafe
  static func sort<Record: Sortable>(
    _ start: UnsafeMutableRawPointer, _ count: Int, as _: Record.Type, by keys: Range<Int>
  ) {
    let records = unsafe UnsafeMutableBufferPointer(
      start: start.assumingMemoryBound(to: Record.self), count: count)
    unsafe sort(records, by: keys)
  }

  @unsafe
  private static func sort<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, by keys: Range<Int>
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
        // The highest byte that differs. All bytes above it are equal, so each call sorts by a lower byte,
        // and calls are nested up to eight deep for each key.
        let shift = UInt64(63 - (any ^ all).leadingZeroBitCount) & ~7
        return unsafe distribute(records, key, shift, by: keys)
      }
      guard !rest.isEmpty else { return }
      var start = 0
      while start < records.count {
        let word = unsafe records[start].word(key)
        var end = start + 1
        while end < records.count, unsafe records[end].word(key) == word { end += 1 }
        unsafe sort(UnsafeMutableBufferPointer(rebasing: records[start..<end]), by: rest)
        start = end
      }
      return
    }
  }

  /// Moves each record to the records with the same byte, then sorts these.
  @unsafe
  private static func distribute<Record: Sortable>(
    _ records: UnsafeMutableBufferPointer<Record>, _ key: Int, _ shift: UInt64, by keys: Range<Int>
  ) {
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * 256) { places in
      unsafe places.initialize(repeating: 0)
      @inline(__always)
      func digit(_ record: Record) -> Int { Int(record.word(key) &>> shift & 0xFF) }
      // The places from 256 on are the ends of the digits; those below are where their next record goes.
      for i in 0..<records.count { unsafe places[256 &+ digit(records[i])] &+= 1 }
      var end = 0
      for digit in 0..<256 {
        unsafe places[digit] = end
        unsafe end &+= places[256 &+ digit]
        unsafe places[256 &+ digit] = end
      }
      for own in 0..<256 {
        // Each step puts one record in its final place: the counts of all digits add up to the number of
        // records, so a digit never gets more records than it has places.
        while unsafe places[own] < places[256 &+ own] {
          var record = unsafe records[places[own]]
          var digit = digit(record)
          while digit != own {
            let place = unsafe places[digit]
            unsafe places[digit] = place &+ 1
            unsafe swap(&records[place], &record)
            digit = Int(record.word(key) &>> shift & 0xFF)
          }
          unsafe records[places[own]] = record
          unsafe places[own] &+= 1
        }
      }
      var start = 0
      for digit in 0..<256 {
        let end = unsafe places[256 &+ digit]
        if end - start > 1 {
          unsafe sort(UnsafeMutableBufferPointer(rebasing: records[start..<end]), by: keys)
        }
        start = end
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
