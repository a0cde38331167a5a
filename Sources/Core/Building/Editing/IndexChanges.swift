import RealmModel
import RealmStorage

/// The differences between the entries that some objects had in an index and those that they get.
enum IndexChanges {
  /// Returns the differences in the order of the index.
  ///
  /// - Throws: the errors of unlinked files.
  static func between(
    _ old: BuildIndex, _ new: BuildIndex, _ order: StoredOrder
  ) throws(RealmFileError) -> [IndexChange] {
    var (before, after) = (try Entries(old), try Entries(new))
    // Runs hold the bytes of all values.
    let form = old.form == .short ? .long : old.form
    var changes: [IndexChange] = []
    while before.current != nil || after.current != nil {
      switch Entries.order(before, after, form, order) {
      case ..<0:
        before.append(isAdded: false, to: &changes)
        try before.advance()
      case 0:
        try before.advance()
        try after.advance()
      default:
        after.append(isAdded: true, to: &changes)
        try after.advance()
      }
    }
    return changes
  }

  /// The entries of an index, one for each object and value.
  private struct Entries {
    private let index: BuildIndex
    private let merge: IndexMerge
    private var batch: IndexBatch
    private var position = 0
    private var objects: Range<Int> = 0..<0
    /// The current entry; nil after the last one.
    private(set) var current: (entry: LongIndexEntry, key: UInt64)?

    init(_ index: BuildIndex) throws(RealmFileError) {
      self.index = index
      merge = try index.merge()
      batch = try merge.next()
      try open()
    }

    /// Goes to the first object of the value at `position`.
    private mutating func open() throws(RealmFileError) {
      if position == batch.count { (batch, position) = (try merge.next(), 0) }
      guard position < batch.count else {
        current = nil
        return
      }
      let entry = batch.records.entry(position)
      objects = batch.objects.range(of: entry)
      let value = IndexEntry(first: entry.first, second: entry.second, object: 0)
      current = (
        LongIndexEntry(entry: value, bytes: batch.bytes), batch.objects.keys[objects.lowerBound]
      )
    }

    mutating func advance() throws(RealmFileError) {
      objects = objects.dropFirst()
      if let first = objects.first {
        current?.key = batch.objects.keys[first]
      } else {
        position += 1
        try open()
      }
    }

    func append(isAdded: Bool, to changes: inout [IndexChange]) {
      guard let current else { return }
      changes.append(
        IndexChange(
          value: IndexedBytes(index.data(of: current.entry.entry, in: batch)),
          key: ObjectKey(Int64(bitPattern: current.key)), isAdded: isAdded))
    }

    /// -1 if the current entry of `a` comes first, 1 if that of `b` does, 0 if they are equal.
    static func order(
      _ a: Entries, _ b: Entries, _ form: IndexEntryList.Form, _ order: StoredOrder
    ) -> Int {
      guard let x = a.current else { return 1 }
      guard let y = b.current else { return -1 }
      if LongIndexEntry.precedes(x.entry, y.entry, form, order) { return -1 }
      if LongIndexEntry.precedes(y.entry, x.entry, form, order) { return 1 }
      return x.key < y.key ? -1 : x.key == y.key ? 0 : 1
    }
  }
}
