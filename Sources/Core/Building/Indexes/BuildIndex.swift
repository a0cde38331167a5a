import RealmModel
import RealmStorage
import Synchronization

/// The entries of one index. Used by one thread at a time, except for ``finish()``.
final class BuildIndex: @unchecked Sendable {
  private enum Runs {
    case short(SortedRuns)
    case long(LongIndexRuns)
  }

  let column: BuildColumn
  let form: IndexEntryList.Form
  private let runs: Runs
  private let isFinished = Mutex(false)

  init(_ column: BuildColumn, _ budget: MemoryBudget) {
    self.column = column
    form = IndexEntryList.Form(of: column)
    runs =
      form == .short
      ? .short(SortedRuns(width: IndexEntry.width, budget: budget))
      : .long(LongIndexRuns(form, budget: budget))
  }

  /// Appends the entries of a piece.
  ///
  /// - Parameter keys: the object keys by number of the object; nil if the entries have the keys already.
  /// - Throws: the errors of an unlinked file.
  func append(_ added: IndexEntryList, keys: [UInt64]?) throws(RealmFileError) {
    switch runs {
    case .short(let runs): try runs.append(added.records, thirds: keys)
    case .long(let runs): try runs.append(added, keys: keys)
    }
  }

  /// Ends appending, and sorts the entries unless they are sorted already. While a thread sorts, others wait.
  ///
  /// - Throws: as ``append(_:keys:)``.
  func finish() throws(RealmFileError) {
    try isFinished.withLock { (isFinished) throws(RealmFileError) in
      guard !isFinished else { return }
      switch runs {
      case .short(let runs): try runs.finish()
      case .long(let runs): try runs.finish()
      }
      isFinished = true
    }
  }

  /// The next entries in the order of the index; an empty batch at the end.
  ///
  /// - Throws: as ``append(_:keys:)``.
  func next() throws(RealmFileError) -> IndexEntryBatch {
    switch runs {
    case .short(let runs): IndexEntryBatch(words: try runs.next(), bytes: BuildIndex.noBytes)
    case .long(let runs): try runs.next()
    }
  }

  private static let noBytes = ByteStore()

  // MARK: Primary keys

  /// The primary key in an entry of `batch`.
  func data(of entry: IndexEntry, in batch: IndexEntryBatch) -> IndexData {
    guard form == .short else {
      guard entry.byteCount > 0 else { return .null }
      return IndexData(batch.bytes.slice(at: entry.position, count: entry.byteCount - 1))
    }
    // The first byte is the highest of a chunk, but the lowest of index data.
    let low = (entry.first ^ IndexEntryList.signs).byteSwapped
    let high = (entry.second ^ IndexEntryList.signs).byteSwapped
    guard low != 0 || high != 0 else { return .null }
    return column.property.type == .int
      ? .short(low: low, high: 0, count: 8)
      : .short(low: low, high: high & 0xFFFF_FFFF, count: UInt8(FixedBytesLeaf.objectIdSize))
  }

  /// The primary key in an entry of `batch`, for messages.
  func value(of entry: IndexEntry, in batch: IndexEntryBatch) -> RealmValue {
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
