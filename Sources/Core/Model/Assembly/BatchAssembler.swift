package import RealmStorage

/// Turns the values of leaves into columns of batches: follows refs to collections, and keys to embedded objects
/// and to the identities of linked objects. Used by one thread.
///
/// Invariant 1: the collections of a batch together have at most `elementLimit` elements in memory. In a batch of
/// one object, a collection that does not fit comes in runs.
package final class BatchAssembler {
  /// Maximum number of elements of all collections of a batch together.
  package static let elementLimit = 65_536
  /// Maximum number of levels of embedded objects and nested collections. The reference allows 100 levels of
  /// collections in a mixed value and any number of embedded objects. 400 levels of objects around these are more
  /// than apps nest, and as many as most JSON parsers accept.
  package static let nestingLimit = 500

  /// The elements and levels that a batch still has room for.
  package struct Room {
    package var elements = BatchAssembler.elementLimit
    /// Number of embedded objects and nested collections around the current value.
    package private(set) var depth: Int
    private var stack = StackRoom()

    package init(depth: Int = 0) { self.depth = depth }

    /// Whether this is the deepest level that is read.
    var isDeepest: Bool { depth >= BatchAssembler.nestingLimit }

    /// Calls `body`, which reads one level deeper.
    ///
    /// - Parameter ref: the node that contains the deeper level.
    /// - Throws: `damaged` with rule `value.depth` if the level is too deep.
    package mutating func descend<R>(
      at ref: Ref, _ body: (inout Room) throws(RealmFileError) -> R
    ) throws(RealmFileError) -> R {
      guard !isDeepest else { throw BatchAssembler.tooDeep(at: ref) }
      let outer = stack
      depth += 1
      defer {
        depth -= 1
        stack = outer
      }
      return try stack.deeper { (inner) throws(RealmFileError) in
        stack = inner
        return try body(&self)
      }
    }

    /// Takes `count` elements from the room.
    ///
    /// - Returns: false if there is not enough room.
    package mutating func take(_ count: Int) -> Bool {
      elements -= count
      return elements >= 0
    }
  }

  static func tooDeep(at ref: Ref) -> RealmFileError {
    .damaged(
      .valueDepth, at: ref, "objects and collections are nested more than \(nestingLimit) deep")
  }

  package let reader: RealmReader
  let request: ObjectRequest
  var ledger: PartLedger
  /// The class and property that are being read, for the errors of large collections, which the sink reads later.
  var place: (className: String?, property: String?) = (nil, nil)
  /// Whether the owners of embedded objects are noted; false while objects are read again.
  var notesOwners = true
  /// Whether the large collection whose elements are assembled was read before; nil for the objects of a part.
  var outerPass: FirstPass?
  /// For each table, the columns that the request asks for; nil for tables that were not read yet.
  private var wantedColumns: [[Bool]?]
  private var gatherers: [ObjectGatherer?]
  private var tombstoneGatherers: [ObjectGatherer?]
  /// All gatherers, usually few.
  private var usedGatherers: [ObjectGatherer] = []

  init(_ realm: Realm, _ request: ObjectRequest, _ ledger: PartLedger) throws(RealmFileError) {
    reader = try RealmReader(realm)
    (self.request, self.ledger) = (request, ledger)
    let count = realm.schema.tables.count
    wantedColumns = Array(repeating: nil, count: count)
    gatherers = Array(repeating: nil, count: count)
    tombstoneGatherers = Array(repeating: nil, count: count)
  }

  package var schema: Schema { reader.realm.schema }

  /// Whether the request asks for each of the columns of `table`.
  func wantedColumns(of table: Table) -> [Bool] {
    if let known = wantedColumns[table.position] { return known }
    let properties = request.properties[table.position]
    let wanted = table.columns.indices.map { properties?.contains($0) ?? true }
    wantedColumns[table.position] = wanted
    return wanted
  }

  package func gatherer(of table: Table, tombstones: Bool = false) -> ObjectGatherer {
    let known = tombstones ? tombstoneGatherers[table.position] : gatherers[table.position]
    if let known { return known }
    let gatherer = ObjectGatherer(
      table, isTombstones: tombstones, reader, damage: request.damage)
    if tombstones {
      tombstoneGatherers[table.position] = gatherer
    } else {
      gatherers[table.position] = gatherer
    }
    usedGatherers.append(gatherer)
    return gatherer
  }

  /// Called before each batch.
  package func beginBatch() {
    for gatherer in usedGatherers { gatherer.beginBatch() }
  }

  /// Called when a scope ends and nothing holds its values.
  func forgetValues() {
    for gatherer in usedGatherers { gatherer.forgetValues() }
  }

  // MARK: Columns

  /// The values of `column` for some objects.
  ///
  /// - Parameters:
  ///   - batch: the values of the column's leaves.
  ///   - owners: the key of the object in each row of `batch`.
  /// - Returns: nil if `room` has too little space for the elements of several objects. The elements of a single
  ///   object come in runs instead, which take no room.
  /// - Throws: `damaged`, with the property, and the object if it is known.
  func values(
    _ column: Column, _ batch: LeafValues, owners: [ObjectKey], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    place.property = column.name.text
    do {
      guard owners.count == 1, case .collection(let roots) = batch else {
        return try elements(column, batch, owners: owners, &room)
      }
      // A single object may have any number of elements.
      let (mark, before) = (ledger.mark, room.elements)
      if let values = try collections(column, roots, owners: owners, &room) {
        return .collection(values)
      }
      ledger.forget(since: mark)
      room.elements = before
      return .collection(
        CollectionColumn(
          runs: RealmCollectionRuns(
            .column(column), root: roots[0], owner: owners[0], depth: room.depth, self)))
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  /// Completes the values of leaves of `column`, or the elements of its collections.
  ///
  /// - Returns: nil if `room` has too little space for the elements.
  func elements(
    _ column: Column, _ batch: LeafValues, owners: [ObjectKey], _ room: inout Room
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
    case .scalar(let values): return .scalar(values)
    }
  }

  /// The values of a link column whose target class does not exist. Every link is damaged.
  private func untargeted(
    _ keys: [ObjectKey], _ owners: [ObjectKey]
  ) throws(RealmFileError) -> ColumnValues {
    for row in keys.indices where !keys[row].isNull {
      try leaveOut(
        RealmFileError(.damaged(.linkDangling), detail: "a link to a class that does not exist"),
        of: owners[row])
    }
    return .scalar(
      .int(Array(repeating: 0, count: keys.count), NullMask(count: keys.count) { _ in true }))
  }

  /// Links with the identities of their targets. If damage is left out, a link whose target cannot be identified
  /// is null.
  private func links(
    _ keys: [ObjectKey], to target: Table, owners: [ObjectKey]
  ) throws(RealmFileError) -> LinkColumn {
    do {
      return try allLinks(keys, to: target, owners: owners)
    } catch {
      guard leavesOut(error) else { throw error }
      var readable = keys
      for row in keys.indices where !keys[row].isNull {
        do {
          _ = try allLinks([keys[row]], to: target, owners: [owners[row]])
        } catch {
          try leaveOut(error, of: owners[row])
          readable[row] = .null
        }
      }
      guard readable.allSatisfy(\.isNull) else {
        return try allLinks(readable, to: target, owners: owners)
      }
      return LinkColumn(
        target: target.position, count: keys.count,
        nulls: NullMask(count: keys.count) { _ in true }, keys: readable)
    }
  }

  /// Links with the identities of their targets.
  ///
  /// - Throws: `damaged` if one target cannot be identified.
  private func allLinks(
    _ keys: [ObjectKey], to target: Table, owners: [ObjectKey]
  ) throws(RealmFileError) -> LinkColumn {
    var column = LinkColumn(
      target: target.position, count: keys.count,
      nulls: NullMask(count: keys.count) { keys[$0].isNull },
      unresolved: NullMask(count: keys.count) { keys[$0].isUnresolved }, keys: keys)
    // A tombstone is known only by its primary key.
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
    of all: [ObjectKey], _ column: Column, in target: Table, owners: [ObjectKey],
    hasUnresolved: Bool
  ) throws(RealmFileError) -> ScalarColumn {
    let live = gatherer(of: target)
    // If keys suffice, a lost target must not make other links unreadable.
    let isByKey = request.links == .keys && request.damage == .leaveOut
    let keys = isByKey ? all.map { $0.isUnresolved ? $0 : .null } : all
    var losses = ObjectGatherer.Losses()
    let places = try live.places(of: keys, &losses)
    func check(_ row: Int, _ place: ObjectPlace) throws(RealmFileError) {
      guard place.exists || keys[row].isNull else {
        throw losses[row] ?? dangling(keys[row], target, owners[row])
      }
    }
    guard hasUnresolved else {
      for row in keys.indices { try check(row, places[row]) }
      return try live.primaryKeys(column, of: places)
    }
    // Few realms have links to tombstones, and those have few.
    let dead = gatherer(of: target, tombstones: true)
    let deadPlaces = try dead.places(of: keys.map { $0.isUnresolved ? $0 : .null }, &losses)
    let values = try live.primaryKeys(
      column, of: keys.indices.map { keys[$0].isUnresolved ? .none : places[$0] })
    let deadValues = try dead.primaryKeys(column, of: deadPlaces)
    var builder = ColumnBuilder(type: column.type)
    for row in keys.indices {
      let isUnresolved = keys[row].isUnresolved
      try check(row, isUnresolved ? deadPlaces[row] : places[row])
      builder.append(MixedValue(isUnresolved ? deadValues[row] : values[row]))
    }
    return builder.batch.scalars ?? values
  }

  func dangling(
    _ key: ObjectKey, _ target: Table, _ owner: ObjectKey
  ) -> RealmFileError {
    RealmFileError(
      .damaged(.linkDangling), objectKey: owner.raw,
      detail: "a link to object \(key.raw) of \(target.className.text), which does not exist")
  }

  // MARK: Mixed values

  /// Mixed values with the collections nested in them.
  ///
  /// - Returns: nil if `room` has too little space for the elements.
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
      case .list(let root) where room.isDeepest, .dictionary(let root) where room.isDeepest:
        try leaveOut(BatchAssembler.tooDeep(at: root), of: owners[row])
        column.values.append(.null)
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
    return try room.descend(at: (lists + dictionaries)[0]) {
      (room: inout Room) throws(RealmFileError) -> MixedColumn? in
      if !lists.isEmpty {
        guard let nested = try nestedLists(lists, owners: listOwners, &room) else { return nil }
        column.lists = nested
      }
      if !dictionaries.isEmpty {
        guard let nested = try nestedDictionaries(dictionaries, owners: dictionaryOwners, &room)
        else { return nil }
        column.dictionaries = nested
      }
      return column
    }
  }

  /// A link of a mixed value; nil for a null link, and for a link to a removed class.
  private func link(
    to key: ObjectKey, of tableKey: TableKey, owner: ObjectKey
  ) throws(RealmFileError) -> MixedColumn.Link? {
    guard !key.isNull, let target = schema.table(tableKey) else { return nil }
    let links = try links([key], to: target, owners: [owner])
    guard !links.nulls[0] else { return nil }
    return MixedColumn.Link(
      target: target.position, key: key, identity: links.identities.map { $0[0] },
      isUnresolved: key.isUnresolved)
  }
}
