import RealmStorage

/// Removes what a new realm cannot hold from batches of a damaged one, and tells of whose values it is: links
/// to objects that are lost, impossible dates, texts that are none, nulls where there can be none.
///
/// A value that is removed becomes null, or the default of a required property. An element of a list or set is
/// left out, and so is an entry of a dictionary whose values cannot be null. Used by one thread.
struct SalvageFilter {
  /// Rows of a batch whose values of one property were removed, and why.
  struct Removed {
    /// The rows that lost more than links.
    var doubtful: Set<Int> = []
    /// By row, the number of links that were removed because their target is lost.
    var links: [Int: Int] = [:]
    var rule: Rule?

    var rows: Set<Int> { doubtful.union(links.keys) }

    mutating func insert(_ row: Int, _ rule: Rule) {
      if rule == .linkDangling { links[row, default: 0] += 1 } else { doubtful.insert(row) }
      if self.rule == nil { self.rule = rule }
    }
  }

  private let schema: ObjectSchema
  /// For each class the positions of the properties that are kept.
  private let kept: [[Int]]
  /// Whether text that is not UTF-8, or that has zero bytes, is taken for damage.
  private let doubtsText: Bool
  /// Whether the object of a class with a key is in the result.
  private let exists: (_ classPosition: Int, ObjectKey) -> Bool

  init(
    _ schema: ObjectSchema, keeping kept: [[Int]], doubtsText: Bool,
    exists: @escaping (_ classPosition: Int, ObjectKey) -> Bool
  ) {
    (self.schema, self.kept) = (schema, kept)
    (self.doubtsText, self.exists) = (doubtsText, exists)
  }

  /// The values of a property without those that a new realm cannot hold.
  func filtered(
    _ values: ColumnValues, _ property: Property, _ removed: inout Removed
  ) -> ColumnValues {
    filtered(values, property, rows: nil, &removed).values
  }

  /// - Parameter rows: for each value the row of its object in the batch; nil for the row of the value.
  /// - Returns: the values, and which of them were removed.
  private func filtered(
    _ values: ColumnValues, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> (values: ColumnValues, bad: [Int: Rule]) {
    switch values {
    case .scalar(let column):
      let bad = bad(column, isRequired: !property.isOptional)
      note(bad, rows, &removed)
      guard !bad.isEmpty else { return (values, bad) }
      return (.scalar(replacing(bad, in: column, isOptional: property.isOptional)), bad)
    case .link(var column):
      var bad: [Int: Rule] = [:]
      // An element of a list or set that could not be read.
      if !property.isOptional {
        for row in 0..<column.count where column.nulls[row] { bad[row] = .leafNull }
      }
      for row in 0..<column.count where !column.nulls[row] && !column.unresolved[row] {
        guard row < column.keys.count, !exists(column.target, column.keys[row]) else { continue }
        bad[row] = .linkDangling
        column.nulls.insert(row)
        column.keys[row] = .null
      }
      note(bad, rows, &removed)
      return (.link(column), bad)
    case .mixed(let column):
      return filtered(column, property, rows: rows, &removed)
    case .embedded(let column):
      return (.embedded(filtered(column, rows: rows, &removed)), [:])
    case .collection(let column):
      return (.collection(filtered(column, property, rows: rows, &removed)), [:])
    }
  }

  private func note(_ bad: [Int: Rule], _ rows: [Int]?, _ removed: inout Removed) {
    for (row, rule) in bad { removed.insert(rows?[row] ?? row, rule) }
  }

  // MARK: Single values

  private func bad(_ column: ScalarColumn, isRequired: Bool) -> [Int: Rule] {
    var bad: [Int: Rule] = [:]
    func addNulls(_ nulls: NullMask, _ count: Int) {
      guard isRequired, !nulls.isEmpty else { return }
      for row in 0..<count where nulls[row] { bad[row] = .leafNull }
    }
    switch column {
    case .int(let values, let nulls): addNulls(nulls, values.count)
    case .bool(let values, let nulls): addNulls(nulls, values.count)
    case .float(let values, let nulls): addNulls(nulls, values.count)
    case .double(let values, let nulls): addNulls(nulls, values.count)
    case .timestamp(let seconds, let nanoseconds, let nulls):
      addNulls(nulls, seconds.count)
      for row in seconds.indices
      where !nulls[row]
        && !TimestampLeaf.isDate(seconds: seconds[row], nanoseconds: nanoseconds[row])
      {
        bad[row] = .leafTimestamp
      }
    case .decimal(let values):
      guard isRequired else { break }
      for row in values.indices where values[row].isNull { bad[row] = .leafNull }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      let type = column.type
      for row in values.indices {
        if let value = values[row] {
          if let rule = rule(brokenBy: value, type) { bad[row] = rule }
        } else if isRequired {
          bad[row] = .leafNull
        }
      }
    }
    return bad
  }

  /// The rule that the bytes of a value break; nil if they can be a value of the type.
  private func rule(brokenBy value: ByteSlice, _ type: ColumnType) -> Rule? {
    switch type {
    case .string:
      if value.count > BlobLimits.string { return .leafBlob }
      return doubtsText && (!value.isValidUTF8 || value.hasZero) ? .leafUtf8 : nil
    case .binary: return value.count > BlobLimits.binary ? .leafBlob : nil
    case .objectId: return value.count == FixedBytesLeaf.objectIdSize ? nil : .leafFixedBytes
    case .uuid: return value.count == FixedBytesLeaf.uuidSize ? nil : .leafFixedBytes
    default: return nil
    }
  }

  private func replacing(
    _ bad: [Int: Rule], in column: ScalarColumn, isOptional: Bool
  ) -> ScalarColumn {
    var builder = ColumnBuilder(type: column.type)
    let value = isOptional ? MixedValue.null : column.type.defaultValue
    for row in 0..<column.count {
      builder.append(bad[row] == nil ? MixedValue(column[row]) : value)
    }
    return builder.batch.scalars ?? column
  }

  private func filtered(
    _ column: MixedColumn, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> (values: ColumnValues, bad: [Int: Rule]) {
    var (column, bad) = (column, [Int: Rule]())
    var (listRows, dictionaryRows) = ([Int: Int](), [Int: Int]())
    for (row, value) in column.values.enumerated() {
      let owner = rows?[row] ?? row
      switch value {
      case .string(let bytes):
        if let rule = rule(brokenBy: bytes, .string) { bad[row] = rule }
      case .binary(let bytes) where bytes.count > BlobLimits.string: bad[row] = .leafBlob
      case .objectId(let bytes):
        if let rule = rule(brokenBy: bytes, .objectId) { bad[row] = rule }
      case .uuid(let bytes):
        if let rule = rule(brokenBy: bytes, .uuid) { bad[row] = rule }
      case .timestamp(let seconds, let nanoseconds)
      where !TimestampLeaf.isDate(seconds: seconds, nanoseconds: nanoseconds):
        bad[row] = .leafTimestamp
      case .link(let i):
        let link = column.links[i]
        guard let key = link.key, !link.isUnresolved, !exists(link.target, key) else { continue }
        bad[row] = .linkDangling
      case .list(let i): listRows[i] = owner
      case .dictionary(let i): dictionaryRows[i] = owner
      default: continue
      }
    }
    for row in bad.keys { column.values[row] = .null }
    note(bad, rows, &removed)
    func owners(_ rows: [Int: Int], _ count: Int) -> [Int] { (0..<count).map { rows[$0] ?? 0 } }
    let element = Property(name: property.name, type: .mixed, isOptional: true)
    if let lists = column.lists {
      column.lists = filtered(lists, element, rows: owners(listRows, lists.count), &removed)
    }
    if let entries = column.dictionaries {
      column.dictionaries = filtered(
        entries, element, rows: owners(dictionaryRows, entries.count), &removed)
    }
    return (.mixed(column), bad)
  }

  // MARK: Objects and collections

  private func filtered(
    _ column: EmbeddedColumn, rows: [Int]?, _ removed: inout Removed
  ) -> EmbeddedColumn {
    var owners = Array(repeating: 0, count: column.objects.count)
    for (row, object) in column.rows.enumerated() where object >= 0 {
      owners[object] = rows?[row] ?? row
    }
    var column = column
    let position = column.objects.classPosition
    let properties = schema.classes[position].properties
    column.objects.columns = kept[position].map { i in
      guard i < column.objects.columns.count, let values = column.objects.columns[i] else {
        return nil
      }
      return filtered(values, properties[i], rows: owners, &removed).values
    }
    return column
  }

  private func filtered(
    _ column: CollectionColumn, _ property: Property, rows: [Int]?, _ removed: inout Removed
  ) -> CollectionColumn {
    if let runs = column.runs {
      return CollectionColumn(runs: FilteredRuns(runs, property, self))
    }
    var owners: [Int] = []
    owners.reserveCapacity(column.ends.last ?? 0)
    for row in 0..<column.count {
      for _ in column.range(of: row) { owners.append(rows?[row] ?? row) }
    }
    var (elements, bad) = filtered(column.elements, property, rows: owners, &removed)
    if let keys = column.keys {
      let badKeys = badKeys(keys, column)
      note(badKeys, owners, &removed)
      // A value that is null says that it was there.
      bad = property.isOptional ? badKeys : bad.merging(badKeys) { first, _ in first }
    }
    guard !bad.isEmpty else {
      return CollectionColumn(ends: column.ends, elements: elements, keys: column.keys)
    }
    var (ends, kept): ([Int], [RowPick]) = ([], [])
    for row in 0..<column.count {
      for i in column.range(of: row) where bad[i] == nil { kept.append(RowPick(source: 0, row: i)) }
      ends.append(kept.count)
    }
    elements = ColumnValues.picking(kept, of: [elements])
    return CollectionColumn(
      ends: ends, elements: elements,
      keys: column.keys.map { ScalarColumn.picking(kept, of: [$0], like: $0) })
  }

  /// The entries whose key is none, or that of another entry.
  private func badKeys(_ keys: ScalarColumn, _ column: CollectionColumn) -> [Int: Rule] {
    var bad = bad(keys, isRequired: true)
    for row in 0..<column.count {
      let range = column.range(of: row)
      var previous: BatchValue?
      let isAscending = range.allSatisfy { i in
        defer { previous = keys[i] }
        return previous.map { $0.precedes(keys[i]) } ?? true
      }
      guard !isAscending else { continue }
      var seen = Set<[UInt8]>()
      for i in range where bad[i] == nil {
        if !seen.insert(keys[i].keyBytes).inserted { bad[i] = .dictionaryUniqueKeys }
      }
    }
    return bad
  }

  /// A run of the elements of a large collection without what a new realm cannot hold.
  fileprivate func filtered(run: CollectionColumn, _ property: Property) -> CollectionColumn {
    var removed = Removed()
    return filtered(run, property, rows: nil, &removed)
  }
}

/// The runs of a large collection, filtered.
private final class FilteredRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let property: Property
  private let filter: SalvageFilter

  init(_ runs: any CollectionRuns, _ property: Property, _ filter: SalvageFilter) {
    (self.runs, self.property, self.filter) = (runs, property, filter)
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map { filter.filtered(run: $0, property) }
  }
}

extension ByteSlice {
  /// Whether one of the bytes is 0.
  var hasZero: Bool { unsafe withUnsafeBytes { unsafe $0.contains(0) } }
}

extension BatchValue {
  /// Whether a dictionary key comes before another one.
  fileprivate func precedes(_ other: BatchValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): a < b
    case (.int(let a), .int(let b)): a < b
    default: false
    }
  }

  /// The bytes of a dictionary key, to compare it with others.
  fileprivate var keyBytes: [UInt8] {
    switch self {
    case .string(let bytes): bytes.bytes
    case .int(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    default: []
    }
  }
}

extension ColumnType {
  private static let zeros = SliceColumn(copying: [Array(repeating: 0, count: 16)])

  /// The value of a required property for objects that were given none.
  fileprivate var defaultValue: MixedValue {
    func zeros(_ count: Int) -> ByteSlice { ColumnType.zeros[0]?.part(0..<count) ?? .empty }
    return switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string(.empty)
    case .binary: .binary(.empty)
    case .timestamp: .timestamp(seconds: 0, nanoseconds: 0)
    case .decimal: .decimal(.zero)
    case .objectId: .objectId(zeros(FixedBytesLeaf.objectIdSize))
    case .uuid: .uuid(zeros(FixedBytesLeaf.uuidSize))
    case .mixed, .link, .typedLink, .backlink: .null
    }
  }
}
