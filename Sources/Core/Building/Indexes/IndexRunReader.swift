import RealmModel
import RealmStorage

/// A value of an index and the objects that have it, as a reader of a run holds it.
struct IndexGroup {
  /// The entry of the value and its first object, whose bytes are in the block of the reader.
  let entry: IndexEntry
  /// The first object as it is stored.
  let object: UInt64
  /// Place of the objects after the first.
  let others: Range<Int>
}

/// Reads an ``IndexRun`` in blocks of groups, which are its values in order.
struct IndexRunReader {
  /// Where the bytes of the run are.
  enum Place {
    case memory(ByteStore)
    case file(SpillFile, Range<Int>)
  }

  /// The most groups and bytes of a block.
  struct Limits {
    var groups: Int
    var bytes: Int

    /// The most for the block of a run that no other run overlaps, and the fewest groups.
    static let (most, fewestGroups) = (Limits(groups: 1 << 12, bytes: 1 << 17), 16)
  }

  private let form: IndexEntryList.Form
  private let objects: IndexRun.Objects
  private let table: BuildTable
  private let place: Place
  /// The bytes of the groups: the whole run, or a part of the file.
  let bytes: ByteStore
  /// Position in `bytes` of the group after the block.
  private var next = 0
  /// Range in the file of what is not in `bytes`.
  private var rest: Range<Int>
  private let windowByteCount: Int
  private var limits: Limits
  /// The groups of the block; those before `taken` are taken.
  private var groups: [IndexGroup] = []
  private var taken = 0
  /// Whether no groups follow after the block.
  private(set) var isLastBlock = false

  /// - Parameters:
  ///   - limits: the most groups and bytes of a block at first. A block has a group, whatever its length.
  ///   - windowByteCount: number of bytes to read from a file at once.
  init(
    _ place: Place, _ objects: IndexRun.Objects, _ form: IndexEntryList.Form, _ table: BuildTable,
    limits: Limits, windowByteCount: Int
  ) {
    (self.place, self.objects, self.form, self.table) = (place, objects, form, table)
    self.limits = Limits(
      groups: min(max(limits.groups, Limits.fewestGroups), Limits.most.groups),
      bytes: min(limits.bytes, Limits.most.bytes))
    self.windowByteCount = windowByteCount
    switch place {
    case .memory(let store): (bytes, rest) = (store, 0..<0)
    case .file(_, let range): (bytes, rest) = (ByteStore(), range)
    }
  }

  /// Whether all groups are taken.
  var isFinished: Bool { isLastBlock && taken == groups.count }

  /// The first group that is not taken, which must exist.
  var head: LongIndexEntry { LongIndexEntry(entry: groups[taken].entry, bytes: bytes) }
  /// The last group of the block, which must exist.
  var last: LongIndexEntry { LongIndexEntry(entry: groups[groups.count - 1].entry, bytes: bytes) }

  /// Position in `bytes` of the first group that is not taken.
  private var position: Int {
    if taken > 0 { return groups[taken - 1].others.upperBound }
    return groups.isEmpty ? next : start
  }
  /// Position in `bytes` of the first group of the block.
  private var start = 0

  /// Number of bytes of the groups that are not taken.
  var byteCount: Int { next - position }

  /// Number of groups that are not taken.
  var count: Int { groups.count - taken }

  /// Moves the next `count` groups into a batch.
  mutating func take(_ count: Int, into batch: IndexBatch) {
    let bytes = bytes
    // A local variable, because each access to a property is checked for exclusivity.
    var objects = IndexObjects()
    swap(&objects, &batch.objects)
    defer { swap(&objects, &batch.objects) }
    for i in taken..<(taken + count) {
      let group = groups[i]
      let (entry, start) = (group.entry, batch.bytes.count)
      var object = entry.object
      if form != .mixed {
        object = objects.append(object) { keys in
          if !group.others.isEmpty { appendOthers(of: group, to: &keys) }
        }
      }
      batch.records.append(entry.first, UInt64(start) << 24 | UInt64(entry.byteCount), object)
      batch.bytes.append(
        bytes.slice(at: entry.position, count: entry.byteCount + form.valueByteCount))
    }
    taken += count
  }

  /// Number of groups, of those that are not taken, that come before `end`, or up to it.
  func count(before end: LongIndexEntry, including includesEnd: Bool, _ order: StoredOrder) -> Int {
    let first = end.entry.first
    var (low, high) = (taken, groups.count)
    while low < high {
      let middle = (low + high) / 2
      let entry = groups[middle].entry
      let isBefore: Bool
      if entry.first != first {
        isBefore = entry.first < first
      } else {
        let entry = LongIndexEntry(entry: entry, bytes: bytes)
        isBefore =
          includesEnd
          ? !LongIndexEntry.precedes(end, entry, form, order)
          : LongIndexEntry.precedes(entry, end, form, order)
      }
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low - taken
  }

  /// Makes the following blocks longer.
  mutating func lengthen() {
    limits.groups = min(2 * limits.groups, Limits.most.groups)
    limits.bytes = min(2 * limits.bytes, Limits.most.bytes)
  }

  /// Whether less than half of a block is left.
  private var isShort: Bool {
    2 * (groups.count - taken) < limits.groups && 2 * byteCount < limits.bytes
      || taken == groups.count
  }

  /// Removes the groups that are taken, and reads more, if less than half of the block is left.
  ///
  /// - Throws: `inputOutput` of the file; `unsupported` if it has other bytes than were written to it.
  mutating func fill() throws(RealmFileError) {
    guard !isLastBlock, isShort else { return }
    start = position
    groups.removeSubrange(..<taken)
    taken = 0
    parse()
    var count = windowByteCount
    while isShort, !rest.isEmpty, case .file(let file, _) = place {
      // Groups that are not taken, and the beginning of the next one, are read again.
      let begin = rest.lowerBound - (bytes.count - start)
      let end = min(begin + max(count, 2 * (bytes.count - start)), rest.upperBound)
      try file.read(at: begin, count: end - begin, into: bytes)
      groups.removeAll(keepingCapacity: true)
      (start, next, rest) = (0, 0, end..<rest.upperBound)
      parse()
      // Longer groups need a longer window, but a group is enough.
      if !groups.isEmpty { break }
      count *= 2
    }
    isLastBlock = rest.isEmpty && next == bytes.count
    guard isLastBlock || !groups.isEmpty else {
      throw RealmFileError(.unsupported("a temporary file has other bytes than were written to it"))
    }
  }

  /// Appends groups to the block until it is full or `bytes` end. The last group may be incomplete.
  private mutating func parse() {
    let all = bytes.slice(at: 0, count: bytes.count)
    while groups.count < limits.groups, groups.isEmpty || next - start < limits.bytes {
      var offset = next
      guard let count = CompactNumber.read(all, at: &offset) else { return }
      let valueStart = offset
      offset += Int(count) + form.valueByteCount
      guard let otherCount = CompactNumber.read(all, at: &offset) else { return }
      var othersByteCount: UInt64 = 0
      if otherCount > 0 {
        guard let count = CompactNumber.read(all, at: &offset) else { return }
        othersByteCount = count
      }
      guard let object = CompactNumber.read(all, at: &offset),
        offset + Int(othersByteCount) <= all.count
      else { return }
      next = offset + Int(othersByteCount)
      groups.append(
        IndexGroup(
          entry: IndexEntry(
            first: LongIndexEntry.firstWord(of: all, at: valueStart, count: Int(count)),
            second: UInt64(valueStart) << 24 | count, object: key(object)),
          object: object, others: offset..<next))
    }
  }

  /// The key of an object of the run.
  private func key(_ object: UInt64) -> UInt64 {
    guard case .numbers(let first) = objects else { return object }
    return UInt64(bitPattern: table.objectKey(first + Int(object)).raw)
  }

  /// Appends the keys of the objects of `group` after the first, which ascend.
  private func appendOthers(of group: IndexGroup, to keys: inout [UInt64]) {
    let slice = bytes.slice(at: group.others.lowerBound, count: group.others.count)
    var (offset, object) = (0, group.object)
    while let difference = CompactNumber.read(slice, at: &offset) {
      object &+= difference
      keys.append(key(object))
    }
  }
}
