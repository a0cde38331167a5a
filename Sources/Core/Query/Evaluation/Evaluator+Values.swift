import RealmModel
import RealmStorage

/// Evaluates expressions.
extension Evaluator {
  /// The values of `expression` for the objects in `rows`.
  func values(
    of expression: Expression, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> OperandValues {
    switch expression {
    case .constant(let constant): return .constant([plan.value(of: constant)])
    case .constants(let constants): return .constant(constants.map { plan.value(of: $0) })
    case .path(let path): return .column(try values(at: path, frame, rows))
    case .aggregate(let aggregate): return .column(try values(of: aggregate, frame, rows))
    case .subquery(let subquery): return .column(try counts(of: subquery, frame, rows))
    case .linkedCount(let links, let set):
      let counts = try counts(of: links, in: plan.sets[set], frame, rows)
      return .column(ValueColumn(values: counts.map { .int($0) }))
    case .arithmetic(let operation, let left, let right):
      return .column(
        ValueColumn(
          operation, try values(of: left, frame, rows), try values(of: right, frame, rows),
          count: rows.count))
    }
  }

  // MARK: Paths

  /// The values at the end of `path`.
  func values(
    at path: KeyPath, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> ValueColumn {
    guard !path.links.isEmpty else { return try values(at: path, of: frame, rows) }
    if case .objects = path.end, path.reading == .size {
      return try linkCounts(path.links, frame, rows)
    }
    let linked = try follow(path.links, frame, rows)
    var column: ValueColumn
    switch path.end {
    case .objects:
      column = ValueColumn(
        values: linked.keys.map { .link(linked.table.position, $0) }, ends: linked.ends)
    case .allLinks where path.followsSeveral: return try linkSums(of: linked, from: frame)
    case .property, .allLinks: column = try values(at: path, of: linked, from: frame)
    }
    if !path.followsSeveral {
      column.fillMissing(of: path, objectEnds: linked.ends, schema)
    }
    return column
  }

  /// The values at the end of `path` for the objects at the end of its links.
  private func values(
    at path: KeyPath, of linked: LinkedObjects, from frame: ObjectFrame
  ) throws(RealmFileError) -> ValueColumn {
    guard !linked.keys.isEmpty else {
      return path.followsSeveral && path.givesGroups(schema)
        ? ValueColumn(values: [], ends: [], groupEnds: linked.ends)
        : ValueColumn(values: [], ends: linked.ends)
    }
    let objects = try objects(linked, from: frame)
    let inner = try values(at: path, of: objects.frame, objects.rows)
    guard let innerEnds = inner.ends else {
      return ValueColumn(values: inner.values, ends: linked.ends)
    }
    func ends(_ inner: [Int]) -> [Int] { linked.ends.map { $0 == 0 ? 0 : inner[$0 - 1] } }
    if let groupEnds = inner.groupEnds {
      return ValueColumn(values: inner.values, ends: innerEnds, groupEnds: ends(groupEnds))
    }
    if path.followsSeveral, path.givesGroups(schema) {
      return ValueColumn(values: inner.values, ends: innerEnds, groupEnds: linked.ends)
    }
    return ValueColumn(values: inner.values, ends: ends(innerEnds))
  }

  /// The values at the end of `path` for the objects of `frame`, which are at the end of its links.
  private func values(
    at path: KeyPath, of frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> ValueColumn {
    switch path.end {
    case .objects:
      return ValueColumn(values: rows.map { .link(frame.table.position, frame.keys[$0]) })
    case .allLinks:
      let counts = try frame.linkCounts()
      return ValueColumn(values: rows.map { .int(Int64(counts[$0])) })
    case .property(let position, let steps):
      let column = try frame.column(position)
      if steps.isEmpty, case .values = path.reading, case .scalar(let values) = column {
        return ValueColumn(values: rows.map { QueryValue(values[$0]) })
      }
      var reader = ElementReader(self, path.reading, limit: frame.limit)
      let isSingle = steps.isEmpty && !column.isCollection && path.reading != .size
      var ends: [Int] = []
      if path.endsInSeveralSteps {
        for row in rows {
          try reader.append(column, row, steps[...])
          ends.append(reader.groupEnds.count)
        }
        return ValueColumn(values: reader.values, ends: reader.groupEnds, groupEnds: ends)
      }
      for row in rows {
        try reader.append(column, row, steps[...])
        ends.append(reader.values.count)
      }
      return ValueColumn(values: reader.values, ends: isSingle ? nil : ends)
    }
  }

  /// The total number of links to the linked objects of each object.
  private func linkSums(
    of linked: LinkedObjects, from frame: ObjectFrame
  ) throws(RealmFileError) -> ValueColumn {
    guard !linked.keys.isEmpty else { return ValueColumn(values: linked.ends.map { _ in .int(0) }) }
    let objects = try objects(linked, from: frame)
    let counts = try objects.frame.linkCounts()
    return ValueColumn(
      values: linked.ends.indices.map { index in
        .int(Int64(linked.range(of: index).reduce(0) { $0 &+ counts[objects.rows[$1]] }))
      })
  }

  /// The number of links of the last step, for each object at the end of the steps before.
  private func linkCounts(
    _ links: [LinkStep], _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> ValueColumn {
    let last = Array(links.suffix(1))
    guard links.count > 1 else {
      return ValueColumn(values: try follow(last, frame, rows).counts.map { .int(Int64($0)) })
    }
    let owners = try follow(Array(links.dropLast()), frame, rows)
    guard !owners.keys.isEmpty else { return ValueColumn(values: [], ends: owners.ends) }
    let objects = try objects(owners, from: frame)
    let counts = try follow(last, objects.frame, objects.rows).counts
    return ValueColumn(values: counts.map { .int(Int64($0)) }, ends: owners.ends)
  }

  // MARK: Subqueries

  private func counts(
    of subquery: Subquery, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> ValueColumn {
    let linked = try follow(subquery.path.links, frame, rows)
    let distinct = DistinctKeys(linked.keys)
    var isMatch: [Bool] = []
    isMatch.reserveCapacity(distinct.keys.count)
    for start in stride(from: 0, to: distinct.keys.count, by: ObjectBatch.capacity) {
      let keys = Array(distinct.keys.dropFirst(start).prefix(ObjectBatch.capacity))
      let mask = RowMask(count: keys.count)
      let found = try self.rows(
        matching: subquery.condition, try self.frame(keys, of: linked.table), in: mask)
      for row in keys.indices { isMatch.append(found[row]) }
    }
    return ValueColumn(
      values: rows.indices.map { index in
        .int(Int64(linked.range(of: index).count { isMatch[distinct.rows[$0]] }))
      })
  }

  /// The number of linked objects of each row that are in `set`.
  func counts(
    of links: [LinkStep], in set: KeySet, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> [Int64] {
    let linked = try follow(links, frame, rows)
    let keys = linked.keys
    var counts: [Int64] = []
    counts.reserveCapacity(rows.count)
    var start = 0
    for end in linked.ends {
      var count: Int64 = 0
      for i in start..<end where set.contains(keys[i]) { count += 1 }
      counts.append(count)
      start = end
    }
    return counts
  }
}

extension ColumnValues {
  fileprivate var isCollection: Bool { if case .collection = self { true } else { false } }
}

extension KeyPath {
  /// True if the values of each object at the end of the links are a group: the elements of a collection,
  /// or the values at the end of steps. Sizes, of collections or their elements, form no groups.
  func givesGroups(_ schema: Schema) -> Bool {
    guard case .property(let position, let steps) = end, reading != .elementSizes else {
      return false
    }
    let isCollection = schema.tables[target].columns[position].collection != nil
    return !steps.isEmpty || (isCollection && reading != .size)
  }

  /// True if an object can have any number of groups: with several steps, the last one gives a group for
  /// each value before it.
  var endsInSeveralSteps: Bool {
    if case .property(_, let steps) = end { steps.count > 1 } else { false }
  }
}

extension ValueColumn {
  /// The results of an operation for `count` objects. At most one side has several values.
  fileprivate init(
    _ operation: Arithmetic.Operation, _ left: OperandValues, _ right: OperandValues, count: Int
  ) {
    let (x, y) = (left.values, right.values)
    var (ends, groupEnds): ([Int], [Int]) = ([], [])
    for index in 0..<count {
      for leftGroup in left.groups(of: index) {
        for rightGroup in right.groups(of: index) {
          for i in left.range(of: leftGroup) {
            for j in right.range(of: rightGroup) {
              values.append(Arithmetic.result(x[i], operation, y[j]))
            }
          }
          ends.append(values.count)
        }
      }
      groupEnds.append(ends.count)
    }
    (self.ends, self.groupEnds) = (ends, groupEnds)
  }

  /// Adds the value of a path over single links for objects with a null link: null, or 0 as the size of
  /// a collection. A collection gets no values.
  ///
  /// - Parameter objectEnds: where the linked objects of each object end.
  mutating func fillMissing(of path: KeyPath, objectEnds: [Int], _ schema: Schema) {
    let missing: QueryValue
    switch path.end {
    case .objects: missing = .null
    case .allLinks: missing = .int(0)
    case .property(let position, let steps):
      let isCollection = schema.tables[path.target].columns[position].collection != nil
      guard !isCollection || path.reading == .size, steps.isEmpty else { return }
      missing = isCollection ? .int(0) : path.reading == .type ? .type(.null) : .null
    }
    guard let ends else { return }
    var filled: [QueryValue] = []
    var newEnds: [Int] = []
    var (start, firstObject) = (0, 0)
    for (end, objectEnd) in zip(ends, objectEnds) {
      if firstObject == objectEnd { filled.append(missing) } else { filled += values[start..<end] }
      newEnds.append(filled.count)
      (start, firstObject) = (end, objectEnd)
    }
    (values, self.ends) = (filled, newEnds)
  }
}
