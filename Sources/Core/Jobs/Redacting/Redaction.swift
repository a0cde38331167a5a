import RealmModel
import RealmStorage

/// Replaces the content of objects by noise of the same form: classes, counts, links, nulls, and the lengths of
/// collections, strings and binaries stay.
///
/// Objects with primary keys lose their object keys, which some formats compute from the primary keys. Links to them have
/// the keys that the builder will give them.
struct Redaction: ObjectTransform {
  typealias Failure = RealmFileError

  let scope: RedactionScope
  let texts: TextMask
  /// The objects with primary keys, by position of their class.
  let ranks: [Int: ObjectRanks]

  /// What is read of the objects.
  static var request: ObjectRequest {
    var request = ObjectRequest()
    request.links = .keys
    return request
  }

  func transform(_ schema: ObjectSchema) -> ObjectSchema { schema }

  func transform(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    try redacted(batch)
  }

  private func redacted(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    let objectClass = scope.schema.classes[batch.classPosition]
    var columns: [ColumnValues?] = []
    for (i, column) in batch.columns.enumerated() {
      guard let column else {
        columns.append(nil)
        continue
      }
      let domain = scope.domain(of: i, ofClass: batch.classPosition)
      let property = objectClass.properties[i]
      do throws(RealmFileError) {
        columns.append(try redacted(column, domain, isSet: property.collection == .set))
      } catch {
        throw error.adding(className: objectClass.name.text, property: property.name.text)
      }
    }
    let hasKeys = objectClass.primaryKey == nil && objectClass.kind != .embedded
    return ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: hasKeys ? batch.keys : [],
      columns: columns, owner: batch)
  }

  // MARK: Columns

  /// - Parameter domain: nil if the values are kept. Links change with their targets all the same.
  private func redacted(
    _ values: ColumnValues, _ domain: MaskDomain?, isSet: Bool = false
  ) throws(RealmFileError) -> ColumnValues {
    switch values {
    case .scalar(let column): return .scalar(redacted(column, domain))
    case .link(let column):
      var links = LinkColumn(
        target: column.target, count: column.count, nulls: column.nulls,
        unresolved: column.unresolved, keys: try newKeys(column.keys, column.target))
      // Only for tombstones.
      links.identities = column.identities.map {
        redacted($0, scope.domain(ofKeyOf: column.target))
      }
      return .link(links)
    case .embedded(let column):
      return .embedded(EmbeddedColumn(rows: column.rows, objects: try redacted(column.objects)))
    case .mixed(let column): return .mixed(try redacted(column, domain))
    case .collection(let column):
      guard let runs = column.runs else {
        return .collection(try redacted(column, domain, isSet: isSet))
      }
      if domain != nil, let whole = try Redaction.whole(runs, isSet: isSet) {
        return .collection(try redacted(whole, domain, isSet: isSet))
      }
      return .collection(
        CollectionColumn(runs: RedactedRuns(runs.restarted(), self, domain)))
    }
  }

  /// The keys that objects of a class will have.
  ///
  /// - Throws: `damaged` with rule `link.dangling` if an object does not exist.
  private func newKeys(
    _ keys: [ObjectKey], _ classPosition: Int
  ) throws(RealmFileError) -> [ObjectKey] {
    let objectClass = scope.schema.classes[classPosition]
    guard objectClass.primaryKey != nil else { return keys }
    let ranks = ranks[classPosition] ?? ObjectRanks()
    var new: [ObjectKey] = []
    new.reserveCapacity(keys.count)
    for key in keys {
      guard !key.isNull, !key.isUnresolved else {
        new.append(key)
        continue
      }
      guard let rank = ranks[key] else {
        throw RealmFileError(
          .damaged(.linkDangling),
          detail: "a link to object \(key.raw) of \(objectClass.name), which does not exist")
      }
      new.append(ObjectKey(Int64(rank)))
    }
    return new
  }

  /// A large set or dictionary in memory. Its masks have another order, and differ from one another, so all are needed at
  /// once.
  ///
  /// - Returns: nil for a list.
  /// - Throws: `unsupported` if a dictionary has another large collection inside.
  private static func whole(
    _ runs: any CollectionRuns, isSet: Bool
  ) throws(RealmFileError) -> CollectionColumn? {
    var (elements, keys, picks) = ([ColumnValues](), [ScalarColumn](), [RowPick]())
    while let run = try runs.next() {
      guard isSet || run.keys != nil else { return nil }
      guard !run.elements.hasRuns else { throw Redaction.twoLarge }
      for row in run.range(of: 0) { picks.append(RowPick(source: elements.count, row: row)) }
      elements.append(run.elements.copied)
      if let some = run.keys { keys.append(some.copied) }
    }
    guard !elements.isEmpty else { return nil }
    // What is picked has the bytes of the columns that it is picked from.
    return withExtendedLifetime((elements, keys)) {
      CollectionColumn(
        ends: [picks.count], elements: ColumnValues.picking(picks, of: elements).copied,
        keys: keys.first.map { ScalarColumn.picking(picks, of: keys, like: $0).copied })
    }
  }

  private static let twoLarge = RealmFileError(
    .unsupported(
      "found a large dictionary with a large collection inside, expected one of them to be small: the "
        + "collections of an object have more than \(BatchAssembler.elementLimit) elements"))

  private static func tooManyMembers(of byteCount: Int) -> RealmFileError {
    RealmFileError(
      .unsupported(
        "found too many members of \(byteCount) bytes in a set or dictionary to mask each as another one"
      ))
  }

  func redacted(
    _ column: CollectionColumn, _ domain: MaskDomain?, isSet: Bool
  ) throws(RealmFileError) -> CollectionColumn {
    let keys = try column.keys.map { (keys) throws(RealmFileError) in
      try unique(keys, domain.map { _ in scope.identities }, column.ends)
    }
    let elements: ColumnValues
    switch column.elements {
    case .scalar(let scalars) where isSet:
      elements = .scalar(try unique(scalars, domain, column.ends))
    case .mixed(let members) where isSet:
      elements = .mixed(try unique(members, domain, column.ends))
    default: elements = try redacted(column.elements, domain)
    }
    return CollectionColumn(ends: column.ends, elements: elements, keys: keys)
  }

  /// The masks of strings or binaries that differ in each collection; other values are masked one to one.
  ///
  /// - Parameter domain: nil if the values are kept.
  private func unique(
    _ column: ScalarColumn, _ domain: MaskDomain?, _ ends: [Int]
  ) throws(RealmFileError) -> ScalarColumn {
    guard let domain else { return column }
    return switch column {
    case .string(let values):
      .string(try unique(values, domain, ends) { texts.append($0, $1, to: &$2) })
    case .binary(let values):
      .binary(try unique(values, domain, ends) { texts.append(binary: $0, $1, to: &$2) })
    default: redacted(column, domain)
    }
  }

  /// - Parameter append: appends the mask of a value.
  /// - Throws: `unsupported` if a collection has so many short values that no mask is found for one.
  private func unique(
    _ values: SliceColumn, _ domain: MaskDomain, _ ends: [Int],
    _ append: (ByteSlice, MaskDomain, inout [UInt8]) -> Void
  ) throws(RealmFileError) -> SliceColumn {
    var masks = values.slices.makeRoom()
    var start = 0
    for end in ends {
      var used = UsedMasks()
      for row in start..<end {
        guard let bytes = values[row] else { continue }
        let before = masks.count
        append(bytes, domain, &masks)
        guard end - start > 1 else { continue }
        var next = domain
        while !used.insert(masks[before...]) {
          guard next.attempt < .max else { throw Redaction.tooManyMembers(of: bytes.count) }
          masks.removeLast(masks.count - before)
          next.attempt += 1
          append(bytes, next, &masks)
        }
      }
      start = end
    }
    return SliceColumn(values, replacedBy: masks)
  }

  /// The masks of members of sets, which differ in each set. Those that equal another one are made anew.
  private func unique(
    _ column: MixedColumn, _ domain: MaskDomain?, _ ends: [Int]
  ) throws(RealmFileError) -> MixedColumn {
    var attempts = Array(repeating: UInt8(0), count: column.values.count)
    while true {
      let result = try redacted(column, domain, attempts)
      guard domain != nil else { return result }
      var (start, isUnique) = (0, true)
      for end in ends {
        let members = (start..<end).map { (row: $0, value: MixedValue(result.values[$0])) }
          .filter { !$0.value.isNull }
          .sorted { a, b in
            let order = StoredOrder.current.compare(a.value, b.value)
            return order < 0 || order == 0 && a.row < b.row
          }
        start = end
        for (a, b) in zip(members, members.dropFirst())
        where StoredOrder.current.compare(a.value, b.value) == 0 {
          guard attempts[b.row] < .max else {
            throw Redaction.tooManyMembers(of: result.values[b.row].slice?.count ?? 0)
          }
          attempts[b.row] += 1
          isUnique = false
        }
      }
      if isUnique { return result }
    }
  }

  // MARK: Values

  /// - Parameter attempts: the attempt for each value; empty for the first one.
  private func redacted(
    _ column: MixedColumn, _ domain: MaskDomain?, _ attempts: [UInt8] = []
  ) throws(RealmFileError) -> MixedColumn {
    var masks = (domain == nil ? [] : column.values.map(\.slice)).makeRoom()
    var (originals, values) = ([ByteSlice?](), column.values)
    if var domain {
      for (i, value) in column.values.enumerated() {
        if !attempts.isEmpty { domain.attempt = attempts[i] }
        values[i] = redacted(value, domain, to: &masks)
        originals.append(value.slice)
      }
    }
    var identities: [BatchValue?] = []
    for link in column.links {
      let domain = scope.domain(ofKeyOf: link.target)
      identities.append(
        link.identity.map { identity in
          domain.map { redacted(identity, $0, to: &masks) } ?? identity
        })
      if domain != nil { originals.append(link.identity?.slice) }
    }
    let (arena, copies) = ByteArena.copy(masks, sizes: originals)
    var next = 0
    func placed(_ value: BatchValue) -> BatchValue {
      defer { next += 1 }
      return copies[next].map { value.with($0) } ?? value
    }
    if domain != nil { values = values.map(placed) }
    var result = MixedColumn(values: values, arena: arena)
    for (link, identity) in zip(column.links, identities) {
      let isMasked = scope.domain(ofKeyOf: link.target) != nil
      result.links.append(
        MixedColumn.Link(
          target: link.target,
          key: try link.key.map { (key) throws(RealmFileError) in
            try newKeys([key], link.target)[0]
          },
          identity: isMasked ? placed(identity ?? .null) : identity, isUnresolved: link.isUnresolved
        ))
    }
    result.lists = try column.lists.map { (lists) throws(RealmFileError) in
      try redacted(nested: lists, domain)
    }
    result.dictionaries = try column.dictionaries.map { (entries) throws(RealmFileError) in
      try redacted(nested: entries, domain)
    }
    return result
  }

  private func redacted(
    nested column: CollectionColumn, _ domain: MaskDomain?
  ) throws(RealmFileError) -> CollectionColumn {
    guard case .collection(let result) = try redacted(.collection(column), domain) else {
      return column
    }
    return result
  }

  /// - Parameter masks: receives the mask of a value with bytes, which the caller puts in place.
  private func redacted(
    _ value: BatchValue, _ domain: MaskDomain, to masks: inout [UInt8]
  ) -> BatchValue {
    let numbers = NumberMask(domain)
    switch value {
    case .null, .link, .list, .dictionary: return value
    case .int(let number): return .int(numbers.int(number))
    case .bool(let flag): return .bool(numbers.bool(flag))
    case .float(let number): return .float(numbers.float(number))
    case .double(let number): return .double(numbers.double(number))
    case .decimal(let number): return .decimal(numbers.decimal(number))
    case .timestamp(let seconds, let nanoseconds):
      let date = numbers.date(seconds, nanoseconds)
      return .timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds)
    case .string(let bytes): texts.append(bytes, domain, to: &masks)
    case .binary(let bytes): texts.append(binary: bytes, domain, to: &masks)
    case .objectId(let bytes): numbers.appendObjectId(bytes, to: &masks)
    case .uuid(let bytes): numbers.appendUUID(bytes, to: &masks)
    }
    return value
  }

  /// - Parameter domain: nil if the values are kept.
  private func redacted(_ column: ScalarColumn, _ domain: MaskDomain?) -> ScalarColumn {
    guard let domain else { return column }
    let numbers = NumberMask(domain)
    switch column {
    case .int(let values, let nulls): return .int(values.map { numbers.int($0) }, nulls)
    case .bool(let values, let nulls): return .bool(values.map { numbers.bool($0) }, nulls)
    case .float(let values, let nulls): return .float(values.map { numbers.float($0) }, nulls)
    case .double(let values, let nulls): return .double(values.map { numbers.double($0) }, nulls)
    case .decimal(let values): return .decimal(values.map { numbers.decimal($0) })
    case .timestamp(var seconds, var nanoseconds, let nulls):
      for row in seconds.indices {
        (seconds[row], nanoseconds[row]) = numbers.date(seconds[row], nanoseconds[row])
      }
      return .timestamp(seconds, nanoseconds, nulls)
    case .string(let values):
      return .string(masked(values) { texts.append($0, domain, to: &$1) })
    case .binary(let values):
      return .binary(masked(values) { texts.append(binary: $0, domain, to: &$1) })
    case .objectId(let values):
      return .objectId(masked(values) { numbers.appendObjectId($0, to: &$1) })
    case .uuid(let values): return .uuid(masked(values) { numbers.appendUUID($0, to: &$1) })
    }
  }

  /// - Parameter append: appends the mask of a value.
  private func masked(
    _ values: SliceColumn, _ append: (ByteSlice, inout [UInt8]) -> Void
  ) -> SliceColumn {
    var masks = values.slices.makeRoom()
    for case let bytes? in values.slices { append(bytes, &masks) }
    return SliceColumn(values, replacedBy: masks)
  }
}

extension [ByteSlice?] {
  /// An array for the masks of these values.
  fileprivate func makeRoom() -> [UInt8] {
    var masks: [UInt8] = []
    masks.reserveCapacity(reduce(0) { $0 + ($1?.count ?? 0) })
    return masks
  }
}

/// The masks that a collection has already, by their hashes. Takes 16 bytes for each.
private struct UsedMasks {
  private var hashes: Set<Int> = []

  /// - Returns: false if the mask is there, or another one with the same hash.
  mutating func insert(_ mask: ArraySlice<UInt8>) -> Bool {
    hashes.insert(mask.hashValue).inserted
  }
}
