import RealmModel
import RealmStorage

/// The entries of one index: a run for each piece, in memory or in an unlinked file. Used by one thread at a time.
final class BuildIndex: @unchecked Sendable {
  /// Entries that come one leaf after the other become a run when they have this many bytes.
  private static let looseByteCount = 4 << 20

  let column: BuildColumn
  let form: IndexEntryList.Form
  private let order: StoredOrder
  private let table: BuildTable
  private let budget: MemoryBudget
  /// The runs in the order of their objects, except in a mixed index.
  private var runs: [(place: IndexRunReader.Place, objects: IndexRun.Objects)] = []
  /// Number of runs in the file, which come first.
  private var filed = 0
  private var file: SpillFile?
  /// Number of bytes of the runs in memory.
  private var byteCount = 0
  /// Entries that are not in a run yet.
  private var loose: IndexEntryList?

  /// Whether an index of its type usually has about as many values as objects. Words, numbers and flags repeat.
  var hasManyValues: Bool {
    form != .words && column.property.type != .int && column.property.type != .bool
  }

  init(
    _ column: BuildColumn, of table: BuildTable, _ order: StoredOrder, _ budget: MemoryBudget
  ) {
    (self.column, self.table, self.order, self.budget) = (column, table, order, budget)
    form = IndexEntryList.Form(of: column)
    budget.join()
  }

  deinit {
    budget.add(-byteCount)
    budget.leave()
  }

  /// Appends the entries of a piece.
  ///
  /// - Parameter first: number of the first object of the piece in its class.
  /// - Throws: `cannotCreate` and `inputOutput` of the file.
  func append(_ run: IndexRun, firstObject first: Int) throws(RealmFileError) {
    guard run.bytes.count > 0 else { return }
    runs.append((.memory(run.bytes), run.hasKeys ? .keys : .numbers(first: first)))
    byteCount += run.bytes.count
    budget.add(run.bytes.count)
    if budget.isExceeded(by: byteCount) { try spill() }
  }

  /// Appends entries of a mixed index, whose objects are keys.
  ///
  /// - Throws: as ``append(_:firstObject:)``.
  func append(loose entries: IndexEntryList) throws(RealmFileError) {
    let all = loose ?? IndexEntryList(form, order)
    loose = all
    all.append(entries)
    if all.byteCount > BuildIndex.looseByteCount { try endLoose() }
  }

  private func endLoose() throws(RealmFileError) {
    guard let entries = loose else { return }
    loose = nil
    try append(
      IndexRun(sorting: entries, .keys, scratchByteCount: budget.scratchByteCount), firstObject: 0)
  }

  /// Moves the runs in memory to the file.
  private func spill() throws(RealmFileError) {
    let target = if let file { file } else { try SpillFile(isEncrypted: budget.encryptsFiles) }
    file = target
    for i in filed..<runs.count {
      guard case .memory(let bytes) = runs[i].place else { continue }
      let start = target.byteCount
      try target.append(bytes)
      runs[i].place = .file(target, start..<target.byteCount)
    }
    filed = runs.count
    budget.add(-byteCount)
    byteCount = 0
  }

  /// Merges all runs.
  ///
  /// - Throws: as ``append(_:firstObject:)``.
  func merge() throws(RealmFileError) -> IndexMerge {
    try endLoose()
    return try IndexMerge(
      runs, form, order, table, scratchByteCount: budget.scratchByteCount)
  }

  // MARK: Primary keys

  /// The primary key in an entry of `batch`.
  func data(of entry: IndexEntry, in batch: IndexBatch) -> IndexData {
    guard entry.byteCount > 0 else { return .null }
    return IndexData(batch.bytes.slice(at: entry.position, count: entry.byteCount - 1))
  }

  /// The primary key in an entry of `batch`, for messages.
  func value(of entry: IndexEntry, in batch: IndexBatch) -> RealmValue {
    let bytes: [UInt8]
    switch data(of: entry, in: batch) {
    case .null: return .null
    case .short(let low, let high, let count):
      if column.property.type == .int { return .int(Int64(bitPattern: low)) }
      bytes = IndexData.bytes(low: low, high: high, count: Int(count))
    case .long(let slice): bytes = slice.bytes
    }
    switch column.property.type {
    case .objectId: return .objectId(bytes)
    case .uuid: return .uuid(bytes)
    default:
      return String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .malformedString(bytes)
    }
  }
}
