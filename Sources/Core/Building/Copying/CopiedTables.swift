package import RealmModel
package import RealmStorage

/// The tables of a realm that are copied to a new realm: node by node, without decoding their objects. All other
/// tables are built; their objects keep their keys. A copied table can have columns with new values, whose leaves and
/// indexes are built. In an edited table, some clusters are built, and the entries of their objects in indexes and
/// backlinks change.
///
/// Invariant 1: if a built table links to a copied one, all these links are the same as before, so the backlinks
/// in the copied table stay. Only the keys of the columns with the links change.
/// Invariant 2: a table that has tombstones or loses objects, and the tables that link to it, are all copied or
/// all built. So the target of each link in a copied table still exists.
/// Invariant 3: the objects of a table with new values stay in their clusters, so each new leaf takes the place of an old
/// one.
/// Invariant 4: with an edited table, no table is built. Links between clusters that are built and others stay as they
/// are, because objects keep their keys.
package struct CopiedTables: Sendable {
  /// The backlinks in a copied table of links in a built table. Positions are those of the new realm.
  struct KeptBacklinks {
    /// The copied table, and its column with the backlinks.
    let target: Int
    let column: ColumnKey
    /// The built table, and the position of the property with the links.
    let origin: Int
    let property: Int
  }

  let realm: Realm
  /// Positions of the classes in the new realm.
  package let positions: Set<Int>
  /// The properties with new values, in ascending order, by position of a copied table in the new realm.
  let replaced: [Int: [Int]]
  let keptBacklinks: [KeptBacklinks]
  /// The edited tables, by position.
  let edited: [Int: EditedTable]
  /// The tables of the old realm that the new one still has, by position in the new one.
  private let tables: [Int: Table]
  /// The positions in the new realm of the copied tables, by key.
  private let copiedKeys: [TableKey: Int]

  /// Finds the tables that can be copied.
  ///
  /// - Parameter format: the format of the new realm.
  /// - Returns: nil if all tables must be built, because of the changes or because the realm has another format.
  package init?(of realm: Realm, _ changes: TableChanges, _ format: FileFormat) {
    guard realm.snapshot.fileFormat == format else { return nil }
    let (kept, needs) = changes.links(of: realm.schema)
    var built = changes.changed
    for (position, properties) in changes.replaced
    where !realm.schema.tables[position].canReplace(properties) {
      built.insert(position)
    }
    var waiting = Array(built)
    while let position = waiting.popLast() {
      for other in needs[position] ?? [] where built.insert(other).inserted {
        waiting.append(other)
      }
    }
    var (tables, copied): ([Int: Table], [TableKey: Int]) = ([:], [:])
    var replaced: [Int: [Int]] = [:]
    for table in realm.schema.tables {
      guard let position = changes.positions[table.position] else { continue }
      tables[position] = table
      // The builder writes the table with the schema version.
      if !built.contains(table.position), !table.objectClass.isVersionTable {
        copied[table.key] = position
        replaced[position] = changes.replaced[table.position]?.sorted()
      }
    }
    guard !copied.isEmpty else { return nil }
    (self.realm, self.tables, copiedKeys) = (realm, tables, copied)
    positions = Set(copied.values)
    (self.replaced, edited) = (replaced, [:])
    keptBacklinks = kept.compactMap { link in
      guard let target = copied[link.target.key], copied[link.origin.key] == nil,
        let origin = changes.positions[link.origin.position]
      else { return nil }
      return KeptBacklinks(
        target: target, column: link.column, origin: origin, property: link.property)
    }
  }

  /// Finds the clusters to build for changes to some objects. All tables keep their schema and their positions.
  ///
  /// - Parameters:
  ///   - keys: the keys of the objects that change, by position of their class: existing objects, and new ones
  ///     between them. A class that only gets objects after all others has an empty list.
  ///   - newCounts: the numbers of objects that come after all others, by position of their class.
  ///   - format: the format of the new realm.
  /// - Returns: nil if the tables must be built, because of what they hold, because of the format, or because so
  ///   much changes that building takes less time.
  package init?(
    editing realm: Realm, _ keys: [Int: [ObjectKey]], newCounts: [Int: Int] = [:],
    _ format: FileFormat
  ) throws(RealmFileError) {
    guard realm.snapshot.fileFormat == format,
      let edited = try EditedTable.tables(of: realm, keys, newCounts)
    else { return nil }
    self.init(editing: realm, edited)
  }

  private init(editing realm: Realm, _ edited: [Int: EditedTable]) {
    let copied = realm.schema.tables.filter { !$0.objectClass.isVersionTable }
    (self.realm, self.edited, replaced, keptBacklinks) = (realm, edited, [:], [])
    tables = Dictionary(uniqueKeysWithValues: copied.map { ($0.position, $0) })
    copiedKeys = Dictionary(uniqueKeysWithValues: copied.map { ($0.key, $0.position) })
    positions = Set(tables.keys)
  }

  /// Whether some tables are edited.
  package var isEdit: Bool { !edited.isEmpty }

  /// The clusters to build of edited tables, by position.
  package var touched: [Int: [ClusterPosition]] {
    edited.mapValues { table in table.touched.map { table.clusters[$0] } }
  }

  /// Whether objects of the class at a position in the new realm are only read for new values of some properties.
  package func replaces(_ position: Int) -> Bool {
    positions.contains(position) && edited[position] == nil
  }

  /// The properties whose leaves are built, of a copied table.
  func builtProperties(_ position: Int) -> [Int] {
    edited[position] == nil
      ? replaced[position] ?? [] : Array(tables[position]?.columns.indices ?? 0..<0)
  }

  /// The table to copy for the class at a position in the new realm; nil if it is built.
  func table(_ position: Int) -> Table? {
    positions.contains(position) ? tables[position] : nil
  }

  /// Whether objects of the class at a position in the new realm are read: it is built or edited, or has new values.
  package func reads(_ position: Int) -> Bool {
    !positions.contains(position) || replaced[position] != nil || edited[position] != nil
  }

  /// Calls `body` with each cluster of a copied table that has objects, in the order of their keys.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm, and of `body`.
  func forEachCluster(
    of table: Table, _ body: (Cluster, NodeReader) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let reader = try RealmReader(realm)
    try reader.nodes.traversing { () throws(RealmFileError) in
      for place in try reader.clusters(of: table) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        let cluster = try reader.cluster(place)
        if cluster.count > 0 { try body(cluster, reader.nodes) }
      }
    }
  }

  // MARK: Links

  /// Calls `body` with the links from copied tables to the objects of a built table.
  ///
  /// - Parameters:
  ///   - position: position of the built table.
  ///   - body: receives the position of a copied table, the key of its column, and pairs of integers: the
  ///     keys of the target and of the object with the link.
  /// - Throws: `damaged`; the errors of an encrypted realm, and of `body`.
  func forEachLink(
    to position: Int,
    _ body: (_ origin: Int, _ column: ColumnKey, _ links: [UInt64]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    guard let table = tables[position] else { return }
    let columns = table.backlinkColumns.compactMap { column in
      copiedKeys[column.origin].map { (column, $0) }
    }
    guard !columns.isEmpty else { return }
    try forEachCluster(of: table) { (cluster, nodes) throws(RealmFileError) in
      for (column, origin) in columns {
        let links = try CopiedTables.links(in: column, of: cluster, nodes)
        if !links.isEmpty { try body(origin, column.originColumn, links) }
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

  /// What differs in the copy of a table.
  struct Edits {
    /// The columns on the other side of links and backlinks, by column.
    var opposites: [ColumnKey: ColumnKey] = [:]
    /// New names of columns.
    var names: [ColumnKey: [UInt8]] = [:]
    /// The leaves and indexes of columns with new values, which the new file has already, by the refs of the old ones.
    var written: [Ref: Ref] = [:]
  }

  /// Copies the tables.
  ///
  /// - Parameters:
  ///   - changes: what differs, by position of the table.
  ///   - edit: called before a table is copied; adds further edits.
  /// - Returns: the refs of the tables' top arrays, by position.
  /// - Throws: `damaged`; the errors of an encrypted realm and of the output, and of `edit`.
  func copy(
    _ changes: [Int: Edits], to writer: RealmFileWriter,
    edit: (Table, inout NodeCopier, NodeReader) throws(BuildError) -> Void
  ) throws(BuildError) -> [Int: Ref] {
    let nodes = try inBuild(realm.snapshot.makeReaderOfAll())
    let edits = try inBuild(nodeEdits(changes, nodes))
    var copier = NodeCopier(nodes: nodes, writer: writer, edits: edits) { _ in }
    var refs: [Int: Ref] = [:]
    try nodes.traversing { () throws(BuildError) in
      for position in positions.sorted() {
        guard let table = tables[position] else { continue }
        // What the edits read does not count for the copy, which may reach the same nodes.
        try nodes.traversing { () throws(BuildError) in try edit(table, &copier, nodes) }
        refs[position] = try inBuild(copier.copy(table.ref))
      }
    }
    try inBuild(copier.checkEdits())
    return refs
  }

  private func nodeEdits(
    _ changes: [Int: Edits], _ nodes: NodeReader
  ) throws(RealmFileError) -> NodeEdits {
    var edits = NodeEdits()
    for (position, change) in changes {
      guard let table = table(position) else { continue }
      if !change.opposites.isEmpty {
        let top = try nodes.lookUp(table.ref)
        let list = try nodes.lookUp(try top.ref(at: TableLayout.Slot.oppositeColumns))
        guard list.isIntegers, list.count < 1 << 16 else {
          throw .damaged(
            .tableOpposites, at: list.ref,
            "the opposite columns are \(list.form), expected an integer for each column")
        }
        var keys = list.integers()
        for (column, opposite) in change.opposites where column.leafIndex < keys.count {
          keys[column.leafIndex] = opposite.raw
        }
        edits[list.ref] = .node(NodeEncoder.integers(keys))
      }
      if !change.names.isEmpty {
        let names = try SpecLayout.names(of: table, replacing: change.names, nodes)
        edits[names.ref] = .node(names.bytes)
      }
      for (old, new) in change.written { edits[old] = .written(new) }
    }
    return edits
  }
}

extension Table {
  /// Whether the columns of these properties can get new leaves without another change of the table.
  fileprivate func canReplace(_ properties: Set<Int>) -> Bool {
    properties.allSatisfy { position in
      let column = columns[position]
      // An enumerated column has numbers of values; an index that is missing has no ref to replace.
      return column.enumeration == 0 && (column.property.index == nil || column.index != 0)
    }
  }
}
