package import RealmStorage

/// Why a column cannot be dropped from a copy.
public enum DropObstacle: Sendable {
  /// It is the primary key.
  case primaryKey
  /// Its links own their targets.
  case embeddedObjects
  /// It may hold links to tombstones, which exist only because of these links.
  case unresolvedLinks
}

/// Collects the nodes that change in a copy without some tables or columns, or with other names or another
/// schema version (chapter 3, sections 1.2, 4.1 and 8.1). All other nodes stay.
///
/// Invariant 1: the remaining tables and columns keep their keys. A dropped table leaves a vacant slot, a
/// dropped column a null in each cluster.
package struct SchemaEdits {
  private let realm: Realm
  private let nodes: NodeReader
  /// Slots of the dropped tables.
  private var droppedSlots: Set<Int> = []
  /// Dropped columns by table, including backlink columns.
  private var droppedColumns: [TableKey: Set<ColumnKey>] = [:]
  /// New names of tables, by slot, and of columns, by table.
  private var tableNames: [Int: [UInt8]] = [:]
  private var columnNames: [TableKey: [ColumnKey: [UInt8]]] = [:]
  private var edits = NodeEdits()

  /// The tag of a table key has 15 bits.
  private static let tagMask = 0x7FFF

  package init(_ realm: Realm) throws(RealmFileError) {
    self.realm = realm
    nodes = try realm.snapshot.makeReader()
  }

  // MARK: - Requests

  /// Drops `tables`, except those that a remaining table links to or is linked from.
  ///
  /// - Returns: the dropped tables.
  package mutating func drop(_ tables: [Table]) -> [Table] {
    // A key contains the slot, so each table has a unique key.
    var dropped = Dictionary(uniqueKeysWithValues: tables.map { ($0.key, $0) })
    var isStable = false
    while !isStable {
      isStable = true
      for table in realm.schema.tables {
        let partners =
          table.columns.compactMap(\.target) + table.backlinkColumns.map(\.origin)
        for partner in partners where (dropped[table.key] == nil) != (dropped[partner] == nil) {
          dropped[table.key] = nil
          dropped[partner] = nil
          isStable = false
        }
      }
    }
    let result = tables.filter { dropped[$0.key] != nil }
    for table in result { droppedSlots.insert(table.key.slot) }
    return result
  }

  /// Drops a column and the backlink columns of its links.
  ///
  /// - Returns: why the column cannot be dropped; nil if it was dropped.
  package mutating func drop(_ column: Column, of table: Table) -> DropObstacle? {
    if table.primaryKey.map({ table.columns[$0].key }) == column.key { return .primaryKey }
    var mirrors: [(table: Table, column: ColumnKey)] = []
    for partner in realm.schema.tables {
      for mirror in partner.backlinkColumns
      where mirror.origin == table.key && mirror.originColumn == column.key {
        if partner.kind == .embedded { return .embeddedObjects }
        if partner.tombstones != 0 { return .unresolvedLinks }
        mirrors.append((partner, mirror.key))
      }
    }
    for mirror in mirrors { droppedColumns[mirror.table.key, default: []].insert(mirror.column) }
    droppedColumns[table.key, default: []].insert(column.key)
    return nil
  }

  /// Gives a table the name of another class of the app, of at most 57 bytes.
  ///
  /// - Precondition: no tables are dropped.
  package mutating func rename(_ table: Table, to name: Name) {
    tableNames[table.key.slot] = ObjectClass.tablePrefix + name.bytes
  }

  /// Gives a column another name of at most 63 bytes.
  ///
  /// - Precondition: no columns of the table are dropped.
  package mutating func rename(_ column: Column, of table: Table, to name: Name) {
    columnNames[table.key, default: [:]][column.key] = name.bytes
  }

  /// Sets the schema version of the copy.
  ///
  /// - Throws: `unsupported` if the realm has no schema version; `damaged`.
  package mutating func setSchemaVersion(_ version: UInt64) throws(RealmFileError) {
    let reader = try RealmReader(realm)
    guard let table = realm.schema.table(named: "metadata"),
      let column = table.column(named: "version"), column.type == .int, !column.isNullable,
      column.collection == nil, let position = try reader.clusters(of: table).first
    else {
      throw RealmFileError(
        .unsupported("the realm has no schema version to change"),
        path: realm.snapshot.path)
    }
    let cluster = try reader.cluster(position)
    let leaf = try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
    guard leaf.isIntegers, leaf.count == cluster.count, leaf.count > 0 else {
      throw .damaged(
        .leafRows, at: leaf.ref,
        "the leaf of the schema version has \(leaf.form), expected \(cluster.count) integers")
    }
    var values = leaf.integers()
    values[0] = Int64(bitPattern: version)
    try set(leaf.ref, .node(NodeEncoder.integers(values)))
  }

  // MARK: - The nodes

  /// - Throws: `damaged` for a node that is part of two structures, because each needs its own edit.
  private mutating func set(_ ref: Ref, _ edit: NodeEdits.Edit) throws(RealmFileError) {
    guard edits[ref] == nil else {
      throw .damaged(.storageNodeOverlap, at: ref, "two structures share the node")
    }
    edits[ref] = edit
  }

  /// The edits of all nodes that change.
  ///
  /// - Throws: `damaged` if the nodes do not match the schema.
  package consuming func nodeEdits() throws(RealmFileError) -> NodeEdits {
    if !droppedSlots.isEmpty { try editGroup() }
    if !tableNames.isEmpty {
      let names = try nodes.lookUp(realm.snapshot.top.tableNames)
      try set(names.ref, .node(try ShortStringLeaf(names).node(replacing: tableNames)))
    }
    for table in realm.schema.tables {
      guard let columns = columnNames[table.key] else { continue }
      let names = try SpecLayout.names(of: table, replacing: columns, nodes)
      try set(names.ref, .node(names.bytes))
    }
    for table in realm.schema.tables where !droppedSlots.contains(table.key.slot) {
      if let columns = droppedColumns[table.key] { try edit(table, without: columns) }
    }
    return edits
  }

  /// Gives the slots of dropped tables an empty name, and the tag of the next table in the slot.
  private mutating func editGroup() throws(RealmFileError) {
    let tables = try nodes.lookUp(realm.snapshot.top.tables)
    var elements = tables.integers()
    for slot in droppedSlots where slot < elements.count {
      let key = realm.schema.tables.first { $0.key.slot == slot }?.key.raw ?? 0
      elements[slot] = Int64(((key >> 16) + 1) & SchemaEdits.tagMask) << 1 | 1
    }
    try set(tables.ref, .elements(elements))

    let names = try nodes.lookUp(realm.snapshot.top.tableNames)
    try set(names.ref, .node(try ShortStringLeaf(names).node(emptying: droppedSlots)))
  }

  private mutating func edit(
    _ table: Table, without columns: Set<ColumnKey>
  ) throws(RealmFileError) {
    let entries = try nodes.lookUp(realm.snapshot.top.tables)
    guard table.key.slot < entries.count else {
      throw .damaged(
        .tableKey, at: entries.ref,
        "the table key has slot \(table.key.slot), expected less than \(entries.count)")
    }
    let top = try nodes.lookUp(try entries.ref(at: table.key.slot))
    guard top.count >= TableLayout.Slot.minimumCount else {
      throw .damaged(
        .tableSlots, at: top.ref,
        "the table has \(top.form), expected at least \(TableLayout.Slot.minimumCount)")
    }
    var slots = top.integers()
    // Counters are far below 2⁶². In a damaged file they wrap, as in the reference.
    slots[TableLayout.Slot.columnCounter] =
      (slots[TableLayout.Slot.columnCounter] | 1) &+ 2 &* Int64(columns.count)
    try set(top.ref, .elements(slots))

    let leafIndexes = columns.map(\.leafIndex).sorted()
    try editOppositesAndIndexes(top, table, leafIndexes)
    try editSpec(at: try top.ref(at: TableLayout.Slot.spec), without: columns)
    let positions = leafIndexes.map { $0 + 1 }
    for root in [table.clusters, table.tombstones] where root != 0 {
      for cluster in try ClusterTree(root: root, nodes: nodes).clusters() {
        let slotCount = try nodes.lookUp(cluster.ref).count
        guard slotCount <= 1 << 16 else {
          throw .damaged(
            .clusterMissingLeaf, at: cluster.ref,
            "the cluster has \(slotCount) slots, expected at most \(1 << 16)")
        }
        try set(cluster.ref, .clearing(positions))
      }
    }
  }

  /// Removes the indexes and opposites of the columns from the arrays by leaf index.
  ///
  /// - Throws: `damaged` if the arrays do not have an element for each column.
  private mutating func editOppositesAndIndexes(
    _ top: Node, _ table: Table, _ leafIndexes: [Int]
  ) throws(RealmFileError) {
    func without(_ node: Node, _ null: Int64) -> [Int64] {
      var elements = node.integers()
      for index in leafIndexes { elements[index] = null }
      return elements
    }
    let indexes = try nodes.lookUp(try top.ref(at: TableLayout.Slot.indexes))
    let tables = try nodes.lookUp(try top.ref(at: TableLayout.Slot.oppositeTables))
    let columns = try nodes.lookUp(try top.ref(at: TableLayout.Slot.oppositeColumns))
    let used = table.columns.map(\.key.leafIndex) + table.backlinkColumns.map(\.key.leafIndex)
    guard indexes.hasRefs, !indexes.isInner, tables.isIntegers, columns.isIntegers,
      tables.count == indexes.count, columns.count == indexes.count,
      indexes.count > used.max() ?? -1, indexes.count < 1 << 16
    else {
      throw .damaged(
        .tableOpposites, at: top.ref,
        "the indexes are \(indexes.form), the opposites \(tables.form) and \(columns.form), "
          + "expected an element per column")
    }
    try set(indexes.ref, .elements(without(indexes, 0)))
    try set(
      tables.ref, .node(NodeEncoder.integers(without(tables, Int64(TableKey.null.raw)))))
    try set(columns.ref, .node(NodeEncoder.integers(without(columns, ColumnKey.null.raw))))
  }

  private mutating func editSpec(
    at ref: Ref, without columns: Set<ColumnKey>
  ) throws(RealmFileError) {
    let spec = try nodes.lookUp(ref)
    let keys = try nodes.lookUp(try spec.ref(at: SpecLayout.Slot.keys))
    let dropped = (0..<keys.count).filter { columns.contains(ColumnKey(keys.integer(at: $0))) }
    for slot in [
      SpecLayout.Slot.types, SpecLayout.Slot.attributes, SpecLayout.Slot.keys,
    ] {
      let node = try nodes.lookUp(try spec.ref(at: slot))
      try set(node.ref, .node(NodeEncoder.integers(node.integers().removing(dropped))))
    }
    let names = try nodes.lookUp(try spec.ref(at: SpecLayout.Slot.names))
    // Backlink columns come after the named columns and have no row in the names.
    try set(names.ref, .node(try ShortStringLeaf(names).node(removing: Set(dropped))))

    let enumerations = try spec.ref(at: SpecLayout.Slot.enumerations)
    guard enumerations != 0 else { return }
    let node = try nodes.lookUp(enumerations)
    guard node.hasRefs, node.count == names.count else {
      throw .damaged(
        .specEnumeration, at: node.ref,
        "the lists of distinct values are \(node.form), expected \(names.count) refs")
    }
    let rest = node.integers().removing(dropped)
    guard rest.allSatisfy({ $0 == 0 }) else {
      try set(node.ref, .elements(rest))
      return
    }
    var slots = spec.integers()
    slots[SpecLayout.Slot.enumerations] = 0
    try set(spec.ref, .elements(slots))
  }
}

extension [Int64] {
  /// The elements except the ones at `positions`, which ascend; positions past the end are ignored.
  fileprivate func removing(_ positions: [Int]) -> [Int64] {
    var rest = self
    for position in positions.reversed() where position < rest.count { rest.remove(at: position) }
    return rest
  }
}
