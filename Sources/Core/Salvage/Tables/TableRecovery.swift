import RealmModel
import RealmStorage

/// Makes tables readable that lost small arrays.
///
/// Only a table's column keys are needed: they contain types, nullability and the kinds of
/// collections. If they are lost too, ``ColumnDeduction`` infers those that are certain. Lost names
/// become `class_3` and `property_2`, with the slot of the table and the leaf index of the column.
/// The targets of links are found through their backlinks. Indexes are built again anyway.
struct TableRecovery {
  /// A table, as much of it as can be read.
  struct Draft {
    let slot: Int
    let top: Node
    /// Nil if the column keys are inferred.
    let spec: Node?
    var keys: [ColumnKey]
    var names: [[UInt8]]?
    /// Whether ``names`` differ from the stored ones.
    var hasNewNames = false
    var oppositeTables: [Int64]?
    var oppositeColumns: [Int64]?
    var isChanged = false

    var key: TableKey { TableKey(top.slotInteger(at: TableLayout.Slot.key)) }
    var leafCount: Int { (keys.map(\.leafIndex).max() ?? -1) + 1 }
  }

  private let nodes: NodeReader
  private(set) var drafts: [Draft] = []
  /// Whether a table or its columns cannot be read, or the list of tables may lack one.
  private(set) var lacksColumns = false
  /// Whether all tables together have few enough columns to compare each with each.
  private(set) var hasFewColumns = false
  private static let fewColumns = 4096
  /// Whether the top array of a table cannot be read.
  private var lacksTables = false
  /// The flipped bits of column names.
  private var correctedBits: [SalvageReport.Bit] = []

  /// - Parameters:
  ///   - image: the realm as an image without repairs.
  ///   - isListKnown: whether the list of tables is that of the version, not one made from found
  ///     tables.
  ///   - repairs: receives new nodes.
  /// - Returns: false if nothing was repaired.
  /// - Throws: errors that are not damage.
  static func run(
    _ image: Snapshot, isListKnown: Bool, _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) -> Bool {
    var recovery = TableRecovery(nodes: try image.makeReader())
    return try recovery.repair(image.top, isListKnown: isListKnown, &repairs)
  }

  /// Corrects flipped bits of names in an older version, which shares the nodes with the salvaged one,
  /// so that the names stay equal. In a table with such names, other lost arrays of the schema are
  /// replaced too, except the opposites of links.
  ///
  /// - Parameters:
  ///   - image: the realm as an image without repairs.
  ///   - repairs: receives new nodes.
  /// - Returns: false if no bit has flipped.
  /// - Throws: errors that are not damage.
  static func correctNames(
    _ image: Snapshot, _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) -> Bool {
    var recovery = TableRecovery(nodes: try image.makeReader())
    return recovery.correctNames(image.top, &repairs)
  }

  private mutating func correctNames(
    _ top: TopArray, _ repairs: inout SalvageImage.Repairs
  ) -> Bool {
    guard let entries = entries(top) else { return false }
    var tables = (0..<entries.count).map { entries.integer(at: $0) }
    var isChanged = false
    for slot in tables.indices {
      guard case .ref(let ref) = entries.element(at: slot), let draft = draft(at: ref, slot: slot),
        draft.hasNewNames, draft.oppositeTables != nil, draft.oppositeColumns != nil
      else { continue }
      tables[slot] = Int64(append(draft, into: repairs.nodes))
      isChanged = true
    }
    if isChanged { repairs.tables = repairs.nodes.append(refs: tables) }
    if let found = node(top.tableNames).flatMap({ NameRepair($0, areTables: true) }),
      !found.flips.isEmpty, found.names.count == entries.count,
      !found.names.contains(where: { $0 == nil })
    {
      repairs.tableNames = append(names: found.names.map { $0 ?? [] }, into: repairs.nodes)
      isChanged = true
    }
    return isChanged
  }

  /// Whether the schema of an undamaged image cannot be read, or has flipped bits in names.
  static func isNeeded(_ image: Snapshot) throws(RealmFileError) -> Bool {
    guard let realm = try undamaged(SalvagedRealm(image)), realm.lostTables.isEmpty else {
      return true
    }
    let recovery = TableRecovery(nodes: try image.makeReader())
    func isWhole(_ ref: Ref, areTables: Bool) -> Bool {
      recovery.node(ref).flatMap { NameRepair($0, areTables: areTables) }?.isWhole ?? false
    }
    return !isWhole(image.top.tableNames, areTables: true)
      || realm.realm.schema.tables.contains { table in
        guard let spec = recovery.spec(of: table.ref) else { return true }
        return !isWhole((try? spec.ref(at: SpecLayout.Slot.names)) ?? 0, areTables: false)
      }
  }

  private init(nodes: NodeReader) { self.nodes = nodes }

  private func spec(of table: Ref) -> Node? {
    (try? node(table)?.ref(at: TableLayout.Slot.spec)).flatMap { node($0) }
  }

  private mutating func repair(
    _ top: TopArray, isListKnown: Bool, _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) -> Bool {
    guard let entries = entries(top) else { return false }
    for slot in 0..<entries.count {
      guard case .ref(let ref) = entries.element(at: slot) else { continue }
      guard let draft = draft(at: ref, slot: slot) else {
        lacksTables = true
        continue
      }
      drafts.append(draft)
    }
    // A list made from found tables is complete if there is a name for each entry.
    let tableNames = node(top.tableNames).flatMap { NameRepair($0, areTables: true) }
    let hasAllNames = tableNames?.names.count == entries.count
    lacksColumns =
      lacksTables || !isListKnown && !hasAllNames || drafts.contains { $0.spec == nil }
    deduceKeys()
    hasFewColumns = drafts.reduce(0) { $0 + $1.keys.count } <= TableRecovery.fewColumns
    var tables = (0..<entries.count).map { entries.integer(at: $0) }
    var isChanged = false
    for i in drafts.indices where drafts[i].isChanged {
      tables[drafts[i].slot] = Int64(append(drafts[i], into: repairs.nodes))
      if drafts[i].names == nil { repairs.namelessTables[drafts[i].slot] = drafts[i].spec == nil }
      isChanged = true
    }
    if isChanged { repairs.tables = repairs.nodes.append(refs: tables) }
    if !hasAllNames || !(tableNames?.isWhole ?? true) {
      let known = hasAllNames ? tableNames?.names : nil
      repairs.tableNames = appendNames(known, count: entries.count, into: repairs.nodes)
      repairs.areTableNamesLost = known?.contains { $0 == nil } ?? true
      repairs.correctedBits += known == nil ? [] : tableNames?.flips ?? []
      isChanged = true
    }
    repairs.correctedBits += correctedBits
    return isChanged
  }

  /// The list of tables; nil if it cannot be read.
  private func entries(_ top: TopArray) -> Node? {
    guard let entries = node(top.tables), entries.hasRefs, !entries.isInner,
      entries.count < 1 << 16
    else { return nil }
    return entries
  }

  /// The node at `ref`; nil if it cannot be read.
  private func node(_ ref: Ref) -> Node? { try? nodes.lookUp(ref) }

  private func integers(_ parent: Node, _ slot: Int) -> [Int64]? {
    guard slot < parent.count, let ref = try? parent.ref(at: slot), let node = node(ref),
      node.isIntegers, node.count < 1 << 16
    else { return nil }
    return node.integers()
  }

  private mutating func draft(at ref: Ref, slot: Int) -> Draft? {
    // The flags of inner nodes and contexts mean nothing here: a bit can have flipped.
    guard let top = node(ref), top.hasRefs,
      top.count >= TableLayout.Slot.minimumCount, top.count <= TableLayout.Slot.maximumCount
    else { return nil }
    let spec = (try? top.ref(at: TableLayout.Slot.spec)).flatMap { node($0) }
    guard let spec, spec.hasRefs, spec.count == SpecLayout.Slot.count,
      let keys = integers(spec, SpecLayout.Slot.keys)?.map({ ColumnKey($0) }),
      keys.allSatisfy({ $0.type != nil }), Set(keys.map(\.leafIndex)).count == keys.count
    else {
      var draft = Draft(slot: slot, top: top, spec: nil, keys: [])
      draft.oppositeTables = integers(top, TableLayout.Slot.oppositeTables)
      draft.oppositeColumns = integers(top, TableLayout.Slot.oppositeColumns)
      draft.isChanged = true
      return draft.key.slot == slot ? draft : nil
    }
    var draft = Draft(slot: slot, top: top, spec: spec, keys: keys)
    guard draft.key.slot == slot else { return nil }
    let named = keys.count { $0.type != .backlink }
    if let ref = try? spec.ref(at: SpecLayout.Slot.names),
      let found = node(ref).flatMap({ NameRepair($0, areTables: false) }),
      found.names.count == named, !found.names.contains(where: { $0 == nil })
    {
      draft.names = found.names.map { $0 ?? [] }
      draft.hasNewNames = !found.flips.isEmpty
      correctedBits += found.flips
    }
    draft.oppositeTables = integers(top, TableLayout.Slot.oppositeTables)
    draft.oppositeColumns = integers(top, TableLayout.Slot.oppositeColumns)
    let hasLists =
      integers(spec, SpecLayout.Slot.types)?.count == keys.count
      && integers(spec, SpecLayout.Slot.attributes)?.count == keys.count
    let lists = (try? spec.ref(at: SpecLayout.Slot.enumerations)) ?? -1
    let indexes = (try? top.ref(at: TableLayout.Slot.indexes)).flatMap { node($0) }
    draft.isChanged =
      draft.names == nil || draft.hasNewNames || draft.oppositeTables == nil
      || draft.oppositeColumns == nil || !hasLists
      || lists != 0 && node(lists) == nil || indexes == nil || top.isInner || spec.isInner
    return draft
  }

  // MARK: Inferred keys

  /// Infers the column keys of tables that lost them. Tables without any are left out.
  private mutating func deduceKeys() {
    let unknown = drafts.indices.filter { drafts[$0].spec == nil }
    guard !unknown.isEmpty else { return }
    let stated = unknown.map { statedKeys(of: drafts[$0]) }
    func deduction(_ i: Int, mayHaveLinks: Bool) -> ColumnDeduction {
      let tables = drafts[unknown[i]].oppositeTables ?? []
      return ColumnDeduction(
        top: drafts[unknown[i]].top, stated: stated[i],
        linkIndexes: Set(tables.indices.filter { tables[$0] != Int64(TableKey.null.raw) }),
        mayHaveLinks: mayHaveLinks, nodes: nodes)
    }
    // Links have backlinks: without leaves of unknown backlinks there are no unknown links.
    let areLinksKnown =
      !lacksTables
      && drafts.allSatisfy { draft in
        draft.spec == nil
          || draft.oppositeTables != nil && draft.oppositeColumns != nil
          || !draft.keys.contains { $0.type == .backlink }
      }
      && unknown.indices.allSatisfy {
        !deduction($0, mayHaveLinks: true).mayHaveUnknownBacklinks
      }
    for (i, position) in unknown.enumerated() {
      let hasOpposites =
        drafts[position].oppositeTables != nil && drafts[position].oppositeColumns != nil
      drafts[position].keys =
        deduction(i, mayHaveLinks: !areLinksKnown && !hasOpposites).keys()
    }
    drafts.removeAll { $0.spec == nil && $0.keys.isEmpty }
  }

  // MARK: New nodes

  /// Appends the table with new arrays in place of the lost ones.
  private func append(_ draft: Draft, into buffer: NodeBuffer) -> Ref {
    let (keys, count) = (draft.keys, draft.keys.count)
    func kept(_ slot: Int, length: Int? = nil) -> Int64? {
      guard let spec = draft.spec, let values = integers(spec, slot),
        length == nil || values.count == length
      else { return nil }
      return spec.integer(at: slot)
    }
    let types =
      kept(SpecLayout.Slot.types, length: count)
      ?? Int64(
        buffer.append(
          integers: keys.map { key in
            let keyType = key.collection == .dictionary ? ColumnType.string.rawValue << 16 : 0
            return Int64(key.typeCode | keyType)
          }))
    let attributes =
      kept(SpecLayout.Slot.attributes, length: count)
      ?? Int64(buffer.append(integers: keys.map { Int64($0.attributes) }))
    let newNames =
      draft.hasNewNames
      ? draft.names
      : draft.names == nil
        ? keys.filter { $0.type != .backlink }.map { Array("property_\($0.leafIndex)".utf8) } : nil
    let names =
      newNames.map { Int64(append(names: $0, into: buffer)) }
      ?? draft.spec?.integer(at: SpecLayout.Slot.names) ?? 0
    let lists = (try? draft.spec?.ref(at: SpecLayout.Slot.enumerations)) ?? 0
    let columnKeys =
      draft.spec?.integer(at: SpecLayout.Slot.keys)
      ?? Int64(buffer.append(integers: keys.map(\.raw)))
    let spec = buffer.append(refs: [
      types, names, attributes, 0, lists != 0 && node(lists) != nil ? Int64(lists) : 0, columnKeys,
    ])
    var slots = (0..<draft.top.count).map { draft.top.integer(at: $0) }
    slots[TableLayout.Slot.spec] = Int64(spec)
    if (try? draft.top.ref(at: TableLayout.Slot.indexes)).flatMap({ node($0) }) == nil {
      slots[TableLayout.Slot.indexes] = Int64(
        buffer.append(refs: Array(repeating: 0, count: draft.leafCount)))
    }
    if draft.oppositeTables == nil || draft.oppositeColumns == nil {
      let (tables, columns) = opposites(of: draft)
      slots[TableLayout.Slot.oppositeTables] = Int64(buffer.append(integers: tables))
      slots[TableLayout.Slot.oppositeColumns] = Int64(buffer.append(integers: columns))
    }
    return buffer.append(refs: slots)
  }

  /// - Parameter known: the names that can be read; nil if there are none.
  private func appendNames(
    _ known: [[UInt8]?]?, count: Int, into buffer: NodeBuffer
  ) -> Ref {
    let versionTable = drafts.first {
      $0.names?.count == 1 && $0.names?.first.map { $0 == Array("version".utf8) } ?? false
    }
    return append(
      names: (0..<count).map { slot in
        known?[slot]
          ?? Array((slot == versionTable?.slot ? "metadata" : "class_class_\(slot)").utf8)
      }, into: buffer)
  }

  private func append(names: [[UInt8]], into buffer: NodeBuffer) -> Ref {
    ShortStringLeaf.encode(
      SliceColumn(copying: names), 0..<names.count, longest: names.map(\.count).max() ?? -1,
      into: buffer)
  }
}
