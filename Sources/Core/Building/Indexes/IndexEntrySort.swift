import RealmModel
import RealmStorage

/// Sorts the entries of an index in the order of the index: by chunks, then by value, then by object.
struct IndexEntrySort {
  let form: IndexEntryList.Form
  let order: StoredOrder
  /// ``IndexEntry/width`` integers per entry.
  let records: RecordBuffer
  /// The bytes of the entries of the longer forms.
  let bytes: ByteStore
  /// The most bytes of memory to use while sorting.
  let scratchByteCount: Int

  func run() {
    guard form != .short else {
      return records.sort(
        0..<records.count, by: 0..<IndexEntry.width, scratchByteCount: scratchByteCount)
    }
    sort(0..<records.count, by: 0)
    records.forEachGroup(of: 0..<records.count) { group in
      let first = records[IndexEntry.width * group.lowerBound]
      sort(group, from: 8)
      for i in group { records[IndexEntry.width * i] = first }
    }
  }

  /// Sorts entries by one of their integers.
  private func sort(_ range: Range<Int>, by word: Int) {
    records.sort(range, by: word..<(word + 1), scratchByteCount: scratchByteCount)
  }

  /// Sorts entries whose chunks before `offset` are equal: by their next two chunks, and so on. The first integer
  /// of each record holds these chunks meanwhile.
  private func sort(_ range: Range<Int>, from offset: Int) {
    let isAtEnd = range.allSatisfy { records.entry($0).byteCount <= offset }
    if isAtEnd, form != .mixed { return sort(range, by: 2) }
    guard !isAtEnd, offset + 8 <= LongIndexEntry.limit else { return compare(range) }
    for i in range {
      let entry = LongIndexEntry(entry: records.entry(i), bytes: bytes)
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
      let entry = records.entry(i)
      return LongIndexEntry(
        entry: IndexEntry(first: 0, second: entry.second, object: entry.object), bytes: bytes)
    }.sorted { LongIndexEntry.precedes($0, $1, form, order) }
    for (i, sorted) in zip(range, sorted) {
      let start = IndexEntry.width * i
      (records[start + 1], records[start + 2]) = (sorted.entry.second, sorted.entry.object)
    }
  }
}

extension RecordBuffer {
  /// The index entry in record `i`.
  func entry(_ i: Int) -> IndexEntry {
    let start = IndexEntry.width * i
    return IndexEntry(first: self[start], second: self[start + 1], object: self[start + 2])
  }
}
