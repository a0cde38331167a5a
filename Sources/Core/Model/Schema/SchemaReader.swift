import RealmStorage

/// Receives the tables of a walk over the schema, and decides what to do about damage: a visitor
/// that throws stops the walk, one that does not skips the damaged table.
protocol SchemaVisitor {
  /// The arrays of the group.
  mutating func visit(names: Node, _ entries: Node) throws(RealmFileError)
  /// A slot without a table.
  mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name)
  /// A readable table; its name is in slot `layout.slot` of the names.
  mutating func visit(_ layout: TableLayout, name: Name) throws(RealmFileError)
  /// A table that cannot be read.
  mutating func lost(
    _ error: RealmFileError, slot: Int, name: Name
  ) throws(RealmFileError)
}

extension NoVisitor: SchemaVisitor {
  mutating func visit(names: Node, _ entries: Node) {}
  mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {}
  mutating func visit(_ layout: TableLayout, name: Name) {}
  mutating func lost(
    _ error: RealmFileError, slot: Int, name: Name
  ) throws(RealmFileError) {
    throw error
  }
}

/// Decodes the tables of a snapshot, from the group's two arrays down to the specs (chapter 3,
/// sections 1 to 3). Checks everything that later code relies on.
struct SchemaReader {
  let nodes: NodeReader

  /// - Parameter visitor: receives all tables, and decides about those that cannot be read.
  /// - Throws: `damaged` with a rule of group `table`, `spec` or `node`, the offset of the node,
  ///   and the class if it is known.
  func read(
    _ top: TopArray, _ visitor: inout some SchemaVisitor
  ) throws(RealmFileError) -> Schema {
    guard top.ref != 0 else { return Schema(tables: []) }
    let names = try SpecLayout.names(at: top.tableNames, nodes)
    let entries = try nodes.node(at: top.tables)
    guard entries.hasRefs, !entries.isInner, names.count == entries.count, names.count < 1 << 16
    else {
      throw .damaged(
        .tableNames, at: top.tables,
        "there are \(names.count) table names and \(entries.form), expected equal counts")
    }
    try visitor.visit(names: try nodes.lookUp(top.tableNames), entries)
    var tables: [Table] = []
    for slot in 0..<entries.count {
      let name = Name(names[slot]?.bytes ?? [])
      guard case .ref(let ref) = entries.element(at: slot) else {
        visitor.visit(emptySlot: slot, entries.element(at: slot), name: name)
        continue
      }
      do throws(RealmFileError) {
        let layout = try TableLayout(at: ref, slot: slot, nodes)
        let table = try table(layout, position: tables.count, name: name)
        tables.append(table)
        try visitor.visit(layout, name: name)
      } catch {
        try visitor.lost(
          error.adding(className: Table.className(of: name).text), slot: slot, name: name)
      }
    }
    return Schema(tables: tables)
  }

  private func table(
    _ layout: TableLayout, position: Int, name: Name
  ) throws(RealmFileError) -> Table {
    var columns: [Column] = []
    var backlinks: [BacklinkColumn] = []
    for (i, key) in layout.spec.keys.enumerated() {
      switch key.type {
      case .backlink: backlinks.append(layout.backlinkColumn(i))
      case .some(let type): columns.append(try layout.column(i, type))
      case nil: continue
      }
    }
    let clusters = try layout.ref(in: TableLayout.Slot.clusters)
    return Table(
      key: layout.key, ref: layout.top.ref, position: position, name: name, kind: layout.kind,
      columns: columns, backlinkColumns: backlinks, primaryKey: try layout.primaryKey(),
      objectCount: try ClusterTree(root: clusters, nodes: nodes).objectCount(),
      sequenceNumber: layout.top.slotInteger(at: TableLayout.Slot.sequenceNumber),
      clusters: clusters, tombstones: try layout.ref(in: TableLayout.Slot.tombstones))
  }
}
