import RealmModel
package import RealmStorage

/// Makes tables readable again whose small arrays are lost.
///
/// Of the arrays of a table only the keys of its columns are needed: they tell types, nullability and the kinds
/// of collections. If they are lost too, ``ColumnDeduction`` tells what is certain. Lost names become `class_3` and
/// `property_2`, with the slot of the table and the leaf index of the column. Where links lead to is also told by
/// the backlink columns of the target. Indexes are built anew anyway.
package struct TableRecovery {
  /// A table and what of it can be read.
  struct Draft {
    let slot: Int
    let top: Node
    /// Nil if the keys of the columns are deduced.
    let spec: Node?
    var keys: [ColumnKey]
    var names: [[UInt8]]?
    /// Whether ``names`` differ from those that are stored.
    var hasNewNames = false
    var oppositeTables: [Int64]?
    var oppositeColumns: [Int64]?
    var isChanged = false

    var key: TableKey { TableKey(top.slotInteger(at: TableLayout.Slot.key)) }
    var leafCount: Int { (keys.map(\.leafIndex).max() ?? -1) + 1 }
  }

  private let nodes: NodeReader
  private(set) var drafts: [Draft] = []
  /// Whether a table or its columns cannot be read, or may be missing in the list of tables.
  private(set) var lacksColumns = false
  /// Whether the columns of all tables are so few that each can be compared with each.
  private(set) var hasFewColumns = false
  private static let fewColumns = 4096
  /// Whether the top array of a table cannot be read.
  private var lacksTables = false
  /// Bits of names of columns that had flipped.
  private var correctedBits: [(offset: Int, bit: Int)] = []

  /// - Parameters:
  ///   - image: the realm as an image without repairs.
  ///   - isListKnown: whether the list of tables is that of the version, and none that is made of found tables.
  ///   - repairs: receives new nodes.
  /// - Returns: false if nothing was repaired.
  /// - Throws: errors that say nothing about the file.
  package static func run(
    _ image: Snapshot, isListKnown: Bool, _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) -> Bool {
    var recovery = TableRecovery(nodes: try image.makeReader())
    return try recovery.repair(image.top, isListKnown: isListKnown, &repairs)
  }

  /// Corrects flipped bits of names, so that the names of an older version are those of the salvaged one, which has
  /// the same nodes. Of a table with such names, other arrays of the schema that are lost are made anew, but not
  /// where its links lead.
  ///
  /// - Parameters:
  ///   - image: the realm as an image without repairs.
  ///   - repairs: receives new nodes.
  /// - Returns: false if no bit has flipped.
  /// - Throws: errors that say nothing about the file.
  package static func correctNames(
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

  /// Whether the schema of an undamaged image cannot be read, or has names in which bits have flipped.
  package static func isNeeded(_ image: Snapshot) throws(RealmFileError) -> Bool {
    let realm: SalvagedRealm
    do throws(RealmFileError) {
      realm = try SalvagedRealm(image)
    } catch {
      guard error.isDamage else { throw error }
      return true
    }
    guard realm.lostTables.isEmpty else { return true }
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
    // Of a list that was made of found tables, the names tell whether it is whole.
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
    // Neither the flag of inner nodes nor the one of a context means anything here: a bit can have flipped.
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

  // MARK: Deduced keys

  /// Finds the keys of the columns of tables whose own ones are lost; tables without any are left out.
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

  /// The keys of links and backlinks of a table that the arrays of opposites state, by leaf index.
  private func statedKeys(of draft: Draft) -> [Int: ColumnKey] {
    var keys: [Int: ColumnKey] = [:]
    for other in drafts {
      for (table, column) in zip(other.oppositeTables ?? [], other.oppositeColumns ?? [])
      where table == Int64(draft.key.raw) {
        let key = ColumnKey(column)
        if key.type == .link || key.type == .backlink { keys[key.leafIndex] = key }
      }
    }
    return keys
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

  /// The other ends of the links of a table, by leaf index, as the tables at the other ends tell them.
  private func opposites(of draft: Draft) -> (tables: [Int64], columns: [Int64]) {
    var tables =
      draft.oppositeTables
      ?? Array(repeating: Int64(TableKey.null.raw), count: draft.leafCount)
    var columns =
      draft.oppositeColumns ?? Array(repeating: ColumnKey.null.raw, count: draft.leafCount)
    tables += Array(
      repeating: Int64(TableKey.null.raw), count: max(0, draft.leafCount - tables.count))
    columns += Array(
      repeating: ColumnKey.null.raw, count: max(0, draft.leafCount - columns.count))
    for other in drafts {
      guard let otherTables = other.oppositeTables, let otherColumns = other.oppositeColumns else {
        continue
      }
      for key in other.keys where key.leafIndex < min(otherTables.count, otherColumns.count) {
        guard otherTables[key.leafIndex] == Int64(draft.key.raw),
          let own = draft.keys.first(where: { $0.raw == otherColumns[key.leafIndex] })
        else { continue }
        tables[own.leafIndex] = Int64(other.key.raw)
        columns[own.leafIndex] = key.raw
      }
    }
    for key in draft.keys
    where key.type == .link && tables[key.leafIndex] == Int64(TableKey.null.raw) {
      if let target = onlyTarget(of: key, in: draft) { tables[key.leafIndex] = Int64(target.raw) }
    }
    return (tables, columns)
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
