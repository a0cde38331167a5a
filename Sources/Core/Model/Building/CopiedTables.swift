import RealmStorage

/// Tables of a realm that a new realm gets as they are: their nodes are copied, and their objects are not
/// decoded. The other tables are built anew; their objects keep their keys.
///
/// Invariant 1: no table that is built links to a copied one, so the backlinks in copied tables stay.
/// Invariant 2: a table that is built has no tombstones if copied tables link to it. So each of these links
/// leads to an object that is there again.
/// Invariant 3: an embedded class and all its owners are copied, or all of them are built.
package struct CopiedTables: Sendable {
  let realm: Realm
  /// Positions of the classes.
  package let positions: Set<Int>

  /// The tables that can be copied when the objects of some classes change.
  ///
  /// - Parameters:
  ///   - changed: positions of the classes with objects that change, or are new.
  ///   - newTargets: the classes that new links in mixed values of a class lead to, by its position.
  /// - Returns: nil if all tables must be built: also if the realm is not of the format that
  ///   ``RealmBuilder`` builds.
  package init?(of realm: Realm, changing changed: some Sequence<Int>, newTargets: [Int: Set<Int>])
  {
    guard realm.snapshot.format == RealmBuilder.format else { return nil }
    let tables = realm.schema.tables
    let positions = Dictionary(
      tables.map { ($0.key, $0.position) }, uniquingKeysWith: { first, _ in first })
    // By position of a table: the tables that it must not be built without.
    var needs: [Int: Set<Int>] = newTargets
    for table in tables {
      for target in table.columns.compactMap({ $0.target.flatMap { positions[$0] } }) {
        needs[table.position, default: []].insert(target)
      }
      // Mixed properties that had links have backlink columns, too.
      for column in table.backlinkColumns {
        guard let origin = positions[column.origin] else { continue }
        needs[origin, default: []].insert(table.position)
        if table.kind == .embedded || table.tombstones != 0 {
          needs[table.position, default: []].insert(origin)
        }
      }
    }
    var built = Set(changed)
    var waiting = Array(built)
    while let position = waiting.popLast() {
      for other in needs[position] ?? [] where built.insert(other).inserted {
        waiting.append(other)
      }
    }
    // The builder writes the table with the schema version.
    let copied = tables.filter { !built.contains($0.position) && !$0.objectClass.isVersionTable }
    guard !copied.isEmpty else { return nil }
    (self.realm, self.positions) = (realm, Set(copied.map(\.position)))
  }

  func table(_ position: Int) -> Table? {
    positions.contains(position) ? realm.schema.tables[position] : nil
  }

  // MARK: Links

  /// Passes on the links of copied tables to the objects of a table that is built.
  ///
  /// - Parameters:
  ///   - position: position of the table.
  ///   - body: receives the position of a copied table, the key of its column, and pairs of integers: the
  ///     keys of the target and of the object with the link.
  /// - Throws: `damaged`; the errors of an encrypted realm, and of `body`.
  func forEachLink(
    to position: Int,
    _ body: (_ origin: Int, _ column: ColumnKey, _ links: [UInt64]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let table = realm.schema.tables[position]
    let columns = table.backlinkColumns.compactMap { column in
      realm.schema.table(column.origin).flatMap { origin in
        positions.contains(origin.position) ? (column, origin.position) : nil
      }
    }
    guard !columns.isEmpty else { return }
    let reader = try RealmReader(realm)
    try reader.nodes.traversing { () throws(RealmFileError) in
      for place in try reader.clusters(of: table) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        let cluster = try reader.cluster(place)
        for (column, origin) in columns {
          let links = try CopiedTables.links(in: column, of: cluster, reader.nodes)
          if !links.isEmpty { try body(origin, column.originColumn, links) }
        }
      }
    }
  }

  private static func links(
    in column: BacklinkColumn, of cluster: Cluster, _ nodes: NodeReader
  ) throws(RealmFileError) -> [UInt64] {
    let leaf = try BacklinkLeaf(
      try nodes.node(at: try cluster.leaf(at: column.key.leafIndex)), rows: cluster.count)
    var links: [UInt64] = []
    for row in 0..<cluster.count {
      let target = UInt64(bitPattern: cluster.key(at: row).raw)
      switch leaf.node.element(at: row) {
      case .null: continue
      case .tagged(let origin): links += [target, UInt64(bitPattern: Int64(origin))]
      case .ref(let root):
        var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
        while let leaf = try leaves.next() {
          for origin in try BacklinkLeaf.keys(leaf) {
            links += [target, UInt64(bitPattern: origin)]
          }
        }
      }
    }
    return links
  }

  // MARK: Copying

  /// Copies the tables.
  ///
  /// - Parameter opposites: the keys of the backlink columns in tables that are built, by position of a
  ///   copied table and its column.
  /// - Returns: the refs of the tables' top arrays, by position.
  /// - Throws: `damaged`; the errors of an encrypted realm and of the output.
  func copy(
    opposites: [Int: [ColumnKey: ColumnKey]], to writer: RealmFileWriter
  ) throws(RealmFileError) -> [Int: Ref] {
    let nodes = try realm.snapshot.makeReaderOfAll()
    var edits = NodeEdits()
    for (position, columns) in opposites where !columns.isEmpty {
      let top = try nodes.lookUp(realm.schema.tables[position].ref)
      let list = try nodes.lookUp(try top.ref(at: TableLayout.Slot.oppositeColumns))
      var keys = list.integers()
      for (column, opposite) in columns where column.leafIndex < keys.count {
        keys[column.leafIndex] = opposite.raw
      }
      edits[list.ref] = .node(NodeEncoder.integers(keys))
    }
    var copier = NodeCopier(nodes: nodes, writer: writer, edits: edits) { _ in }
    var refs: [Int: Ref] = [:]
    try nodes.traversing { () throws(RealmFileError) in
      for position in positions.sorted() {
        refs[position] = try copier.copy(realm.schema.tables[position].ref)
      }
    }
    try copier.checkEdits()
    return refs
  }
}
