package import RealmModel
package import RealmStorage

/// A source of totals over objects: one row, or one for each group. The class of the rows exists only in
/// the result.
package final class TotalSource: ObjectSource {
  package typealias Failure = RealmFileError

  package let schema: ObjectSchema
  package let classes: [Int]
  private let realm: Realm
  /// The values of each column, with their type and where they are from; nil for numbers of objects.
  private let columns: [(path: QueryPath?, type: ValueType, values: [QueryValue])]
  /// Owners of the values' bytes.
  private let owners: [any Sendable]
  package let objectCount: Int
  /// Number of groups, with those that are left out.
  package let groupCount: Int

  /// - Parameters:
  ///   - keys: the objects, of the class at `classPosition`.
  ///   - group: a path to a single value; nil for one row over all objects.
  ///   - limit: nil for all groups in the order of their values. Otherwise the number of groups that are needed, the
  ///     largest first; the path may then lead to several values, and an object is in the group of each of them.
  ///     Collections in mixed values form no groups.
  /// - Throws: the errors of reading; `unsupported` for a sum of integers that overflows int.
  package init(
    _ realm: Realm, classPosition: Int, keys: [ObjectKey], totals: [QueryTotal],
    groupedBy group: QueryPath? = nil, largest limit: Int? = nil
  ) throws(RealmFileError) {
    self.realm = realm
    var groups = Groups(totals, isGrouped: group != nil)
    groups.hasSeveralValues =
      group?.hasSeveralValues(in: realm.schema.objects, of: classPosition) ?? false
    groups.leavesOutCollections = limit != nil
    try groups.add(keys, of: realm.schema.tables[classPosition], in: realm, by: group)
    groups.choose(limit)
    var properties: [Property] = []
    var columns: [(path: QueryPath?, type: ValueType, values: [QueryValue])] = []
    if let group {
      let property = group.property(in: realm.schema.objects, of: classPosition)
      properties.append(
        Property(
          name: property.name, type: property.type, isOptional: property.isOptional,
          target: property.target))
      columns.append((group, group.type, groups.values))
    }
    for (position, total) in totals.enumerated() {
      properties.append(total.property)
      columns.append((total.path, total.type, try groups.results(of: total, at: position)))
    }
    (self.columns, owners, objectCount) = (columns, groups.owners, groups.values.count)
    groupCount = groups.count
    // A single total is written like an identity.
    (schema, classes) = realm.schema.objects.adding(
      properties, named: realm.schema.objects.classes[classPosition].name,
      primaryKey: properties.count == 1 ? 0 : nil)
  }

  package func parts() -> [ObjectPart] {
    let count = (objectCount + ObjectBatch.capacity - 1) / ObjectBatch.capacity
    return (0..<count).map { ObjectPart(classPosition: classes[0], number: $0) }
  }

  package func makeCursor() throws(RealmFileError) -> TotalCursor {
    TotalCursor(self, PathColumns(realm, try Evaluator(realm, QueryPlan())))
  }

  package func accept(_ report: PartReport, of part: ObjectPart) {}

  /// The rows of a part.
  fileprivate func batch(
    _ part: ObjectPart, _ maker: PathColumns
  ) throws(RealmFileError) -> ObjectBatch {
    let start = part.number * ObjectBatch.capacity
    let rows = start..<min(start + ObjectBatch.capacity, objectCount)
    var made: [ColumnValues?] = []
    for column in columns {
      made.append(try maker.column(Array(column.values[rows]), of: column.path, column.type))
    }
    return ObjectBatch(
      classPosition: classes[0], count: rows.count, keys: [], columns: made, owner: owners)
  }
}

/// Reads the rows of parts of a ``TotalSource``. Used by one thread.
package final class TotalCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  private let source: TotalSource
  private let columns: PathColumns
  private var part: ObjectPart?
  private var report = PartReport()

  fileprivate init(_ source: TotalSource, _ columns: PathColumns) {
    (self.source, self.columns) = (source, columns)
  }

  package func open(_ part: ObjectPart) { (self.part, report) = (part, PartReport()) }

  package func next() throws(RealmFileError) -> ObjectBatch? {
    guard let part else { return nil }
    self.part = nil
    let batch = try source.batch(part, columns)
    report.objectCount = batch.count
    return batch
  }

  package func close() -> PartReport { report }
}

/// The groups of objects and their totals.
private struct Groups {
  private let totals: [QueryTotal]
  /// Whether an object is in the group of each of its values, and not in that of its only value.
  var hasSeveralValues = false
  /// Whether collections in mixed values form no groups.
  var leavesOutCollections = false
  private var positions: [GroupKey: Int] = [:]
  private var groupKeys: [GroupKey] = []
  private var counts: [Int64] = []
  /// The accumulators of the groups for each total; nil for a count.
  private var accumulators: [[Accumulator]?]
  /// The common value of each group. Its bytes may be unreadable while groups are added; the key has them, too.
  private(set) var values: [QueryValue] = []
  private(set) var owners: [any Sendable] = []
  /// The groups of the result, in its order.
  private var order: [Int] = []

  init(_ totals: [QueryTotal], isGrouped: Bool) {
    self.totals = totals
    accumulators = totals.map { $0.accumulator == nil ? nil : [] }
    if !isGrouped { _ = newGroup(.null, GroupKey(.null)) }
  }

  var count: Int { counts.count }

  private mutating func newGroup(_ value: QueryValue, _ key: GroupKey) -> Int {
    values.append(value)
    groupKeys.append(key)
    counts.append(0)
    for (position, total) in totals.enumerated() {
      if let accumulator = total.accumulator { accumulators[position]?.append(accumulator) }
    }
    return counts.count - 1
  }

  private mutating func position(of value: QueryValue) -> Int {
    let key = GroupKey(value)
    if let known = positions[key] { return known }
    let position = newGroup(value, key)
    positions[key] = position
    return position
  }

  /// Adds objects to their groups.
  mutating func add(
    _ keys: [ObjectKey], of table: Table, in realm: Realm, by group: QueryPath?
  ) throws(RealmFileError) {
    let evaluator = try Evaluator(realm, QueryPlan())
    var start = 0
    var size = ObjectBatch.capacity
    while start < keys.count {
      try Cancellation.current?.check()
      let batch = Array(keys[start..<min(start + size, keys.count)])
      let mark = evaluator.reader.mark()
      defer { evaluator.reader.release(to: mark) }
      do throws(RealmFileError) {
        try add(try evaluator.frame(batch, of: table), evaluator, by: group)
      } catch {
        guard ObjectFrame.isTooMany(error), batch.count > 1 else { throw error }
        size = (batch.count + 1) / 2
        continue
      }
      start += batch.count
      size = ObjectBatch.capacity
    }
    let bytes = SliceColumn(copying: groupKeys.map(\.bytes))
    owners.append(bytes)
    for position in values.indices {
      values[position] = values[position].with(bytes[position] ?? .empty)
    }
  }

  /// Sorts the groups by their values.
  ///
  /// - Parameter limit: the number of groups that are needed, the largest first, equal ones by their values; nil for all by
  ///   their values.
  mutating func choose(_ limit: Int?) {
    var chosen = Array(values.indices)
    if let limit, limit < count {
      // Only those as large as the last one that is needed have to be compared.
      let least = counts.sorted(by: >)[max(0, limit - 1)]
      chosen.removeAll { counts[$0] < least }
    }
    chosen.sort { a, b in
      if limit != nil, counts[a] != counts[b] { return counts[a] > counts[b] }
      return QueryValue.sortOrder(values[a], values[b]) < 0
    }
    order = Array(chosen.prefix(limit ?? .max))
    values = order.map { values[$0] }
  }

  private mutating func add(
    _ frame: ObjectFrame, _ evaluator: Evaluator, by group: QueryPath?
  ) throws(RealmFileError) {
    let rows = Array(0..<frame.rows.count)
    // Everything is read before anything is added, so that a batch can be read again in parts.
    let keys = try group.map { (path) throws(RealmFileError) in
      try evaluator.values(of: path.expression, frame, rows)
    }
    var read: [OperandValues?] = []
    for total in totals {
      read.append(
        try total.path.map { (path) throws(RealmFileError) in
          try evaluator.values(of: path.expression, frame, rows)
        })
    }
    for row in rows {
      guard let keys else {
        count(row, in: 0, read)
        continue
      }
      let found = keys.range(ofObject: row)
      if hasSeveralValues {
        var groups: Set<Int> = []
        for i in found where !isLeftOut(keys.values[i]) {
          groups.insert(position(of: keys.values[i]))
        }
        for position in groups { count(row, in: position, read) }
      } else {
        let value = found.first.map { keys.values[$0] } ?? .null
        if !isLeftOut(value) { count(row, in: position(of: value), read) }
      }
    }
  }

  private func isLeftOut(_ value: QueryValue) -> Bool { leavesOutCollections && value.isCollection }

  /// Adds an object to a group.
  private mutating func count(_ row: Int, in position: Int, _ columns: [OperandValues?]) {
    counts[position] += 1
    for (total, column) in columns.enumerated() {
      guard let column else { continue }
      for i in column.range(ofObject: row) {
        accumulators[total]?[position].add(column.values[i])
      }
    }
  }

  /// The results of a total, one for each group.
  mutating func results(
    of total: QueryTotal, at position: Int
  ) throws(RealmFileError) -> [QueryValue] {
    guard let column = accumulators[position] else { return order.map { .int(counts[$0]) } }
    guard !column.contains(where: \.hasOverflowed) else {
      throw RealmFileError(.unsupported("\(total.name) is outside the range of int"))
    }
    let results = order.map { column[$0].result }
    let bytes = SliceColumn(copying: results.map { GroupKey($0).bytes })
    owners.append(bytes)
    return results.indices.map { results[$0].with(bytes[$0] ?? .empty) }
  }
}

extension QueryTotal {
  fileprivate var path: QueryPath? { if case .values(_, let path) = kind { path } else { nil } }

  fileprivate var accumulator: Accumulator? {
    guard case .values(let operation, let path) = kind else { return nil }
    return Accumulator(operation.syntax, path.type, isMixed: path.isMixed)
  }

  /// The property that holds the total in the result.
  fileprivate var property: Property {
    Property(name: Name(name), type: type.propertyType, isOptional: true)
  }
}

extension QueryValue {
  /// The value with other bytes, if it has any.
  fileprivate func with(_ bytes: ByteSlice) -> QueryValue {
    switch self {
    case .string: .string(bytes)
    case .binary: .binary(bytes)
    case .objectId: .objectId(bytes)
    case .uuid: .uuid(bytes)
    default: self
    }
  }

  fileprivate var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }
}

/// A value as the key of a group. Equal values of one type form one group; NaN equals NaN, and decimals are
/// equal whatever their number of digits.
struct GroupKey: Hashable {
  private let type: UInt16
  private let numbers: SIMD2<UInt64>
  /// The bytes of a string, binary or identifier.
  let bytes: [UInt8]

  init(_ value: QueryValue) {
    type = value.types.rawValue
    switch value {
    case .null: (numbers, bytes) = (SIMD2(), [])
    case .int(let number): (numbers, bytes) = (SIMD2(UInt64(bitPattern: number), 0), [])
    case .bool(let flag): (numbers, bytes) = (SIMD2(flag ? 1 : 0, 0), [])
    case .float(let number): (numbers, bytes) = (SIMD2(GroupKey.bits(Double(number)), 0), [])
    case .double(let number): (numbers, bytes) = (SIMD2(GroupKey.bits(number), 0), [])
    case .string(let text), .binary(let text), .objectId(let text), .uuid(let text):
      (numbers, bytes) = (SIMD2(), text.bytes)
    case .date(let seconds, let nanoseconds):
      numbers = SIMD2(UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds))
      bytes = []
    case .decimal(let number):
      let reduced = number.reduced
      (numbers, bytes) = (SIMD2(reduced.low, reduced.high), [])
    case .link(let position, let key):
      (numbers, bytes) = (SIMD2(UInt64(position), UInt64(bitPattern: key.raw)), [])
    case .list(let count), .dictionary(let count): (numbers, bytes) = (SIMD2(UInt64(count), 0), [])
    case .type(let types): (numbers, bytes) = (SIMD2(UInt64(types.rawValue), 0), [])
    }
  }

  private static func bits(_ number: Double) -> UInt64 {
    number.isNaN ? Double.nan.bitPattern : number == 0 ? 0 : number.bitPattern
  }
}
