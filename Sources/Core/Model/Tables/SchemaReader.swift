package import RealmStorage

/// Receives the tables of a walk over the schema and decides how to handle damage. If ``lost`` throws, the
/// walk stops; if it returns, the walk skips the damaged table.
package protocol SchemaVisitor {
  /// Called for the names and refs of all tables, before the tables.
  mutating func visit(names: Node, _ entries: Node) throws(RealmFileError)
  /// Called for a slot without a table.
  mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name)
  /// Called for a readable table.
  mutating func visit(_ layout: TableLayout, name: Name) throws(RealmFileError)
  /// Called for a table that cannot be read.
  mutating func lost(_ error: RealmFileError, slot: Int, name: Name) throws(RealmFileError)
}

extension NoVisitor: SchemaVisitor {
  mutating func visit(names: Node, _ entries: Node) {}
  mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {}
  mutating func visit(_ layout: TableLayout, name: Name) {}
  mutating func lost(_ error: RealmFileError, slot: Int, name: Name) throws(RealmFileError) {
    throw error
  }
}

/// Decodes the tables of a snapshot, from the group's two arrays down to the specs (chapter 3,
/// sections 1 to 3). Checks everything that later code relies on.
package struct SchemaReader {
  private let nodes: NodeReader

  package init(nodes: NodeReader) { self.nodes = nodes }

  /// Reads all tables and passes them to `visitor`.
  ///
  /// - Throws: `damaged` with a rule of group `table`, `spec` or `node`, the offset of the node,
  ///   and the class if it is known; with rule `storage.node-overlap` if tables share so many nodes
  ///   that the decoded schema would be larger than the file.
  package func read(
    _ top: TopArray, _ visitor: inout some SchemaVisitor
  ) throws(RealmFileError) -> Schema {
    guard top.ref != 0 else { return Schema() }
    return try nodes.traversing { () throws(RealmFileError) in try readAll(top, &visitor) }
  }

  private func readAll(
    _ top: TopArray, _ visitor: inout some SchemaVisitor
  ) throws(RealmFileError) -> Schema {
    let names = try SpecLayout.names(at: top.tableNames, nodes)
    let entries = try nodes.node(at: top.tables)
    guard entries.hasRefs, !entries.isInner, names.count == entries.count, names.count < 1 << 16
    else {
      throw .damaged(
        .tableNames, at: top.tables,
        "there are \(names.count) table names and \(entries.form), expected equal counts")
    }
    try visitor.visit(names: try nodes.lookUp(top.tableNames), entries)
    var drafts: [TableDraft] = []
    for slot in 0..<entries.count {
      let name = Name(names[slot]?.bytes ?? [])
      guard case .ref(let ref) = entries.element(at: slot) else {
        visitor.visit(emptySlot: slot, entries.element(at: slot), name: name)
        continue
      }
      do {
        let layout = try TableLayout(at: ref, slot: slot, nodes)
        drafts.append(try TableDraft(layout, name: name, nodes))
        try visitor.visit(layout, name: name)
      } catch {
        try visitor.lost(
          error.adding(className: ObjectClass.className(ofTable: name).text), slot: slot, name: name
        )
      }
    }
    return Schema(drafts)
  }
}

/// A table with decoded columns. The positions of the tables that its links refer to are not known yet.
package struct TableDraft {
  let layout: TableLayout
  /// Full name, with the prefix `class_` if it has one.
  let name: Name
  let columns: [ColumnLayout]
  let backlinkColumns: [BacklinkColumn]
  let primaryKey: Int?
  let objectCount: Int
  let clusters: Ref
  let tombstones: Ref

  /// - Throws: `damaged` with a rule of group `table`, `cluster` or `node`.
  package init(_ layout: TableLayout, name: Name, _ nodes: NodeReader) throws(RealmFileError) {
    var columns: [ColumnLayout] = []
    var backlinkColumns: [BacklinkColumn] = []
    for (i, key) in layout.spec.keys.enumerated() {
      switch key.type {
      case .backlink: backlinkColumns.append(layout.backlinkColumn(i))
      case .some(let type): columns.append(try layout.column(i, type))
      case nil: continue
      }
    }
    (self.layout, self.name) = (layout, name)
    (self.columns, self.backlinkColumns) = (columns, backlinkColumns)
    primaryKey = try layout.primaryKey()
    clusters = try layout.ref(in: TableLayout.Slot.clusters)
    objectCount = try ClusterTree(root: clusters, nodes: nodes).objectCount()
    tombstones = try layout.ref(in: TableLayout.Slot.tombstones)
  }
}
