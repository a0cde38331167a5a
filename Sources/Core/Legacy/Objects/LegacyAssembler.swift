import RealmModel
import RealmStorage

/// Turns the values of columns into columns of batches: follows refs to lists and subtables, and rows to the primary
/// keys of linked objects. Used by one thread.
///
/// Invariant 1: the collections of a batch together have at most `BatchAssembler.elementLimit` elements in memory. In
/// a batch of one object, a collection that does not fit comes in runs, and the tables in mixed values have their
/// own limit of the same size.
final class LegacyAssembler {
  typealias Room = BatchAssembler.Room

  let realm: LegacyRealm
  let reader: LegacyReader
  /// Counts the nodes of large collections; nil if they are already counted.
  let ledger: LegacyLedger?
  let request: ObjectRequest
  /// The class and property that are being read; see ``BatchAssembler/place``.
  var place: (className: String?, property: String?) = (nil, nil)
  /// The property of the class of the part that is being read; nil outside of a property.
  var outer: (className: String, property: String)?
  /// What the batches of a damaged realm lack.
  var losses = LegacyLossLog()
  /// Looks up primary keys, by position of the class.
  private var identities: [Int: LegacyCells] = [:]
  /// The properties of classes, by position of the class.
  private var properties: [Int: [LegacyProperty]] = [:]
  /// How many more values the tables in mixed values of a single object may have. Such tables cannot come in runs.
  private var tableRoom = BatchAssembler.elementLimit

  init(
    _ realm: LegacyRealm, _ request: ObjectRequest, _ ledger: LegacyLedger?
  ) throws(RealmFileError) {
    reader = LegacyReader(try realm.snapshot.makeReader(), realm.lists, realm.doubts)
    (self.realm, self.request, self.ledger) = (realm, request, ledger)
  }

  var nodes: NodeReader { reader.nodes }

  /// Called before each batch.
  func beginBatch() {
    for position in identities.keys { identities[position]?.forgetLeaf() }
    tableRoom = BatchAssembler.elementLimit
  }

  /// The properties of the class at `position`.
  func properties(ofClass position: Int) -> [LegacyProperty] {
    if let known = properties[position] { return known }
    let layout = realm.layouts[position]
    let made = layout.columns.indices.map { LegacyProperty(layout, $0, realm) }
    properties[position] = made
    return made
  }

  // MARK: Damage

  /// Whether what cannot be read is left out.
  var leavesOut: Bool { request.damage == .leaveOut }

  /// Notes that a value of the object in `row`, or a part of one, is left out because of `error`.
  ///
  /// - Throws: `error` if it is not damage, or if the request does not leave out damage.
  func leaveOut(
    _ error: RealmFileError, ofRow row: Int, isPart: Bool = false
  ) throws(RealmFileError) {
    // A loss in an embedded object is one of the object around it.
    let isInner = outer.map { $0.className != place.className } ?? false
    let known = error.adding(
      className: isInner ? outer?.className : place.className,
      property: isInner ? outer?.property : place.property, objectKey: Int64(row))
    guard leavesOut, var finding = Finding(known) else { throw error }
    if let outer { (finding.className, finding.property) = outer }
    losses.add(finding, of: ObjectKey(Int64(row)), isPart: isPart || isInner)
  }

  // MARK: Columns

  /// The values of a property for some objects.
  ///
  /// - Parameters:
  ///   - values: the values of the column for the objects.
  ///   - owners: the rows of the objects, or of the objects around them.
  /// - Returns: nil if `room` has too little space for the elements of several objects. The elements of a single
  ///   object come in runs instead, which take no room.
  /// - Throws: `damaged`, with the property, and the object if it is known; `unsupported` for tables in mixed
  ///   values that are too large.
  func values(
    _ property: LegacyProperty, _ values: LeafValues, owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    guard owners.count == 1 else { return try elements(property, values, owners: owners, &room) }
    // A single object may have any number of elements.
    let (before, free, mark) = (nodes.openedByteCount, room.elements, losses.mark)
    if let all = try elements(property, values, owners: owners, &room) { return all }
    losses.forget(since: mark)
    room.elements = free
    guard case .collection(let roots) = values else {
      nodes.uncount(to: before)
      var own = room
      own.elements = tableRoom
      guard let all = try elements(property, values, owners: owners, &own) else {
        throw LegacyAssembler.tableTooLarge(owner: owners[0])
      }
      tableRoom = own.elements
      return all
    }
    // The runs read the elements again, but each node counts once.
    nodes.uncount(to: before)
    let runs = LegacyCollectionRuns(
      property, root: roots[0], owner: owners[0], depth: room.depth, self)
    guard !leavesOut else { return .collection(try readable(runs, property, owner: owners[0])) }
    return .collection(CollectionColumn(runs: runs))
  }

  /// A large collection of a damaged realm, or an empty one if it cannot be read as a whole.
  private func readable(
    _ runs: LegacyCollectionRuns, _ property: LegacyProperty, owner: Int
  ) throws(RealmFileError) -> CollectionColumn {
    do throws(RealmFileError) {
      while try runs.next() != nil {}
      return CollectionColumn(runs: runs)
    } catch {
      try leaveOut(error, ofRow: owner)
      return CollectionColumn(ends: [0], elements: property.noElements)
    }
  }

  /// The error for tables in mixed values that have too many values.
  ///
  /// - Parameter owner: the row of the object with the tables.
  static func tableTooLarge(owner: Int) -> RealmFileError {
    RealmFileError(
      .unsupported(
        "the tables in mixed values of an object have more than \(BatchAssembler.elementLimit) values, "
          + "the most that this version reads"), objectKey: Int64(owner))
  }

  private func elements(
    _ property: LegacyProperty, _ values: LeafValues, owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    switch values {
    case .scalar(let scalars): return .scalar(scalars)
    case .link(let keys):
      guard case .link(let target) = property.column.kind else { return nil }
      return .link(try links(keys, to: target, allowsNull: true, owners: { owners[$0] }))
    case .mixed(let stored): return try mixed(stored, owners: owners, &room).map { .mixed($0) }
    case .collection(let roots):
      return try collections(property, roots, owners: owners, &room).map { .collection($0) }
    }
  }

  /// Links with the primary keys of their targets, if the request asks for them.
  ///
  /// - Parameters:
  ///   - allowsNull: false for the elements of link lists, which are always rows.
  ///   - owners: returns the row of the object with the link.
  func links(
    _ keys: [ObjectKey], to target: Int, allowsNull: Bool, owners: (Int) -> Int
  ) throws(RealmFileError) -> LinkColumn {
    let rows = realm.tables[target].rowCount
    let least = allowsNull ? ObjectKey.null.raw : 0
    // Readers of a damaged realm have already checked the rows.
    for (i, key) in keys.enumerated() where key.raw >= rows || key.raw < least {
      throw RealmFileError(
        .damaged(.linkDangling), objectKey: Int64(owners(i)),
        detail:
          "a link to row \(key.raw) of \(realm.schema.classes[target].name), which has \(rows) rows"
      )
    }
    var column = LinkColumn(
      target: target, count: keys.count, nulls: NullMask(count: keys.count) { keys[$0].isNull },
      keys: keys)
    guard request.links == .identities,
      let primaryKey = realm.schema.classes[target].primaryKey
    else { return column }
    column.identities = try primaryKeys(of: keys, primaryKey, ofClass: target)
    return column
  }

  private func primaryKeys(
    of keys: [ObjectKey], _ property: Int, ofClass target: Int
  ) throws(RealmFileError) -> ScalarColumn? {
    let column = realm.layouts[target].columns[property]
    var cells =
      if let known = identities[target] { known } else {
        try LegacyCells(column, root: realm.tables[target].roots[column.slot], reader)
      }
    let isInt = if case .values(_, .int) = column.kind { true } else { false }
    var builder = ColumnBuilder(type: isInt ? .int : .string)
    for key in keys {
      builder.append(key.isNull ? .null : try cells.value(at: Int(key.raw)))
    }
    identities[target] = cells
    return builder.batch.scalars
  }

  // MARK: Collections

  /// The lists or subtables at `roots`.
  ///
  /// - Returns: nil if `room` has too little space for the elements.
  func collections(
    _ property: LegacyProperty, _ roots: [Ref], owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> CollectionColumn? {
    guard roots.contains(where: { $0 != 0 }) else {
      return CollectionColumn(
        ends: Array(repeating: 0, count: roots.count), elements: property.noElements)
    }
    var ends: [Int] = []
    ends.reserveCapacity(roots.count)
    var rows: [Int] = []
    var parts = try LegacyElements(property, self)
    for (i, root) in roots.enumerated() {
      // Most lists of most realms are empty.
      guard root != 0 else {
        ends.append(rows.count)
        continue
      }
      do {
        let count = try parts.open(root)
        guard room.take(count) else { return nil }
        try parts.append(0..<count)
        rows += repeatElement(owners[i], count: count)
      } catch {
        guard leavesOut else { throw error.adding(objectKey: Int64(owners[i])) }
        try leaveOut(error, ofRow: owners[i])
        parts.removeAll(from: rows.count)
      }
      ends.append(rows.count)
    }
    guard let elements = try parts.finish(owners: rows, &room) else { return nil }
    return CollectionColumn(ends: ends, elements: elements)
  }
}
