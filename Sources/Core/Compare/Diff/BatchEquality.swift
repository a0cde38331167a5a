package import RealmModel
package import RealmStorage

/// Compares values of two batches without copying them. Floating-point numbers are equal if their bits are, or if both
/// are NaN. Links are equal if their targets have the same class and identity.
package struct BatchEquality: Sendable {
  let schemas: SchemaPair

  init(schemas: SchemaPair) { self.schemas = schemas }

  /// For batches of one schema.
  package init(_ schema: ObjectSchema) {
    schemas = SchemaPair(schema, schema, ignored: [:])
  }

  // MARK: Columns

  /// Marks the pairs of rows whose values differ.
  ///
  /// - Parameters:
  ///   - rows: a row of `old` and of `new` for each pair.
  ///   - areSets: whether both are columns of sets.
  ///   - areAligned: whether the pairs are all rows of both columns, in order.
  ///   - mark: called with the positions of pairs in `rows`.
  /// - Throws: the errors of reading large collections.
  func forEachDifference(
    _ old: ColumnValues, _ new: ColumnValues, _ rows: [(old: Int, new: Int)], areSets: Bool,
    areAligned: Bool, _ mark: (Int) -> Void
  ) throws(RealmFileError) {
    switch (old, new) {
    case (.scalar(.int(let a, let aNulls)), .scalar(.int(let b, let bNulls))):
      let hasNulls = !aNulls.isEmpty || !bNulls.isEmpty
      if areAligned, !hasNulls, a == b { return }
      for (i, pair) in rows.enumerated() where a[pair.old] != b[pair.new] || hasNulls {
        if !BatchEquality.areEqual(
          aNulls[pair.old], bNulls[pair.new], a[pair.old] == b[pair.new])
        {
          mark(i)
        }
      }
    case (.scalar(.double(let a, let aNulls)), .scalar(.double(let b, let bNulls))):
      for (i, pair) in rows.enumerated()
      where !BatchEquality.areEqual(
        aNulls[pair.old], bNulls[pair.new], BatchEquality.areEqual(a[pair.old], b[pair.new]))
      {
        mark(i)
      }
    case (.scalar(.bool(let a, let aNulls)), .scalar(.bool(let b, let bNulls))):
      for (i, pair) in rows.enumerated()
      where !BatchEquality.areEqual(
        aNulls[pair.old], bNulls[pair.new], a[pair.old] == b[pair.new])
      {
        mark(i)
      }
    case (
      .scalar(.timestamp(let a, let aParts, let aNulls)),
      .scalar(.timestamp(let b, let bParts, let bNulls))
    ):
      for (i, pair) in rows.enumerated()
      where !BatchEquality.areEqual(
        aNulls[pair.old], bNulls[pair.new],
        a[pair.old] == b[pair.new] && aParts[pair.old] == bParts[pair.new])
      {
        mark(i)
      }
    case (.scalar(.string(let a)), .scalar(.string(let b))),
      (.scalar(.binary(let a)), .scalar(.binary(let b))),
      (.scalar(.objectId(let a)), .scalar(.objectId(let b))),
      (.scalar(.uuid(let a)), .scalar(.uuid(let b))):
      let (a, b) = (a.slices, b.slices)
      for (i, pair) in rows.enumerated() where a[pair.old] != b[pair.new] { mark(i) }
    default:
      for (i, pair) in rows.enumerated()
      where try !areEqual(old, pair.old, new, pair.new, areSets: areSets) {
        mark(i)
      }
    }
  }

  @inline(__always)
  private static func areEqual(_ aIsNull: Bool, _ bIsNull: Bool, _ areSame: Bool) -> Bool {
    aIsNull || bIsNull ? aIsNull && bIsNull : areSame
  }

  @inline(__always)
  private static func areEqual(_ a: Double, _ b: Double) -> Bool {
    a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
  }

  // MARK: Values

  /// Whether the value in row `i` of `old` equals the one in row `j` of `new`.
  ///
  /// - Throws: the errors of reading large collections.
  package func areEqual(
    _ old: ColumnValues, _ i: Int, _ new: ColumnValues, _ j: Int, areSets: Bool = false
  ) throws(RealmFileError) -> Bool {
    switch (old, new) {
    case (.scalar(let a), .scalar(let b)): return BatchEquality.areEqual(a[i], b[j])
    case (.link(let a), .link(let b)):
      guard !a.nulls[i], !b.nulls[j] else { return a.nulls[i] && b.nulls[j] }
      return a.unresolved[i] == b.unresolved[j] && areSameClass(a.target, b.target)
        && BatchEquality.areEqual(a.identity(i), b.identity(j))
    case (.embedded(let a), .embedded(let b)):
      let (x, y) = (a.rows[i], b.rows[j])
      guard x >= 0, y >= 0 else { return x < 0 && y < 0 }
      return try areEqual(a.objects, x, b.objects, y)
    case (.mixed(let a), .mixed(let b)): return try areEqual(a, i, b, j)
    case (.collection(let a), .collection(let b)):
      guard try !areEqual(a, i, b, j) else { return true }
      return areSets ? try haveEqualMembers(a, i, b, j) : false
    // The type of the property changed. Values without collections are compared as mixed values.
    case (.scalar(let a), .mixed(let b)): return BatchEquality.areEqual(a[i], b.values[j])
    case (.mixed(let a), .scalar(let b)): return BatchEquality.areEqual(a.values[i], b[j])
    // The default of an embedded object is a null link.
    case (.embedded(let a), .link(let b)): return a.rows[i] < 0 && b.nulls[j]
    case (.link(let a), .embedded(let b)): return a.nulls[i] && b.rows[j] < 0
    default: return false
    }
  }

  private func areSameClass(_ old: Int, _ new: Int) -> Bool { schemas.commonPositions[new] == old }

  /// Whether two embedded objects have equal values. A property that only one of them has must have its default value.
  private func areEqual(
    _ old: ObjectBatch, _ i: Int, _ new: ObjectBatch, _ j: Int
  ) throws(RealmFileError) -> Bool {
    guard let pairs = schemas.properties(old.classPosition, new.classPosition) else { return false }
    let (oldClass, newClass) = (
      schemas.old.classes[old.classPosition], schemas.new.classes[new.classPosition]
    )
    for pair in pairs {
      let isEqual = try withColumns(pair, old, oldClass, new, newClass) {
        (a, isDefaultA, b, isDefaultB) throws(RealmFileError) in
        try areEqual(
          a, isDefaultA ? 0 : i, b, isDefaultB ? 0 : j, areSets: pair.areSets(oldClass, newClass))
      }
      guard isEqual else { return false }
    }
    return true
  }

  /// Calls `body` with the columns of a property. The column of a side without the property has one row with the
  /// default value.
  func withColumns<R>(
    _ pair: PropertyPair, _ old: ObjectBatch, _ oldClass: ObjectClass, _ new: ObjectBatch,
    _ newClass: ObjectClass,
    _ body: (ColumnValues, _ isDefault: Bool, ColumnValues, _ isDefault: Bool)
      throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    let a = pair.old.flatMap { old.columns[$0] }
    let b = pair.new.flatMap { new.columns[$0] }
    let nothing = ColumnValues.scalar(.decimal([.null]))
    let oldDefault =
      a == nil ? pair.new.map { newClass.properties[$0].defaultValues(count: 1) } : nil
    let newDefault =
      b == nil ? pair.old.map { oldClass.properties[$0].defaultValues(count: 1) } : nil
    return try body(
      a ?? oldDefault ?? nothing, a == nil, b ?? newDefault ?? nothing, b == nil)
  }

  private func areEqual(
    _ old: MixedColumn, _ i: Int, _ new: MixedColumn, _ j: Int
  ) throws(RealmFileError) -> Bool {
    switch (old.values[i], new.values[j]) {
    case (.link(let x), .link(let y)):
      let (a, b) = (old.links[x], new.links[y])
      return a.isUnresolved == b.isUnresolved && areSameClass(a.target, b.target)
        && BatchEquality.areEqual(a.anyIdentity, b.anyIdentity)
    case (.list(let x), .list(let y)):
      guard let a = old.lists, let b = new.lists else { return false }
      return try areEqual(a, x, b, y)
    case (.dictionary(let x), .dictionary(let y)):
      guard let a = old.dictionaries, let b = new.dictionaries else { return false }
      return try areEqual(a, x, b, y)
    case (.link, _), (.list, _), (.dictionary, _), (_, .link), (_, .list), (_, .dictionary):
      return false
    case (let a, let b): return BatchEquality.areEqual(a, b)
    }
  }

  /// Whether two scalars are equal.
  static func areEqual(_ a: BatchValue, _ b: BatchValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.int(let x), .int(let y)): x == y
    case (.bool(let x), .bool(let y)): x == y
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.double(let x), .double(let y)): areEqual(x, y)
    case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)),
      (.objectId(let x), .objectId(let y)), (.uuid(let x), .uuid(let y)):
      x == y
    case (.timestamp(let x, let xParts), .timestamp(let y, let yParts)):
      x == y && xParts == yParts
    case (.decimal(let x), .decimal(let y)): x.low == y.low && x.high == y.high
    default: false
    }
  }

  // MARK: Collections

  /// Whether two sets have equal members. Links of sets are in the order of their object keys, which do not matter.
  private func haveEqualMembers(
    _ old: CollectionColumn, _ i: Int, _ new: CollectionColumn, _ j: Int
  ) throws(RealmFileError) -> Bool {
    var a = ValueEncoder(schemas.old)
    var b = ValueEncoder(schemas.new)
    return try a.members(of: old, i) == b.members(of: new, j)
  }

  private func areEqual(
    _ old: CollectionColumn, _ i: Int, _ new: CollectionColumn, _ j: Int
  ) throws(RealmFileError) -> Bool {
    var a = Elements(old, i)
    var b = Elements(new, j)
    while true {
      guard let x = try a.next(), let y = try b.next() else {
        let isOldDone = try a.isAtEnd()
        let isNewDone = try b.isAtEnd()
        return isOldDone && isNewDone
      }
      // The rest of the longer run is compared with the next one.
      let count = min(x.rows.count, y.rows.count)
      for (m, n) in zip(x.rows.prefix(count), y.rows.prefix(count)) {
        switch (x.column.keys, y.column.keys) {
        case (nil, nil): break
        case (let a?, let b?): guard BatchEquality.areEqual(a[m], b[n]) else { return false }
        default: return false
        }
        guard try areEqual(x.column.elements, m, y.column.elements, n) else { return false }
      }
      a.advance(count)
      b.advance(count)
    }
  }

  /// The elements of a collection, in one piece or in runs.
  private struct Elements {
    private let runs: (any CollectionRuns)?
    private var current: (column: CollectionColumn, rows: Range<Int>)?
    /// Whether the runs are used up; they would start again.
    private var isDone = false

    init(_ column: CollectionColumn, _ row: Int) {
      runs = column.runs?.restarted()
      if runs == nil { current = (column, column.range(of: row)) }
    }

    /// The elements that were not passed yet; nil after the last one.
    mutating func next() throws(RealmFileError) -> (column: CollectionColumn, rows: Range<Int>)? {
      while let runs, !isDone, current?.rows.isEmpty ?? true {
        guard let run = try runs.next() else {
          isDone = true
          return nil
        }
        current = (run, run.range(of: 0))
      }
      return current.flatMap { $0.rows.isEmpty ? nil : $0 }
    }

    mutating func advance(_ count: Int) {
      guard let (column, rows) = current else { return }
      current = (column, rows.dropFirst(count))
    }

    mutating func isAtEnd() throws(RealmFileError) -> Bool { try next() == nil }
  }
}

extension MixedColumn.Link {
  /// The primary key of the target, or its object key if the class has none.
  var anyIdentity: BatchValue { identity ?? key.map { .int($0.raw) } ?? .null }
}
