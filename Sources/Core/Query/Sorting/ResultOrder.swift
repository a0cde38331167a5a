import RealmModel
import RealmStorage
import Synchronization

/// Applies `SORT`, `DISTINCT` and `LIMIT` (chapter 6, section 4.17).
///
/// Sorting takes about 40 bytes per object and path. A sort followed by a limit keeps only as many objects
/// as the limit.
struct ResultOrder {
  /// Number of batches in a part.
  private static let batchesPerPart = 32

  private let realm: Realm
  private let table: Table
  private let plan: QueryPlan
  private let jobs: Int

  init(_ realm: Realm, _ table: Table, _ plan: QueryPlan, jobs: Int) {
    (self.realm, self.table, self.plan, self.jobs) = (realm, table, plan, jobs)
  }

  /// Applies the orderings in order. Consecutive sorts become one, with the later keys first.
  func apply(
    _ orderings: [Ordering], to keys: [ObjectKey], _ steps: inout [QueryStep]
  ) throws(RealmFileError) -> [ObjectKey] {
    var keys = keys
    var next = 0
    let clock = ContinuousClock()
    while next < orderings.count {
      let start = clock.now
      let before = keys.count
      let kind: QueryStep.Kind
      switch orderings[next] {
      case .limit(let count):
        kind = .limit
        keys = Array(keys.prefix(count))
      case .reversal:
        keys.reverse()
        next += 1
        continue
      case .distinct(let paths):
        kind = .distinct
        var rows = try rows(keys, paths, isAscending: paths.map { _ in true }, limit: nil)
        rows.removeMissing()
        keys = rows.firstPositions().map { keys[$0] }
      case .sort(var sortKeys):
        kind = .sort
        while next + 1 < orderings.count, case .sort(let more) = orderings[next + 1] {
          sortKeys = more + sortKeys
          next += 1
        }
        var limit: Int?
        if next + 1 < orderings.count, case .limit(let count) = orderings[next + 1] {
          limit = count
        }
        var rows = try rows(
          keys, sortKeys.map(\.path), isAscending: sortKeys.map(\.isAscending), limit: limit)
        rows.sort(limit: limit ?? .max)
        keys = rows.positions.map { keys[$0] }
      }
      next += 1
      steps.append(
        QueryStep(
          kind, lookedAtCount: before, foundCount: keys.count, duration: clock.now - start))
    }
    return keys
  }

  /// The objects with the values of `paths`.
  ///
  /// - Parameter limit: the number of objects that are needed; others may be left out.
  private func rows(
    _ keys: [ObjectKey], _ paths: [KeyPath], isAscending: [Bool], limit: Int?
  ) throws(RealmFileError) -> SortRows {
    let size = ResultOrder.batchesPerPart * ObjectBatch.capacity
    let all = Mutex(SortRows(isAscending: isAscending))
    let parts = OrderedParts<SortRows, RealmFileError>(
      count: (keys.count + size - 1) / size, jobs: jobs, isShallow: true,
      accept: { (_, rows) throws(RealmFileError) in all.withLock { $0.append(rows) } })
    let cancellation = Cancellation.current
    try parts.run {
      () throws(RealmFileError) in
      try Evaluator(realm, plan)
    } _: { (evaluator, part) throws(RealmFileError) in
      try cancellation?.check()
      let start = part * size
      var rows = SortRows(isAscending: isAscending)
      try add(keys, start..<min(start + size, keys.count), paths, limit, evaluator, to: &rows)
      return rows
    }
    return all.withLock { $0 }
  }

  /// Adds some of the objects; with a limit, only objects that can be among the first.
  private func add(
    _ keys: [ObjectKey], _ range: Range<Int>, _ paths: [KeyPath], _ limit: Int?,
    _ evaluator: Evaluator, to rows: inout SortRows
  ) throws(RealmFileError) {
    var worst: SortRows.Row?
    var (start, size) = (range.lowerBound, ObjectBatch.capacity)
    while start < range.upperBound {
      let mark = evaluator.reader.mark()
      let end = min(start + size, range.upperBound)
      do throws(RealmFileError) {
        let frame = try evaluator.frame(Array(keys[start..<end]), of: table)
        if try rows.add(paths, frame, at: start, before: worst, evaluator) {
          rows.keep(evaluator.reader.hold(since: mark))
        } else {
          evaluator.reader.release(to: mark)
        }
      } catch {
        evaluator.reader.release(to: mark)
        guard ObjectFrame.isTooMany(error), end - start > 1 else { throw error }
        size = (end - start + 1) / 2
        continue
      }
      (start, size) = (end, ObjectBatch.capacity)
      // Waiting for twice as many objects keeps the number of sorts low.
      if let limit, limit < ObjectBatch.capacity * ResultOrder.batchesPerPart,
        rows.count >= 2 * limit + ObjectBatch.capacity
      {
        worst = rows.sort(limit: limit)
      }
    }
  }
}
