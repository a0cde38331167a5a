import RealmStorage

/// The elements of one large collection of a realm. Reads through a reader of its own, so it works
/// whatever became of the cursor that gave it.
///
/// A run is valid until the next one is asked for.
final class RealmCollectionRuns: CollectionRuns, @unchecked Sendable {
  /// What collection it is.
  enum Kind {
    case column(Column)
    case nestedList
    case nestedDictionary
  }

  /// Elements that are read at one time.
  private static let runLimit = 16_384

  private let kind: Kind
  private let root: Ref
  private let owner: ObjectKey
  private let depth: Int
  private let realm: Realm
  private let request: ObjectRequest
  private let ledger: PartLedger
  private let place: (className: String?, property: String?)

  /// The pass that is under way.
  private var pass: Pass?
  /// A pass over the elements.
  private struct Pass {
    let assembler: BatchAssembler
    let mark: NodeReader.Mark
    /// Stored leaves; nil where all is in `rest`.
    var leaves: RealmReader.Elements?
    /// Keys and values that had to be read at one time, to bring them in order.
    var keys: ArraySlice<MixedValue> = []
    var rest: ArraySlice<MixedValue> = []
    /// A leaf that was read, and the first element of it that was not given.
    var leaf: (batch: LeafValues, next: Int)?
    /// Whether it was told that some elements are left out.
    var isTold = false
  }

  /// - Parameter assembler: what makes the batch that the collection belongs to.
  init(_ kind: Kind, root: Ref, owner: ObjectKey, depth: Int, _ assembler: BatchAssembler) {
    (self.kind, self.root, self.owner, self.depth) = (kind, root, owner, depth)
    (realm, request, ledger) = (assembler.reader.realm, assembler.request, assembler.ledger)
    place = assembler.place
  }

  private var type: ColumnType {
    if case .column(let column) = kind { column.type } else { .mixed }
  }

  func keys() throws(RealmFileError) -> ScalarColumn? {
    let pass = if let pass { pass } else { try begin() }
    self.pass = pass
    return keyColumn(pass.keys)
  }

  private func keyColumn(_ keys: ArraySlice<MixedValue>) -> ScalarColumn? {
    guard let first = keys.first else { return nil }
    let isInteger = if case .int = first { true } else { false }
    var builder = ColumnBuilder(type: isInteger ? .int : .string)
    for key in keys { builder.append(key) }
    return builder.batch.scalars
  }

  func next() throws(RealmFileError) -> CollectionColumn? {
    do throws(RealmFileError) {
      var pass = if let pass { pass } else { try begin() }
      if pass.leaf == nil { pass.assembler.reader.nodes.release(to: pass.mark) }
      pass.assembler.beginBatch()
      let run = try pass.assembler.reader.nodes.traversing { () throws(RealmFileError) in
        try self.run(&pass)
      }
      self.pass = run == nil ? nil : pass
      return run
    } catch {
      throw error.adding(
        className: place.className, property: place.property, objectKey: owner.raw)
    }
  }

  private func begin() throws(RealmFileError) -> Pass {
    let assembler = try BatchAssembler(realm, request, ledger)
    assembler.place = place
    var pass = Pass(assembler: assembler, mark: assembler.reader.nodes.mark())
    switch kind {
    case .column(let column) where column.collection == .dictionary:
      let entries = try assembler.entries(
        root: root, hasIntegerKeys: column.hasIntegerKeys, of: owner)
      (pass.keys, pass.rest) = (entries.keys[...], entries.values[...])
    case .nestedDictionary:
      let entries = try assembler.entries(root: root, of: owner)
      (pass.keys, pass.rest) = (entries.keys[...], entries.values[...])
    case .column(let column) where column.collection == .set:
      if let members = try assembler.membersInOrder(column, root) {
        pass.rest = members[...]
      } else {
        pass.leaves = assembler.reader.elements(column, root: root)
      }
    case .column(let column): pass.leaves = assembler.reader.elements(column, root: root)
    case .nestedList: pass.leaves = assembler.reader.nestedElements(root: root)
    }
    // What was read at one time stays until the pass ends.
    return Pass(
      assembler: assembler, mark: assembler.reader.nodes.mark(), leaves: pass.leaves,
      keys: pass.keys, rest: pass.rest)
  }

  /// The next elements, as many as fit a batch; nil where there are none left.
  private func run(_ pass: inout Pass) throws(RealmFileError) -> CollectionColumn? {
    var limit = RealmCollectionRuns.runLimit
    while true {
      var attempt = pass
      let mark = ledger.mark
      var builder = ColumnBuilder(type: type)
      let keys = try take(limit, from: &attempt, into: &builder)
      guard builder.count > 0 else { return nil }
      let owners = Array(repeating: owner, count: builder.count)
      var room = BatchAssembler.Room(depth: depth)
      if let elements = try elements(builder.batch, owners, attempt.assembler, &room) {
        pass = attempt
        return CollectionColumn(ends: [builder.count], elements: elements, keys: keys)
      }
      // Elements that hold too many elements of their own: fewer at a time, down to one, whose
      // collections come in runs themselves.
      ledger.forget(since: mark)
      limit = max(1, builder.count / 4)
    }
  }

  private func elements(
    _ batch: LeafValues, _ owners: [ObjectKey], _ assembler: BatchAssembler,
    _ room: inout BatchAssembler.Room
  ) throws(RealmFileError) -> ColumnValues? {
    switch (kind, batch) {
    case (.column(let column), _):
      return try assembler.elements(column, batch, owners: owners, &room)
    case (_, .mixed(let values)):
      return try assembler.mixed(values, owners: owners, &room).map { .mixed($0) }
    default: return nil
    }
  }

  /// Takes up to `limit` elements.
  ///
  /// - Returns: the keys of a dictionary.
  private func take(
    _ limit: Int, from pass: inout Pass, into builder: inout ColumnBuilder
  ) throws(RealmFileError) -> ScalarColumn? {
    guard pass.leaves != nil else {
      for value in pass.rest.prefix(limit) { builder.append(value) }
      pass.rest = pass.rest.dropFirst(limit)
      defer { pass.keys = pass.keys.dropFirst(limit) }
      return keyColumn(pass.keys.prefix(limit))
    }
    while builder.count < limit {
      if pass.leaf == nil {
        guard var leaves = pass.leaves,
          let batch = try pass.assembler.next(of: &leaves, owner, isTold: &pass.isTold)
        else { return nil }
        (pass.leaves, pass.leaf) = (leaves, (batch, 0))
      }
      guard let (batch, first) = pass.leaf else { return nil }
      let end = min(batch.count, first + limit - builder.count)
      if first == 0, end == batch.count {
        builder.append(batch)
      } else {
        for row in first..<end { builder.append(batch, row: row) }
      }
      pass.leaf = end < batch.count ? (batch, end) : nil
    }
    return nil
  }
}
