import RealmModel
import RealmStorage

/// Completes what columns hold: follows refs to lists and subtables, and rows to the primary keys of linked
/// objects. Used by one thread.
///
/// Invariant 1: all collections of a batch together have at most `BatchAssembler.elementLimit` elements,
/// unless the batch has one object. A collection with more elements comes in runs.
final class LegacyAssembler {
  typealias Room = BatchAssembler.Room

  let realm: LegacyRealm
  let reader: LegacyReader
  /// Counts the nodes of large collections; nil if they were counted before.
  let ledger: LegacyLedger?
  let request: ObjectRequest
  /// The class and property that are being read; see ``BatchAssembler/place``.
  var place: (className: String?, property: String?) = (nil, nil)
  /// Looks up primary keys, by position of the class.
  private var identities: [Int: LegacyCells] = [:]

  init(
    _ realm: LegacyRealm, _ request: ObjectRequest, _ ledger: LegacyLedger?
  ) throws(RealmFileError) {
    reader = try LegacyReader(realm.snapshot)
    (self.realm, self.request, self.ledger) = (realm, request, ledger)
  }

  var nodes: NodeReader { reader.nodes }

  /// Called before each batch.
  func beginBatch() { for position in identities.keys { identities[position]?.forgetLeaf() } }

  /// A property of a class and its column.
  struct Place {
    let column: LegacyColumn
    /// Position of the class of its subtables; nil if it has none.
    let embedded: Int?
    /// The column of its elements; nil if it has no lists of values.
    let elements: LegacyColumn?

    init(_ layout: LegacyClassLayout, _ property: Int) {
      column = layout.columns[property]
      embedded = layout.embedded[property]
      elements = column.elements
    }
  }

  // MARK: Columns

  /// The values of a property for some objects.
  ///
  /// - Parameters:
  ///   - values: what the column holds for the objects.
  ///   - owners: the rows of the objects, or of the objects around them.
  /// - Returns: nil if `room` has not enough space for the elements and there are several objects.
  /// - Throws: `damaged`, with the property, and the object if it is known.
  func values(
    _ property: Place, _ values: LeafValues, owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> ColumnValues? {
    guard owners.count == 1 else { return try elements(property, values, owners: owners, &room) }
    // A single object may have any number of elements: they come in runs.
    var own = room.emptied()
    let before = nodes.openedByteCount
    if let all = try elements(property, values, owners: owners, &own) { return all }
    guard case .collection(let roots) = values else {
      throw LegacyAssembler.tableTooLarge(owner: owners[0])
    }
    // The runs read the elements again, and each node counts once.
    nodes.uncount(to: before)
    return .collection(
      CollectionColumn(
        runs: LegacyCollectionRuns(
          property, root: roots[0], owner: owners[0], depth: room.depth, self)))
  }

  /// - Parameter owner: the row of the object with the table.
  static func tableTooLarge(owner: Int) -> RealmFileError {
    RealmFileError(
      .unsupported(
        "a table in a mixed value has more than \(BatchAssembler.elementLimit) values, the most that "
          + "this version reads"), objectKey: Int64(owner))
  }

  private func elements(
    _ property: Place, _ values: LeafValues, owners: [Int], _ room: inout Room
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
  ///   - allowsNull: false for the elements of link lists, which are rows.
  ///   - owners: returns the row of the object with the link.
  func links(
    _ keys: [ObjectKey], to target: Int, allowsNull: Bool, owners: (Int) -> Int
  ) throws(RealmFileError) -> LinkColumn {
    let rows = realm.tables[target].rowCount
    let least = allowsNull ? ObjectKey.null.raw : 0
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
  /// - Returns: nil if `room` has not enough space for the elements.
  func collections(
    _ property: Place, _ roots: [Ref], owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> CollectionColumn? {
    var ends: [Int] = []
    ends.reserveCapacity(roots.count)
    var rows: [Int] = []
    var parts = try LegacyElements(property, self)
    for (i, root) in roots.enumerated() {
      do throws(RealmFileError) {
        let count = try parts.open(root)
        guard room.take(count) else { return nil }
        try parts.append(0..<count)
        rows += repeatElement(owners[i], count: count)
      } catch {
        throw error.adding(objectKey: Int64(owners[i]))
      }
      ends.append(rows.count)
    }
    guard let elements = try parts.finish(owners: rows, &room) else { return nil }
    return CollectionColumn(ends: ends, elements: elements)
  }
}
