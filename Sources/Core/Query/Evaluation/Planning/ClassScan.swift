import RealmModel
import RealmStorage
import Synchronization

/// Finds the objects of a class that match a condition, with several threads.
struct ClassScan {
  /// Number of clusters, or of batches of candidates, in a part.
  private static let batchesPerPart = 4
  /// Largest number of keys to reserve room for at the start.
  private static let reservedKeyCount = 1 << 20
  /// The keys of up to this many rows are decoded one by one.
  private static let fewRows = 16

  let realm: Realm
  let table: Table
  let condition: Condition
  let plan: QueryPlan
  let jobs: Int

  /// The objects to look at.
  enum Candidates {
    case all
    /// The keys of some objects, in ascending order.
    ///
    /// - Parameter mayBeMissing: whether objects that do not exist are left out rather than an error.
    case keys([ObjectKey], mayBeMissing: Bool)
  }

  struct Result {
    /// In ascending order.
    var keys: [ObjectKey] = []
    var lookedAtCount = 0
  }

  private struct Output {
    var keys: [ObjectKey] = []
    var lookedAtCount = 0
    var byteCount = 0
  }

  /// - Throws: `damaged`; the errors of an encrypted realm.
  func run(_ candidates: Candidates = .all) throws(RealmFileError) -> Result {
    switch candidates {
    case .all:
      let clusters = try PropertyReader(realm).clusters(of: table)
      return try run(over: clusters) { (evaluator, cluster) throws(RealmFileError) in
        try evaluator.reader.rows(at: cluster, of: table)
      }
    case .keys(let keys, let mayBeMissing):
      let batches = stride(from: 0, to: keys.count, by: ObjectBatch.capacity).map {
        Array(keys[$0..<min($0 + ObjectBatch.capacity, keys.count)])
      }
      return try run(over: batches) { (evaluator, keys) throws(RealmFileError) in
        mayBeMissing
          ? try evaluator.reader.existingRows(keys, of: table)
          : try evaluator.reader.rows(keys, of: table)
      }
    }
  }

  private func run<Batch: Sendable>(
    over batches: [Batch],
    _ open: @Sendable (Evaluator, Batch) throws(RealmFileError) -> PropertyReader.Rows
  ) throws(RealmFileError) -> Result {
    // Each byte of a property is read at most twice; reading more means that the tree has a node twice.
    let byteLimit = realm.snapshot.top.logicalSize.multipliedReportingOverflow(
      by: 2 * (table.columns.count + table.backlinkColumns.count + 1))
    var result = Result()
    // Avoids copies while the result grows. The system provides memory only where it is used.
    result.keys.reserveCapacity(
      min(batches.count * ObjectBatch.capacity, ClassScan.reservedKeyCount))
    let total = Mutex((result: result, byteCount: 0))
    let partCount = (batches.count + ClassScan.batchesPerPart - 1) / ClassScan.batchesPerPart
    let parts = OrderedParts<Output, RealmFileError>(
      count: partCount, jobs: jobs, isShallow: true,
      accept: { [table] (_, output) throws(RealmFileError) in
        try total.withLock { (total) throws(RealmFileError) in
          total.result.keys += output.keys
          total.result.lookedAtCount += output.lookedAtCount
          total.byteCount += output.byteCount
          guard byteLimit.overflow || total.byteCount <= byteLimit.partialValue else {
            throw RealmFileError(
              .damaged(.storageNodeOverlap), className: table.className.text,
              detail: "the objects read so far take more bytes than the file has")
          }
        }
      })
    let cancellation = Cancellation.current
    try parts.run {
      () throws(RealmFileError) in
      try Evaluator(realm, plan)
    } _: { (evaluator, part) throws(RealmFileError) in
      try cancellation?.check()
      let start = part * ClassScan.batchesPerPart
      var output = Output()
      output.keys.reserveCapacity(ClassScan.batchesPerPart * ObjectBatch.capacity)
      let before = evaluator.reader.scannedByteCount
      for batch in batches[start..<min(start + ClassScan.batchesPerPart, batches.count)] {
        try evaluate(evaluator, try open(evaluator, batch), into: &output)
      }
      output.byteCount = evaluator.reader.scannedByteCount - before
      return output
    }
    return total.withLock { $0.result }
  }

  private func evaluate(
    _ evaluator: Evaluator, _ rows: PropertyReader.Rows, into output: inout Output
  ) throws(RealmFileError) {
    let mark = evaluator.reader.mark()
    defer { evaluator.reader.release(to: mark) }
    let frame = ObjectFrame(rows, evaluator.reader)
    let found = try evaluator.rows(
      matching: condition, frame, in: RowMask(count: rows.count))
    output.lookedAtCount += rows.count
    if found.count > ClassScan.fewRows {
      unsafe evaluator.reader.withKeys(of: rows) {
        unsafe found.append(elementsOf: $0, to: &output.keys)
      }
    } else {
      found.forEachRow { output.keys.append(rows.key(at: $0)) }
    }
  }
}
