import RealmStorage

/// Makes what leaves hold complete in itself: follows refs to collections, keys to embedded objects and
/// to the identities of linked ones. Belongs to one thread.
///
/// Invariant 1: the number of elements of all collections of a batch is at most `elementLimit`, unless
/// the batch has one object. A collection of more elements than that comes in runs.
final class BatchAssembler {
  /// Elements of all collections of a batch.
  static let elementLimit = 65_536

  /// What the columns of a table are in batches, found once.
  final class TablePlan {
    let table: Table
    /// For each column whether it is given.
    let isWanted: [Bool]

    init(_ table: Table, isWanted: [Bool]) { (self.table, self.isWanted) = (table, isWanted) }
  }

  /// What may still be put into a batch.
  struct Room {
    var elements = BatchAssembler.elementLimit
    /// Embedded objects and nested collections around what is read.
    var depth = 0

    /// - Returns: false where `count` elements are too many.
    mutating func take(_ count: Int) -> Bool {
      elements -= count
      return elements >= 0
    }
  }

  let reader: RealmReader
  let request: ObjectRequest
  let ledger: PartLedger
  /// Class and property that are read at the moment: what an error in a large collection tells, which is
  /// read when the sink asks for it.
  var place: (className: String?, property: String?) = (nil, nil)
  private var plans: [TablePlan?]
  private var gatherers: [ObjectGatherer?]
  private var tombstoneGatherers: [ObjectGatherer?]

  init(_ realm: Realm, _ request: ObjectRequest, _ ledger: PartLedger) throws(RealmFileError) {
    reader = try RealmReader(realm)
    (self.request, self.ledger) = (request, ledger)
    let count = realm.schema.tables.count
    plans = Array(repeating: nil, count: count)
    gatherers = Array(repeating: nil, count: count)
    tombstoneGatherers = Array(repeating: nil, count: count)
  }

  var schema: Schema { reader.realm.schema }

  func plan(_ table: Table) -> TablePlan {
    if let plan = plans[table.position] { return plan }
    let wanted = request.properties[table.position]
    let plan = TablePlan(
      table, isWanted: table.columns.indices.map { wanted?.contains($0) ?? true })
    plans[table.position] = plan
    return plan
  }

  func gatherer(
    of table: Table, tombstones: Bool = false
  ) throws(RealmFileError) -> ObjectGatherer {
    let known = tombstones ? tombstoneGatherers[table.position] : gatherers[table.position]
    if let known { return known }
    let gatherer = try ObjectGatherer(table, isTombstones: tombstones, reader)
    if tombstones {
      tombstoneGatherers[table.position] = gatherer
    } else {
      gatherers[table.position] = gatherer
    }
    return gatherer
  }

  /// Called before each batch.
  func beginBatch() {
    for gatherer in gatherers { gatherer?.beginBatch() }
    for gatherer in tombstoneGatherers { gatherer?.beginBatch() }
  }

  // MARK: Columns

  /// The values of `column` for some objects.
  ///
  /// - Parameters:
  ///   - batch: what the leaves of the column hold.
  ///   - owners: keys of the objects, one a row of `batch`.
  /// - Returns: nil where the elements are too many for `room` and there are several objects.
  /// - Throws: `damaged`, with the property, and the object as far as it is known.
  func values(
    _ column: Column, _ batch: ColumnBatch, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    place.property = column.name.text
    do throws(RealmFileError) {
      guard owners.count == 1 else { return try elements(column, batch, owners: owners, &room) }
      // A single object may have as many elements as it likes, in runs.
      var own = Room()
      own.depth = room.depth
      guard case .collection(let roots) = batch else {
        return try elements(column, batch, owners: owners, &own)
      }
      let mark = ledger.mark
      if let values = try collections(column, roots, owners: owners, &own) {
        return .collection(values)
      }
      ledger.forget(since: mark)
      return .collection(
        CollectionColumn(
          runs: RealmCollectionRuns(
            .column(column), root: roots[0], owner: owners[0], depth: room.depth, self)))
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  /// The values that leaves of `column` hold, or elements of its collections.
  func elements(
    _ column: Column, _ batch: ColumnBatch, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    switch batch {
    case .link(let keys):
      guard let target = column.target.flatMap({ schema.table($0) }) else {
        return try untargeted(keys, owners)
      }
      if target.kind == .embedded, request.embedded == .nested {
        return try embedded(keys, target, column, owners: owners, &room)
      }
      return .link(try links(keys, to: target, owners: owners))
    case .mixed(let values): return try mixed(values, owners: owners, &room).map { .mixed($0) }
    case .collection(let roots):
      return try collections(column, roots, owners: owners, &room).map { .collection($0) }
    default: return ScalarColumn(batch).map { .scalar($0) }
    }
  }

  /// Links of a column whose target class does not exist: none of them can lead anywhere.
  private func untargeted(
    _ keys: [ObjectKey], _ owners: [ObjectKey]
  ) throws(RealmFileError) -> ColumnValues {
    if let row = keys.firstIndex(where: { !$0.isNull }) {
      throw RealmFileError(
        .damaged(.linkDangling), objectKey: owners[row].raw,
        detail: "a link to a class that does not exist")
    }
    return .scalar(
      .int(Array(repeating: 0, count: keys.count), NullMask(count: keys.count) { _ in true }))
  }

  /// Links with the identities of their targets.
  private func links(
    _ keys: [ObjectKey], to target: Table, owners: [ObjectKey]
  ) throws(RealmFileError) -> LinkColumn {
    var column = LinkColumn(
      target: target.position, count: keys.count,
      nulls: NullMask(count: keys.count) { keys[$0].isNull },
      unresolved: NullMask(count: keys.count) { keys[$0].isUnresolved }, keys: keys)
    // A tombstone is nothing but its primary key.
    guard request.links == .identities || !column.unresolved.isEmpty,
      let position = target.primaryKey
    else { return column }
    column.identities = try identities(
      of: keys, target.columns[position], in: target, owners: owners,
      hasUnresolved: !column.unresolved.isEmpty)
    return column
  }

  /// The primary keys of the objects with `keys`; null for a null link.
  private func identities(
    of keys: [ObjectKey], _ column: Column, in target: Table, owners: [ObjectKey],
    hasUnresolved: Bool
  ) throws(RealmFileError) -> ScalarColumn {
    let live = try gatherer(of: target)
    let places = try live.places(of: keys)
    func check(_ row: Int, _ place: ObjectPlace) throws(RealmFileError) {
      guard place.exists || keys[row].isNull else {
        throw RealmFileError(
          .damaged(.linkDangling), objectKey: owners[row].raw,
          detail:
            "a link to object \(keys[row].raw) of \(target.className.text), which does not exist"
        )
      }
    }
    guard hasUnresolved else {
      for row in keys.indices { try check(row, places[row]) }
      return try live.primaryKeys(column, of: places)
    }
    // Few realms have links to tombstones, and few of their links are such.
    let dead = try gatherer(of: target, tombstones: true)
    let deadPlaces = try dead.places(of: keys.map { $0.isUnresolved ? $0 : .null })
    let values = try live.primaryKeys(
      column, of: keys.indices.map { keys[$0].isUnresolved ? .none : places[$0] })
    let deadValues = try dead.primaryKeys(column, of: deadPlaces)
    var builder = ColumnBuilder(type: column.type)
    for row in keys.indices {
      let isUnresolved = keys[row].isUnresolved
      try check(row, isUnresolved ? deadPlaces[row] : places[row])
      builder.append(isUnresolved ? deadValues.stored(row) : values.stored(row))
    }
    return ScalarColumn(builder.batch) ?? values
  }

  // MARK: Embedded objects

  /// Embedded objects with the keys of a column.
  private func embedded(
    _ keys: [ObjectKey], _ target: Table, _ column: Column, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    guard room.depth < MixedValue.nestingLimit else {
      throw .damaged(
        .valueDepth, at: target.ref, "more than \(MixedValue.nestingLimit) objects one in the other"
      )
    }
    var rows: [Int] = []
    var wanted: [ObjectKey] = []
    var wantedOwners: [ObjectKey] = []
    rows.reserveCapacity(keys.count)
    for (i, key) in keys.enumerated() {
      // A link to a tombstone has no object to show.
      guard !key.isNull, !key.isUnresolved else {
        rows.append(-1)
        continue
      }
      rows.append(wanted.count)
      wanted.append(key)
      wantedOwners.append(owners[i])
    }
    room.depth += 1
    defer { room.depth -= 1 }
    let objects = try objects(wanted, of: target, column, owners: wantedOwners, &room)
    return objects.map { .embedded(EmbeddedColumn(rows: rows, objects: $0)) }
  }

  private func objects(
    _ keys: [ObjectKey], of table: Table, _ column: Column, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ObjectBatch? {
    let plan = plan(table)
    // A class can embed itself: where there are no objects, nothing is in them.
    guard !keys.isEmpty else {
      return ObjectBatch(
        classPosition: table.position, count: 0, keys: [],
        columns: Array(repeating: nil, count: table.columns.count), owner: nil)
    }
    let gatherer = try gatherer(of: table)
    let places = try gatherer.places(of: keys)
    for (row, place) in places.enumerated() where !place.exists {
      throw RealmFileError(
        .damaged(.linkDangling), objectKey: owners[row].raw,
        detail: "a link to object \(keys[row].raw) of \(table.className.text), which does not exist"
      )
    }
    try ledger.claim(places, in: gatherer.clusterRefs(of: places), owners: owners, column)
    var columns: [ColumnValues?] = []
    columns.reserveCapacity(table.columns.count)
    for (i, column) in table.columns.enumerated() {
      guard plan.isWanted[i] else {
        columns.append(nil)
        continue
      }
      let batch = try gatherer.values(column, of: places)
      guard let values = try values(column, batch, owners: keys, &room) else { return nil }
      columns.append(values)
    }
    return ObjectBatch(
      classPosition: table.position, count: keys.count, keys: keys, columns: columns, owner: nil)
  }

  // MARK: Mixed values

  /// Mixed values with the collections nested in them.
  func mixed(
    _ stored: [MixedValue], owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> MixedColumn? {
    var column = MixedColumn(values: [])
    column.values.reserveCapacity(stored.count)
    var (lists, listOwners): ([Ref], [ObjectKey]) = ([], [])
    var (dictionaries, dictionaryOwners): ([Ref], [ObjectKey]) = ([], [])
    for (row, value) in stored.enumerated() {
      switch value {
      case .typedLink(let table, let key):
        guard let link = try link(to: key, of: table, owner: owners[row]) else {
          column.values.append(.null)
          continue
        }
        column.values.append(.link(column.links.count))
        column.links.append(link)
      case .list(let root):
        column.values.append(.list(lists.count))
        lists.append(root)
        listOwners.append(owners[row])
      case .dictionary(let root):
        column.values.append(.dictionary(dictionaries.count))
        dictionaries.append(root)
        dictionaryOwners.append(owners[row])
      default: column.values.append(value.plain)
      }
    }
    guard !lists.isEmpty || !dictionaries.isEmpty else { return column }
    guard room.depth < MixedValue.nestingLimit else {
      throw .damaged(
        .valueDepth, at: (lists + dictionaries)[0],
        "more than \(MixedValue.nestingLimit) collections one in the other")
    }
    room.depth += 1
    defer { room.depth -= 1 }
    if !lists.isEmpty {
      guard let nested = try nestedLists(lists, owners: listOwners, &room) else { return nil }
      column.lists = nested
    }
    if !dictionaries.isEmpty {
      guard let nested = try nestedDictionaries(dictionaries, owners: dictionaryOwners, &room)
      else {
        return nil
      }
      column.dictionaries = nested
    }
    return column
  }

  /// A link of a mixed value; nil for a null link, and for one to a class that was removed.
  private func link(
    to key: ObjectKey, of tableKey: TableKey, owner: ObjectKey
  ) throws(RealmFileError) -> MixedColumn.Link? {
    guard !key.isNull, let target = schema.table(tableKey) else { return nil }
    let links = try links([key], to: target, owners: [owner])
    return MixedColumn.Link(
      target: target.position, key: key, identity: links.identities.map { $0[0] },
      isUnresolved: key.isUnresolved)
  }
}

extension ScalarColumn {
  /// The value in `row` as it is stored.
  fileprivate func stored(_ row: Int) -> MixedValue {
    switch self[row] {
    case .int(let number): .int(number)
    case .string(let bytes): .string(bytes)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    default: .null
    }
  }
}

extension MixedValue {
  /// A value that is neither a link nor a collection.
  fileprivate var plain: BatchValue {
    switch self {
    case .int(let number): .int(number)
    case .bool(let flag): .bool(flag)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let bytes): .string(bytes)
    case .binary(let bytes): .binary(bytes)
    case .timestamp(let seconds, let nanoseconds):
      .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number): .decimal(number)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    case .null, .link, .typedLink, .list, .dictionary: .null
    }
  }
}
