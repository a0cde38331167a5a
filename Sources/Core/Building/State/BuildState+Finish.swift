import RealmModel
import RealmStorage

/// Writes everything that depends on all objects.
extension BuildState {
  /// The type of an in-realm history (chapter 4, section 1.1).
  private static let historyType = 2

  /// Writes the rest of the realm.
  ///
  /// - Throws: `unsupported` with all places that the format cannot hold; `duplicatePrimaryKey`, `missingTarget` and `missingTargetKey`, up to
  ///   ``RealmBuilder/Request/errorLimit`` together; `embeddedOwners`; the errors of files.
  func finish() throws(BuildError) -> RealmBuilder.Report {
    try unsupported.end()
    let edits = try tableEdits()
    let roots = try appendIndexes()
    try addCopiedLinks()
    let columns = try makeBacklinks()
    let copied = try appendCopied(columns, roots, edits)
    let opposites = copiedBacklinks()
    let nodes = FileNodes(writer)
    var tables: [Ref] = []
    for table in layout.slots {
      if let copy = copied[table.position] {
        tables.append(copy)
      } else {
        tables.append(try append(table, columns, opposites, roots, into: nodes))
      }
    }
    try faults.end()
    var report = RealmBuilder.Report()
    report.format = layout.format
    report.counts = layout.slots.map { table in
      let copied = request.copied?.table(table.position)?.objectCount
      let built = objects[table.position]?.count ?? 0
      let old = edits?.oldCounts[table.position]
      return (table.objectClass, copied.map { $0 + (old.map { built - $0 } ?? 0) } ?? built)
    }
    report.classesWithKeys = Set(
      layout.slots.filter { objects[$0.position]?.haveKeys == true }.map(\.objectClass.name))
    report.byteCount = try inBuild(finish(tables, into: nodes))
    return report
  }

  private func append(
    _ table: BuildTable, _ backlinks: [Int: [BacklinkBuilder]], _ copied: [Int: ColumnKey],
    _ roots: [Int: Ref], into nodes: FileNodes
  ) throws(BuildError) -> Ref {
    let own = backlinks[table.position] ?? []
    var facts = TableWriter.Facts()
    facts.clusters = try appendClusters(table.position, own, into: nodes)
    facts.tombstones = try appendTombstones(table.position, own, into: nodes)
    facts.nextNumber = max(
      objects[table.position]?.nextNumber ?? 0, request.tables?.nextNumbers[table.position] ?? 0)
    facts.indexes = table.columns.map { roots[$0.number] ?? 0 }
    let given = request.collisions[table.position] ?? []
    facts.nextNumber = max(facts.nextNumber, given.isEmpty ? 0 : facts.nextNumber + given.count)
    let collisions = given + (tombstones[table.position]?.collisions ?? [])
    if !collisions.isEmpty {
      facts.collisions = try inBuild(CollisionMap.append(collisions, into: nodes))
    }
    return try inBuild(
      TableWriter(nodes: nodes).append(
        key: table.key, kind: table.objectClass.kind, specColumns(table, backlinks, copied),
        primaryKey: table.primaryKey?.key, facts))
  }

  private func specColumns(
    _ table: BuildTable, _ backlinks: [Int: [BacklinkBuilder]], _ copied: [Int: ColumnKey]
  ) -> [TableWriter.SpecColumn] {
    var columns = table.columns.map { column in
      var spec = TableWriter.SpecColumn(key: column.key, name: column.property.name.bytes)
      // The column attributes do not show the index of a primary key.
      spec.indexAttributes =
        column.isFulltextIndexed
        ? ColumnKey.Attribute.fulltextIndexed
        : column.isIndexed && !column.isPrimaryKey ? ColumnKey.Attribute.indexed : 0
      spec.hasIntegerKeys = column.property.hasIntegerKeys
      if let target = column.property.target, let other = layout.tables[target],
        let key = copied[column.number]
          ?? backlinks[target]?.first(where: { $0.path.column == column.number })?.key
      {
        spec.opposite = (other.key, key)
      }
      return spec
    }
    for backlink in backlinks[table.position] ?? [] {
      let origin = layout.columns[backlink.path.column]
      var spec = TableWriter.SpecColumn(key: backlink.key, name: nil)
      if let other = layout.tables[origin.classPosition] { spec.opposite = (other.key, origin.key) }
      columns.append(spec)
    }
    return columns
  }

  private func finish(_ tables: [Ref], into nodes: FileNodes) throws(RealmFileError) -> Int {
    var slots = zip(layout.slots, tables).map { ($0.key, $1, $0.objectClass.tableName) }
    if let version = request.schemaVersion {
      let key = request.tables?.versionKey ?? TableKey(0)
      slots.insert(
        (key, try appendVersion(version, key, into: nodes), Array("metadata".utf8)), at: 0)
    }
    let (refs, names) =
      request.tables?.slots(slots) ?? (slots.map { Int64($0.1) }, slots.map(\.2))
    var trees = RealmFileWriter.Trees(
      tableNames: try TableWriter(nodes: nodes).append(names: names),
      tables: try nodes.append(refs: refs))
    try nodes.flush()
    if let history = request.history {
      let (root, facts) = try history(writer)
      trees.history = root
      return try writer.finish(trees, facts)
    }
    return try writer.finish(
      trees,
      RealmFileWriter.Facts(
        version: request.version, historyType: BuildState.historyType,
        historySchemaVersion: request.format.localHistorySchemaVersion, fileIdent: 0))
  }

  /// Appends the table with the schema version (chapter 3, section 8.1).
  private func appendVersion(
    _ version: UInt64, _ key: TableKey, into nodes: FileNodes
  ) throws(RealmFileError) -> Ref {
    let column = ColumnKey(
      leafIndex: 0, .int, collection: nil, isNullable: false, tag: key.raw, request.format)
    var tree = ClusterTreeBuilder()
    let leaf = try nodes.append(integers: [Int64(bitPattern: version)])
    try tree.append(keys: [0], leaves: [leaf], into: nodes)
    var facts = TableWriter.Facts()
    facts.clusters = try tree.finish(into: nodes)
    facts.nextNumber = 1
    return try TableWriter(nodes: nodes).append(
      key: key, kind: .topLevel,
      [TableWriter.SpecColumn(key: column, name: Array("version".utf8))], primaryKey: nil, facts)
  }
}

// MARK: Copied tables

extension BuildState {
  /// Adds the links of copied tables to the backlinks of built tables.
  private func addCopiedLinks() throws(BuildError) {
    guard let copied = request.copied else { return }
    var numbers: [Int: [ColumnKey: Int]] = [:]
    for column in layout.columns where copied.positions.contains(column.classPosition) {
      numbers[column.classPosition, default: [:]][column.key] = column.number
    }
    for table in layout.slots where !table.isCopied {
      try inBuild(
        copied.forEachLink(to: table.position) {
          (origin, column, links) throws(RealmFileError) in
          guard let number = numbers[origin]?[column] else { return }
          try backlinkRuns(BuildPiece.LinkPath(column: number, target: table.position))
            .append(links)
        })
    }
  }

  /// Appends the copied tables.
  ///
  /// - Parameters:
  ///   - backlinks: the backlink columns of the built tables.
  ///   - roots: the roots of the built indexes, by number of the column.
  ///   - tableEdits: what changes in edited tables; nil if there are none.
  /// - Returns: the refs of the tables' top arrays, by position of the class.
  private func appendCopied(
    _ backlinks: [Int: [BacklinkBuilder]], _ roots: [Int: Ref], _ tableEdits: TableEdits?
  ) throws(BuildError) -> [Int: Ref] {
    guard let copied = request.copied else { return [:] }
    var edits: [Int: CopiedTables.Edits] = [:]
    for column in backlinks.values.joined() {
      let origin = layout.columns[column.path.column]
      // Mixed columns have no opposite.
      guard origin.property.type == .link, copied.positions.contains(origin.classPosition) else {
        continue
      }
      edits[origin.classPosition, default: .init()].opposites[origin.key] = column.key
    }
    for link in copied.keptBacklinks {
      guard let origin = layout.tables[link.origin] else { continue }
      edits[link.target, default: .init()].opposites[link.column] =
        origin.columns[link.property].key
    }
    for table in layout.slots {
      guard let old = copied.table(table.position) else { continue }
      for (column, oldColumn) in zip(table.columns, old.columns)
      where column.property.name != oldColumn.name {
        edits[table.position, default: .init()].names[column.key] = column.property.name.bytes
      }
      if !table.builtPositions.isEmpty, !copied.isEdit {
        edits[table.position, default: .init()].written =
          try inBuild(replacements(table, old, roots))
      }
    }
    return try copied.copy(edits, to: writer) { (table, copier, nodes) throws(BuildError) in
      guard let tableEdits else { return }
      try TableEditor(table, tableEdits, copied, self, nodes)?.edit(&copier)
    }
  }

  /// The new leaves and indexes of the built columns of a copied table, by the refs of the old ones.
  ///
  /// - Throws: `damaged` if a cluster does not have the objects that were read from it.
  private func replacements(
    _ table: BuildTable, _ old: Table, _ roots: [Int: Ref]
  ) throws(RealmFileError) -> [Ref: Ref] {
    guard let copied = request.copied, let objects = objects[table.position] else { return [:] }
    var written: [Ref: Ref] = [:]
    for position in table.builtPositions {
      if let root = roots[table.columns[position].number] {
        written[old.columns[position].index] = root
      }
    }
    var number = 0
    try copied.forEachCluster(of: old) { (cluster, _) throws(RealmFileError) in
      let count = number < objects.clusterCount ? objects.objectCount(of: number) : 0
      guard count == cluster.count, objects.key(number, row: 0) == cluster.key(at: 0) else {
        throw .damaged(
          .clusterKeys, at: cluster.ref,
          "the cluster has \(cluster.count) objects, but \(count) were read from it")
      }
      for (i, position) in table.builtPositions.enumerated() {
        let leaf = try cluster.leaf(at: old.columns[position].key.leafIndex)
        written[leaf] = objects.leaf(i, of: number)
      }
      number += 1
    }
    return written
  }

  /// The keys of the backlink columns in copied tables, by number of the column with the links.
  private func copiedBacklinks() -> [Int: ColumnKey] {
    var keys: [Int: ColumnKey] = [:]
    for link in request.copied?.keptBacklinks ?? [] {
      guard let origin = layout.tables[link.origin] else { continue }
      keys[origin.columns[link.property].number] = link.column
    }
    return keys
  }
}
