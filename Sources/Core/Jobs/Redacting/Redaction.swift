import RealmModel
import RealmStorage

/// Replaces the content of objects by noise of the same form: classes, counts, links, nulls, and the lengths of
/// collections, strings and binaries stay.
///
/// Objects with primary keys lose their object keys, which some formats compute from the primary keys. Links to them
/// are by primary key.
struct Redaction: ObjectTransform {
  typealias Failure = RealmFileError

  let scope: RedactionScope
  let key: [UInt8]
  let originals: OriginalTexts

  func transform(_ schema: ObjectSchema) -> ObjectSchema { schema }

  func transform(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    try BatchRedaction(self).redacted(batch)
  }
}

/// Redacts batches. Used by one thread.
struct BatchRedaction {
  private let redaction: Redaction
  private let numbers: NumberMask
  private let texts: TextMask

  private var scope: RedactionScope { redaction.scope }

  init(_ redaction: Redaction) throws(RealmFileError) {
    self.redaction = redaction
    let code = try MessageCode(key: redaction.key)
    numbers = NumberMask(code: code)
    texts = TextMask(code: code, originals: redaction.originals)
  }

  func redacted(_ batch: ObjectBatch) throws(RealmFileError) -> ObjectBatch {
    let objectClass = scope.schema.classes[batch.classPosition]
    var columns: [ColumnValues?] = []
    for (i, column) in batch.columns.enumerated() {
      guard let column else {
        columns.append(nil)
        continue
      }
      let domain = scope.domain(of: i, ofClass: batch.classPosition)
      columns.append(
        try redacted(column, domain, isSet: objectClass.properties[i].collection == .set))
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
    case .scalar(let column): return .scalar(try redacted(column, domain))
    case .link(let column):
      var links = LinkColumn(
        target: column.target, count: column.count, nulls: column.nulls,
        unresolved: column.unresolved, keys: column.identities == nil ? column.keys : [])
      links.identities = try column.identities.map { (identities) throws(RealmFileError) in
        try redacted(identities, scope.domain(ofKeyOf: column.target))
      }
      return .link(links)
    case .embedded(let column):
      return .embedded(EmbeddedColumn(rows: column.rows, objects: try redacted(column.objects)))
    case .mixed(let column): return .mixed(try redacted(column, domain))
    case .collection(let column):
      guard let runs = column.runs else {
        return .collection(try redacted(column, domain, isSet: isSet))
      }
      if domain != nil, let whole = try BatchRedaction.whole(runs, isSet: isSet) {
        return .collection(try redacted(whole, domain, isSet: isSet))
      }
      return .collection(
        CollectionColumn(runs: RedactedRuns(runs.restarted(), redaction, domain)))
    }
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
      guard !run.elements.hasRuns else { throw BatchRedaction.twoLarge }
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

  func redacted(
    _ column: CollectionColumn, _ domain: MaskDomain?, isSet: Bool
  ) throws(RealmFileError) -> CollectionColumn {
    let keys = try column.keys.map { (keys) throws(RealmFileError) in
      domain == nil ? keys : try unique(keys, scope.identities, column.ends)
    }
    let elements: ColumnValues
    switch column.elements {
    case .scalar(let scalars) where isSet:
      elements = .scalar(
        try domain.map { (domain) throws(RealmFileError) in
          try unique(scalars, domain, column.ends)
        } ?? scalars)
    case .mixed(let members) where isSet:
      elements = .mixed(try unique(members, domain, column.ends))
    default: elements = try redacted(column.elements, domain)
    }
    return CollectionColumn(ends: column.ends, elements: elements, keys: keys)
  }

  /// The masks of strings or binaries that differ in each collection; other values are masked one to one.
  private func unique(
    _ column: ScalarColumn, _ domain: MaskDomain, _ ends: [Int]
  ) throws(RealmFileError) -> ScalarColumn {
    let slices: SliceColumn
    let isText: Bool
    switch column {
    case .string(let values): (slices, isText) = (values, true)
    case .binary(let values): (slices, isText) = (values, false)
    default: return try redacted(column, domain)
    }
    var results: [[UInt8]?] = []
    var start = 0
    for end in ends {
      var used = UsedTexts()
      for row in start..<end {
        guard let bytes = slices[row] else {
          results.append(nil)
          continue
        }
        var tried = domain
        if isText { tried.attempt = redaction.originals.attempt(for: bytes, domain, scope) }
        var mask: [UInt8]
        repeat {
          mask = try isText ? texts.text(bytes, tried) : texts.binary(bytes, tried)
          tried.attempt &+= 1
        } while !used.insert(mask) && tried.attempt != 0
        results.append(mask)
      }
      start = end
    }
    let copies = SliceColumn(copying: results)
    return isText ? .string(copies) : .binary(copies)
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
        where StoredOrder.current.compare(a.value, b.value) == 0 && attempts[b.row] < .max {
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
    var masks: [[UInt8]?] = []
    var values = column.values
    if var domain {
      for (i, value) in column.values.enumerated() {
        if !attempts.isEmpty { domain.attempt = attempts[i] }
        values[i] = try redacted(value, domain) { masks.append($0) }
      }
    }
    var links: [MixedColumn.Link] = []
    var identities: [BatchValue?] = []
    for link in column.links {
      identities.append(
        try link.identity.map { (identity) throws(RealmFileError) in
          guard let domain = scope.domain(ofKeyOf: link.target) else { return identity }
          return try redacted(identity, domain) { masks.append($0) }
        })
    }
    let copies = ByteArena.copy(masks)
    var next = 0
    func placed(_ value: BatchValue) -> BatchValue {
      guard value.slice != nil, let copy = copies.slices[next] else { return value }
      next += 1
      return value.with(copy)
    }
    if domain != nil { values = values.map(placed) }
    for (link, identity) in zip(column.links, identities) {
      let isMasked = scope.domain(ofKeyOf: link.target) != nil
      links.append(
        MixedColumn.Link(
          target: link.target, key: identity == nil ? link.key : nil,
          identity: isMasked ? identity.map(placed) : identity, isUnresolved: link.isUnresolved))
    }
    var result = MixedColumn(values: values, arena: copies.arena)
    result.links = links
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

  /// - Parameter add: receives the mask of a value with bytes, which the caller puts in place.
  private func redacted(
    _ value: BatchValue, _ domain: MaskDomain, _ add: ([UInt8]) -> Void
  ) throws(RealmFileError) -> BatchValue {
    switch value {
    case .null, .link, .list, .dictionary: return value
    case .int(let number): return .int(try numbers.int(number, domain))
    case .bool(let flag): return .bool(try numbers.bool(flag, domain))
    case .float(let number): return .float(try numbers.float(number, domain))
    case .double(let number): return .double(try numbers.double(number, domain))
    case .decimal(let number): return .decimal(try numbers.decimal(number, domain))
    case .timestamp(let seconds, let nanoseconds):
      let date = try numbers.date(seconds, nanoseconds, domain)
      return .timestamp(seconds: date.seconds, nanoseconds: date.nanoseconds)
    case .string(let bytes): add(try text(bytes, domain))
    case .binary(let bytes): add(try texts.binary(bytes, domain))
    case .objectId(let bytes): add(try numbers.objectId(bytes, domain))
    case .uuid(let bytes): add(try numbers.uuid(bytes, domain))
    }
    return value
  }

  private func text(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var domain = domain
    if domain.attempt == 0 {
      domain.attempt = redaction.originals.attempt(for: bytes, domain, scope)
    }
    return try texts.text(bytes, domain)
  }

  /// - Parameter domain: nil if the values are kept.
  private func redacted(
    _ column: ScalarColumn, _ domain: MaskDomain?
  ) throws(RealmFileError) -> ScalarColumn {
    guard let domain else { return column }
    switch column {
    case .int(let values, let nulls):
      return .int(
        try masked(values) { (value) throws(RealmFileError) in try numbers.int(value, domain) },
        nulls)
    case .bool(let values, let nulls):
      return .bool(
        try masked(values) { (value) throws(RealmFileError) in try numbers.bool(value, domain) },
        nulls)
    case .float(let values, let nulls):
      return .float(
        try masked(values) { (value) throws(RealmFileError) in try numbers.float(value, domain) },
        nulls)
    case .double(let values, let nulls):
      return .double(
        try masked(values) { (value) throws(RealmFileError) in try numbers.double(value, domain) },
        nulls)
    case .decimal(let values):
      return .decimal(
        try masked(values) { (value) throws(RealmFileError) in try numbers.decimal(value, domain) })
    case .timestamp(let seconds, let nanoseconds, let nulls):
      let dates = try masked(Array(zip(seconds, nanoseconds))) { (date) throws(RealmFileError) in
        try numbers.date(date.0, date.1, domain)
      }
      return .timestamp(dates.map(\.seconds), dates.map(\.nanoseconds), nulls)
    case .string(let values):
      return .string(
        try masked(values) { (bytes) throws(RealmFileError) in try text(bytes, domain) })
    case .binary(let values):
      return .binary(
        try masked(values) { (bytes) throws(RealmFileError) in try texts.binary(bytes, domain) })
    case .objectId(let values):
      return .objectId(
        try masked(values) { (bytes) throws(RealmFileError) in
          try numbers.objectId(bytes, domain)
        })
    case .uuid(let values):
      return .uuid(
        try masked(values) { (bytes) throws(RealmFileError) in try numbers.uuid(bytes, domain) })
    }
  }

  private func masked<Value, Mask>(
    _ values: [Value], _ mask: (Value) throws(RealmFileError) -> Mask
  ) throws(RealmFileError) -> [Mask] {
    var masks: [Mask] = []
    masks.reserveCapacity(values.count)
    for value in values { masks.append(try mask(value)) }
    return masks
  }

  private func masked(
    _ values: SliceColumn, _ mask: (ByteSlice) throws(RealmFileError) -> [UInt8]
  ) throws(RealmFileError) -> SliceColumn {
    SliceColumn(
      copying: try masked(values.slices) { (bytes) throws(RealmFileError) in
        try bytes.map { (bytes) throws(RealmFileError) in try mask(bytes) }
      })
  }
}

extension OriginalTexts {
  /// The attempt that masks a string: another one than the first only for primary keys.
  fileprivate func attempt(
    for text: ByteSlice, _ domain: MaskDomain, _ scope: RedactionScope
  ) -> UInt8 {
    guard !attempts.isEmpty, domain.bytes == scope.identities.bytes else { return 0 }
    return attempts[text.contentHash] ?? 0
  }
}

/// The masks that a collection has already, by their hashes. Takes 16 bytes for each.
struct UsedTexts {
  private var hashes: Set<Int> = []

  /// - Returns: false if the mask is there, or another one with the same hash.
  mutating func insert(_ mask: [UInt8]) -> Bool { hashes.insert(mask.hashValue).inserted }
}
