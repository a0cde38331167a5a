import RealmModel
import RealmStorage

/// Sorted entries of an index in a compact form: each value once, with the objects that have it.
///
/// ```
/// number   number of bytes of the value with its terminator; 0 for null
/// bytes    the value and its terminator
/// 17       in a mixed index only: what distinguishes values with the same bytes
/// number   number of objects less one; always 0 in a mixed index, whose order interleaves objects of several values
/// number   the number of bytes of the objects after the first, if there are any
/// numbers  the first object, then the difference to the object before for each other
/// ```
///
/// Numbers are ``CompactNumber``s. An index of a million different dates takes 16 bytes for each, a word that is in
/// most objects little more than one byte for each of them.
struct IndexRun: Sendable {
  /// What the objects of a run are.
  enum Objects {
    /// Object keys.
    case keys
    /// Numbers of objects of the class, less `first`.
    case numbers(first: Int)
  }

  /// What the objects of a list are.
  enum ListedObjects {
    /// Object keys.
    case keys
    /// Positions in an array of object keys.
    case keyed([ObjectKey])
    /// Numbers of objects that get their keys later.
    case unkeyed
  }

  let bytes: ByteStore
  /// Whether objects are keys, and not numbers within the piece.
  let hasKeys: Bool

  /// Sorts and compacts the entries of a list, which has no defined order afterwards.
  ///
  /// - Parameters:
  ///   - objects: what the objects of the list are.
  ///   - scratchByteCount: the most bytes of memory to use while sorting.
  init(sorting entries: IndexEntryList, _ objects: ListedObjects, scratchByteCount: Int) {
    IndexEntrySort(
      form: entries.form, order: entries.order, records: entries.records, bytes: entries.bytes,
      scratchByteCount: scratchByteCount
    ).run()
    let writer = Writer(entries, objects)
    writer.run()
    bytes = writer.output
    bytes.releaseSpareMemory()
    if case .unkeyed = objects { hasKeys = false } else { hasKeys = true }
  }

  /// Compacts sorted entries.
  private struct Writer {
    private let form: IndexEntryList.Form
    private let records: RecordBuffer
    private let bytes: ByteStore
    private let keys: [ObjectKey]?
    let output = ByteStore()
    /// The objects of the current value after the first.
    private let others = ByteStore()

    init(_ entries: IndexEntryList, _ objects: ListedObjects) {
      (form, records, bytes) = (entries.form, entries.records, entries.bytes)
      if case .keyed(let keys) = objects { self.keys = keys } else { keys = nil }
    }

    func run() {
      let count = records.count
      var start = 0
      while start < count {
        let entry = records.entry(start)
        var end = start + 1
        if form != .mixed {
          while end < count, isEqual(entry, records.entry(end)) { end += 1 }
        }
        append(entry)
        appendObjects(of: start..<end)
        start = end
      }
    }

    private func isEqual(_ a: IndexEntry, _ b: IndexEntry) -> Bool {
      guard a.first == b.first else { return false }
      guard form != .short else { return a.second == b.second }
      return a.byteCount == b.byteCount
        && (a.byteCount <= 8
          || bytes.areEqual(a.position + 8, b.position + 8, count: a.byteCount - 8))
    }

    private func append(_ entry: IndexEntry) {
      guard form == .short else {
        output.append(compact: UInt64(entry.byteCount))
        output.append(
          bytes.slice(at: entry.position, count: entry.byteCount + form.valueByteCount))
        return
      }
      // The first byte is the highest of a chunk. The last byte that is not 0 is the terminator.
      let low = (entry.first ^ IndexEntryList.signs).byteSwapped
      let high = (entry.second ^ IndexEntryList.signs).byteSwapped
      let count = 16 - (high == 0 ? 64 + low.leadingZeroBitCount : high.leadingZeroBitCount) / 8
      output.append(UInt8(count))
      output.append(low, high, count: count)
    }

    private func object(_ i: Int) -> UInt64 {
      let number = records[IndexEntry.width * i + 2]
      return keys.map { UInt64(bitPattern: $0[Int(number)].raw) } ?? number
    }

    private func appendObjects(of range: Range<Int>) {
      let first = object(range.lowerBound)
      guard range.count > 1 else {
        output.append(0 as UInt8)
        return output.append(compact: first)
      }
      var (last, count) = (first, 0)
      others.removeAll()
      for i in range.dropFirst() {
        let next = object(i)
        // A word that is repeated in an object counts once.
        if next == last, form == .words { continue }
        others.append(compact: next &- last)
        (last, count) = (next, count + 1)
      }
      output.append(compact: UInt64(count))
      if count > 0 { output.append(compact: UInt64(others.count)) }
      output.append(compact: first)
      output.append(others)
    }
  }
}
