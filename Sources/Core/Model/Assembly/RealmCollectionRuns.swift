import RealmStorage

/// The elements of one large collection of a realm. They have a reader of their own, so they stay readable after
/// the cursor that returned them has moved on or ended.
///
/// A run is valid until the next run is requested. Only one run is in memory, unless the stored order differs from
/// the requested one: in sets and dictionaries that an upgrade left unsorted, in dictionaries of formats 21 and
/// 22, and in damaged dictionaries. These are read at once, with 24 bytes per member of a set and 48 per entry of
/// a dictionary, and twice as much while they are sorted.
final class RealmCollectionRuns: CollectionRuns, @unchecked Sendable {
  /// The kind of collection.
  enum Kind {
    case column(Column)
    case nestedList
    case nestedDictionary
  }

  /// Maximum number of elements that are read at once.
  private static let runLimit = 16_384

  private let kind: Kind
  private let root: Ref
  private let owner: ObjectKey
  private let depth: Int
  private let realm: Realm
  private let request: ObjectRequest
  private let ledger: PartLedger
  private let place: (className: String?, property: String?)

  /// The current pass over the elements, and the current pass over the keys alone.
  private var pass: Pass?
  private var keyPass: Pass?
  /// Whether the elements were read before. The first pass notes the objects that they own.
  private let firstPass: FirstPass
  /// Whether each run is proven here; otherwise the reader of the batch does it.
  private let isProven: Bool

  /// A pass over the elements.
  private struct Pass {
    let assembler: BatchAssembler
    var mark: NodeReader.Mark
    /// The elements that are read leaf by leaf; nil if all are in `rest`.
    var elements: Rows?
    /// The keys of a dictionary that is read leaf by leaf.
    var keys: Rows?
    /// Keys and values that were read at once to sort them.
    var restKeys: ArraySlice<MixedValue> = []
    var rest: ArraySlice<MixedValue> = []
    /// Whether a loss in the collection was already reported.
    var isReported = false
    /// The nodes that the pass opened, each once.
    var opened = OpenedBytes(of: "the elements")

    /// Whether all elements of the leaves read so far have been returned.
    var isBetweenLeaves: Bool { elements?.leaf == nil && keys?.leaf == nil }
  }

  /// Elements that are read leaf by leaf.
  private struct Rows {
    var leaves: RealmReader.Elements
    /// The current leaf, and the position of its first element that was not returned yet.
    var leaf: (batch: LeafValues, next: Int)?

    init(_ leaves: RealmReader.Elements) { self.leaves = leaves }

    /// Takes elements until `builder` has `limit` elements or none are left.
    ///
    /// - Parameter next: reads the next leaf.
    mutating func take(
      _ limit: Int, into builder: inout ColumnBuilder,
      next: (inout RealmReader.Elements) throws(RealmFileError) -> LeafValues?
    ) throws(RealmFileError) {
      while builder.count < limit {
        if leaf == nil {
          guard let batch = try next(&leaves) else { return }
          leaf = (batch, 0)
        }
        guard let (batch, first) = leaf else { return }
        let end = min(batch.count, first + limit - builder.count)
        builder.append(batch, rows: first..<end)
        leaf = end < batch.count ? (batch, end) : nil
      }
    }
  }

  /// - Parameter assembler: the assembler of the batch that the collection belongs to.
  init(_ kind: Kind, root: Ref, owner: ObjectKey, depth: Int, _ assembler: BatchAssembler) {
    (self.kind, self.root, self.owner, self.depth) = (kind, root, owner, depth)
    (realm, request, ledger) = (assembler.reader.realm, assembler.request, assembler.ledger)
    (place, isProven) = (assembler.place, false)
    firstPass =
      assembler.outerPass?.first(of: FirstPass.Inner(root: root, owner: owner)) ?? FirstPass()
  }

  private init(restarting other: RealmCollectionRuns) {
    (kind, root, owner, depth) = (other.kind, other.root, other.owner, other.depth)
    (realm, request, ledger) = (other.realm, other.request, other.ledger)
    (place, firstPass, isProven) = (other.place, other.firstPass, true)
  }

  func restarted() -> any CollectionRuns { RealmCollectionRuns(restarting: self) }

  private var type: ColumnType {
    if case .column(let column) = kind { column.type } else { .mixed }
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? {
    guard isDictionary else { return nil }
    return try reading { () throws(RealmFileError) in
      var pass = if let keyPass { keyPass } else { try begin() }
      let nodes = pass.assembler.reader.nodes
      if pass.isBetweenLeaves { nodes.release(to: pass.mark) }
      let keys = try nodes.traversing { () throws(RealmFileError) in
        try takeKeys(RealmCollectionRuns.runLimit, from: &pass)
      }
      keyPass = keys.count == 0 ? nil : pass
      return keys.count == 0 ? nil : keys
    }
  }

  func next() throws(RealmFileError) -> CollectionColumn? {
    isProven ? try realm.snapshot.proving(nextRun) : try nextRun()
  }

  private func nextRun() throws(RealmFileError) -> CollectionColumn? {
    try reading { () throws(RealmFileError) in
      var pass = if let pass { pass } else { try begin() }
      if self.pass == nil {
        pass.assembler.notesOwners = firstPass.begin()
        pass.assembler.outerPass = firstPass
      }
      let nodes = pass.assembler.reader.nodes
      if pass.isBetweenLeaves { nodes.release(to: pass.mark) }
      pass.assembler.beginBatch()
      let run = try nodes.traversing { () throws(RealmFileError) in try self.run(&pass) }
      self.pass = run == nil ? nil : pass
      return run
    }
  }

  /// Runs `body` and adds the class, property and object to its errors.
  private func reading<R>(_ body: () throws(RealmFileError) -> R) throws(RealmFileError) -> R {
    do {
      return try body()
    } catch {
      throw error.adding(
        className: place.className, property: place.property, objectKey: owner.raw)
    }
  }

  private var isDictionary: Bool {
    switch kind {
    case .column(let column): column.collection == .dictionary
    case .nestedList: false
    case .nestedDictionary: true
    }
  }

  private var hasIntegerKeys: Bool {
    if case .column(let column) = kind { column.hasIntegerKeys } else { false }
  }

  private func begin() throws(RealmFileError) -> Pass {
    let assembler = try BatchAssembler(realm, request, ledger)
    assembler.place = place
    let reader = assembler.reader
    var pass = Pass(assembler: assembler, mark: reader.nodes.mark())
    switch kind {
    case _ where isDictionary:
      if let trees = try assembler.treesInOrder(root, hasIntegerKeys: hasIntegerKeys) {
        (pass.keys, pass.elements) = (Rows(trees.keys), Rows(trees.values))
      } else {
        let entries = try reader.nodes.traversing { () throws(RealmFileError) in
          try assembler.entries(
            root: root, hasIntegerKeys: hasIntegerKeys, of: owner, limit: .max)
        }
        (pass.restKeys, pass.rest) = (entries?.keys[...] ?? [], entries?.values[...] ?? [])
      }
    case .column(let column):
      if column.collection == .set, let members = try assembler.membersInOrder(column, root) {
        pass.rest = members[...]
      } else {
        pass.elements = Rows(reader.elements(column, root: root))
      }
    case .nestedList, .nestedDictionary:
      pass.elements = Rows(reader.nestedElements(root: root))
    }
    // Elements that were read at once stay until the pass ends.
    pass.mark = reader.nodes.mark()
    return pass
  }

  /// The next elements, as many as fit into a batch; nil if none are left.
  private func run(_ pass: inout Pass) throws(RealmFileError) -> CollectionColumn? {
    var limit = RealmCollectionRuns.runLimit
    while true {
      var attempt = pass
      let (mark, before) = (ledger.mark, pass.assembler.reader.nodes.openedByteCount)
      var builder = ColumnBuilder(type: type)
      let keys = try take(limit, from: &attempt, into: &builder)
      let nodes = pass.assembler.reader.nodes
      try attempt.opened.add(
        nodes.openedByteCount - before, at: root, fileSize: nodes.logicalSize)
      guard builder.count > 0 else { return nil }
      let owners = Array(repeating: owner, count: builder.count)
      var room = BatchAssembler.Room(depth: depth)
      if let elements = try elements(builder.batch, owners, attempt.assembler, &room) {
        pass = attempt
        return CollectionColumn(ends: [builder.count], elements: elements, keys: keys)
      }
      // The elements have too many elements of their own. Read fewer at once, down to one, whose collections
      // then come in runs.
      ledger.forget(since: mark)
      attempt.assembler.reader.nodes.uncount(to: before)
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
    if pass.elements != nil {
      let assembler = pass.assembler
      var isReported = pass.isReported
      try pass.elements?.take(limit, into: &builder) { (leaves) throws(RealmFileError) in
        try assembler.next(of: &leaves, owner, isReported: &isReported)
      }
      pass.isReported = isReported
    } else {
      for value in pass.rest.prefix(limit) { builder.append(value) }
      pass.rest = pass.rest.dropFirst(limit)
    }
    if builder.hasForeignValue {
      try pass.assembler.leaveOut(
        RealmFileError(
          .damaged(.dictionaryValueType), detail: "found a value of another type, expected \(type)"),
        of: owner)
    }
    guard isDictionary else { return nil }
    // After the last value, take one key more: none may be left.
    let keys = try takeKeys(max(builder.count, 1), from: &pass)
    guard keys.count == builder.count else {
      throw .damaged(
        .dictionaryCounts, at: root,
        "found \(keys.count) keys for \(builder.count) values, expected equal counts")
    }
    return keys
  }

  private func takeKeys(
    _ limit: Int, from pass: inout Pass
  ) throws(RealmFileError) -> ScalarColumn {
    var builder = ColumnBuilder(type: hasIntegerKeys ? .int : .string)
    guard pass.keys != nil else {
      for key in pass.restKeys.prefix(limit) { builder.append(key) }
      pass.restKeys = pass.restKeys.dropFirst(limit)
      return builder.batch.scalars ?? .int([], NullMask())
    }
    try pass.keys?.take(limit, into: &builder) { (leaves) throws(RealmFileError) in
      try leaves.next()
    }
    let keys = builder.batch.scalars ?? .int([], NullMask())
    for row in 0..<keys.count {
      guard case .null = keys[row] else { continue }
      throw .damaged(.dictionaryKey, at: root, "a key of the dictionary is null")
    }
    return keys
  }
}
