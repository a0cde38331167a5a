import RealmModel
import RealmStorage

/// `SORT`, `DISTINCT` and `LIMIT` (chapter 6, section 4.17).
struct ResultOrder {
  private let realm: Realm
  private let table: Table
  private let jobs: Int

  init(_ realm: Realm, _ table: Table, jobs: Int) {
    (self.realm, self.table, self.jobs) = (realm, table, jobs)
  }

  /// Applies the orderings, one after the other. Consecutive sorts are one, with the later keys first.
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
      case .distinct(let paths):
        kind = .distinct
        keys = try distinct(keys, paths)
      case .sort(var sortKeys):
        kind = .sort
        while next + 1 < orderings.count, case .sort(let more) = orderings[next + 1] {
          sortKeys = more + sortKeys
          next += 1
        }
        keys = try sorted(keys, sortKeys)
      }
      next += 1
      steps.append(
        QueryStep(
          kind, lookedAtCount: before, foundCount: keys.count, duration: clock.now - start))
    }
    return keys
  }

  /// The values of one path for objects; the bytes of the values are readable while the column lives.
  private struct SortColumn {
    var values: [QueryValue] = []
    /// Whether a link on the way to each value is null.
    var isMissing: [Bool] = []
    var owners: [any Sendable] = []
  }

  private func columns(
    _ keys: [ObjectKey], _ paths: [KeyPath]
  ) throws(RealmFileError) -> [SortColumn] {
    let evaluator = try Evaluator(realm, QueryPlan())
    var columns = Array(repeating: SortColumn(), count: paths.count)
    for start in stride(from: 0, to: keys.count, by: ObjectBatch.capacity) {
      let mark = evaluator.reader.mark()
      let batch = Array(keys[start..<min(start + ObjectBatch.capacity, keys.count)])
      let frame = try evaluator.frame(batch, of: table)
      let rows = Array(batch.indices)
      for (i, path) in paths.enumerated() {
        let values = try evaluator.values(at: path, frame, rows)
        for row in rows {
          columns[i].values.append(values.range(of: row).first.map { values.values[$0] } ?? .null)
        }
        if path.links.isEmpty {
          columns[i].isMissing += repeatElement(false, count: rows.count)
        } else {
          let linked = try evaluator.follow(path.links, frame, rows)
          columns[i].isMissing += rows.map { linked.range(of: $0).isEmpty }
        }
      }
      let hold = evaluator.reader.hold(since: mark)
      for i in paths.indices { columns[i].owners.append(hold) }
    }
    return columns
  }

  private func sorted(
    _ keys: [ObjectKey], _ sortKeys: [(path: KeyPath, isAscending: Bool)]
  ) throws(RealmFileError) -> [ObjectKey] {
    let columns = try columns(keys, sortKeys.map(\.path))
    let order = keys.indices.sorted { a, b in
      for (column, sortKey) in zip(columns, sortKeys) {
        let sign = sortKey.isAscending ? 1 : -1
        let order = ResultOrder.compare(column, a, b) * sign
        if order != 0 { return order < 0 }
      }
      return false
    }
    return withExtendedLifetime(columns) { order.map { keys[$0] } }
  }

  /// Objects with a null link come last.
  private static func compare(_ column: SortColumn, _ a: Int, _ b: Int) -> Int {
    guard !column.isMissing[a], !column.isMissing[b] else {
      return (column.isMissing[a] ? 1 : 0) - (column.isMissing[b] ? 1 : 0)
    }
    return QueryValue.sortOrder(column.values[a], column.values[b])
  }

  /// The first object of each combination of values, without objects with a null link on the way.
  private func distinct(
    _ keys: [ObjectKey], _ paths: [KeyPath]
  ) throws(RealmFileError) -> [ObjectKey] {
    let columns = try columns(keys, paths)
    let shown = keys.indices.filter { row in
      !zip(columns, paths).contains { $0.isMissing[row] && $1.isProperty }
    }
    func order(_ a: Int, _ b: Int) -> Int {
      for column in columns {
        let order = ResultOrder.compare(column, a, b)
        if order != 0 { return order }
      }
      return 0
    }
    // Swift's sort is stable, so the first object of equal ones stays first.
    let sorted = shown.sorted { order($0, $1) < 0 }
    var kept: [Int] = []
    for (i, row) in sorted.enumerated() where i == 0 || order(sorted[i - 1], row) != 0 {
      kept.append(row)
    }
    return withExtendedLifetime(columns) { kept.sorted().map { keys[$0] } }
  }
}

extension KeyPath {
  /// True if the path ends in a property; a link at the end is a value like any other.
  fileprivate var isProperty: Bool { if case .objects = end { links.count > 1 } else { true } }
}
