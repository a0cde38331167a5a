package import RealmModel
package import RealmStorage

/// A version of a realm of formats 2 to 9 with its decoded schema. Threads may share it.
package struct LegacyRealm: Sendable {
  package let snapshot: Snapshot
  /// The tables in the order of the file. Links refer to tables by their position here.
  package let tables: [LegacyTable]
  /// One class for each table, at the same position, then embedded classes for subtables.
  package let schema: ObjectSchema
  /// Where each class is stored, by position of the class.
  package let layouts: [LegacyClassLayout]
  /// What the schema leaves out.
  package let hidden: LegacyHiddenParts
  /// The distinct strings of enumerated columns.
  package let lists: LegacyStringLists
  /// What the schema of a damaged realm lacks.
  package let losses: [LegacySchemaLoss]
  /// Whether the names of all tables of a damaged realm are lost.
  package let areTableNamesLost: Bool
  /// What a damaged realm cannot have; nil for any other realm.
  let doubts: LegacyDoubts?

  /// - Throws: `halfUpgraded`; `damaged` with a rule of group `table`, `spec`, `btree` or `node`, or the
  ///   errors of an encrypted source. All errors have the path.
  package init(_ snapshot: Snapshot) throws(RealmFileError) {
    self.snapshot = snapshot
    lists = LegacyStringLists(snapshot)
    (losses, areTableNamesLost, doubts) = ([], false, nil)
    do {
      let reader = LegacyReader(try snapshot.makeReader(), lists)
      let nodes = reader.nodes
      let tables = try nodes.traversing { () throws(RealmFileError) in
        try LegacyRealm.tables(snapshot.top, nodes)
      }
      let keys = try LegacyPrimaryKeys(tables, reader)
      let classes = LegacyClasses(tables, keys)
      self.tables = tables
      (schema, layouts, hidden) = (classes.schema, classes.layouts, classes.hidden)
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// A realm without what cannot be read: tables whose columns are unknown, and columns whose targets are.
  ///
  /// - Parameters:
  ///   - snapshot: a version in which no node is reached twice.
  ///   - isDamaged: whether other parts of the file are damaged: then weaker signs of damage are enough.
  /// - Throws: `damaged` if the list of tables cannot be read; `halfUpgraded`; the errors of an encrypted source. All
  ///   errors have the path.
  package init(
    leavingOutDamageOf snapshot: Snapshot, isDamaged: Bool
  ) throws(RealmFileError) {
    self.snapshot = snapshot
    lists = LegacyStringLists(snapshot)
    do {
      var doubts = LegacyDoubts(isDamaged: isDamaged)
      let nodes = try snapshot.makeReader()
      var losses = LegacySchemaLosses()
      let tables = try LegacyRealm.readableTables(
        snapshot.top, LegacyReader(nodes, lists, doubts), &losses)
      doubts.rowCounts = tables.map(\.rowCount)
      let keys = try LegacyPrimaryKeys(
        tables, LegacyReader(nodes, lists, doubts), snapshot, leavingOut: &losses)
      let classes = LegacyClasses(tables, keys, leavingOut: &losses)
      self.tables = tables
      (schema, layouts, hidden) = (classes.schema, classes.layouts, classes.hidden)
      (self.losses, self.doubts) = (losses.all, doubts)
      areTableNamesLost = losses.areTableNamesLost
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// The tables of a damaged realm.
  private static func readableTables(
    _ top: TopArray, _ reader: LegacyReader, _ losses: inout LegacySchemaLosses
  ) throws(RealmFileError) -> [LegacyTable] {
    guard top.ref != 0 else { return [] }
    let nodes = reader.nodes
    let entries = try nodes.lookUp(top.tables)
    guard entries.hasRefs, !entries.isInner, entries.count < 1 << 16 else {
      throw .damaged(
        .tableNames, at: top.tables, "the list of tables has \(entries.form), expected refs")
    }
    let names = try LegacyNames.ofTables(at: top.tableNames, count: entries.count, nodes, &losses)
    let specs = LegacySpecReader(nodes: nodes, tableCount: entries.count, damage: .leaveOut)
    var tables: [LegacyTable] = []
    for i in 0..<entries.count {
      let name = names?[i] ?? LegacyNames.madeUp(forTable: i)
      let element = entries.element(at: i)
      let ref = if case .ref(let ref) = element { ref } else { 0 }
      do throws(RealmFileError) {
        guard ref != 0 else {
          throw .damaged(.tableSlots, at: entries.ref, "table \(i) has no ref, expected one")
        }
        let table = try LegacyTable(leavingOutDamageAt: ref, name: name, specs, reader)
        tables.append(names == nil ? table.recognized : table)
      } catch {
        // Of an upgrade that did not finish, tables of the SDK can be complete.
        guard error.isDamage || !ObjectClass.isClass(tableName: name) else { throw error }
        tables.append(LegacyTable(lost: error, name: name, at: ref))
      }
    }
    return tables
  }

  private static func tables(
    _ top: TopArray, _ nodes: NodeReader
  ) throws(RealmFileError) -> [LegacyTable] {
    guard top.ref != 0 else { return [] }
    let names = try LegacyNames.stored(at: top.tableNames, nodes)
    let entries = try nodes.node(at: top.tables)
    guard entries.hasRefs, !entries.isInner, names.count == entries.count, names.count < 1 << 16
    else {
      throw .damaged(
        .tableNames, at: top.tables,
        "there are \(names.count) table names and \(entries.form), expected equal counts")
    }
    let specs = LegacySpecReader(nodes: nodes, tableCount: names.count)
    var tables: [LegacyTable] = []
    var refs: Set<Ref> = []
    var rowCount = 0
    for (i, name) in names.enumerated() {
      do throws(RealmFileError) {
        let ref = try entries.ref(at: i)
        guard refs.insert(ref).inserted else {
          throw .damaged(.storageNodeOverlap, at: ref, "two tables share the node")
        }
        tables.append(try LegacyTable(at: ref, name: name, specs))
        // Does not overflow, because each number was checked and there are few tables.
        rowCount += tables[i].rowCount
        try LegacyTable.check(rowCount: rowCount, at: tables[i].ref, nodes)
      } catch {
        throw error.adding(className: ObjectClass.className(ofTable: name).text)
      }
    }
    return tables
  }

  /// The schema version that the app set; nil if it set none (chapter 5, section 8.2).
  ///
  /// - Throws: `damaged` if the table with the version cannot be read.
  package func schemaVersion() throws(RealmFileError) -> UInt64? {
    guard let table = tables.first(where: { $0.versionColumn != nil }), table.rowCount > 0,
      let column = table.versionColumn
    else { return nil }
    var cells = LegacyCells(
      root: table.roots[column.slot], .ints, isNullable: column.isNullable,
      try snapshot.makeReader())
    guard case .int(let version) = try cells.value(at: 0), version != -1 else { return nil }
    return UInt64(bitPattern: version)
  }
}

extension LegacyTable {
  /// The column with the schema version, if this is the table in which SDKs store it.
  var versionColumn: LegacyColumn? {
    guard name.text == "metadata",
      let column = spec.columns.first(where: { $0.name.text == "version" }),
      case .values(.ints, _) = column.kind
    else { return nil }
    return column
  }
}

/// Where the properties of a class are stored.
package struct LegacyClassLayout: Sendable {
  /// The table; nil for the rows of subtables.
  package let table: LegacyTable?
  package let spec: LegacySpec
  /// One column per property, in the same order.
  package let columns: [LegacyColumn]
  /// For each property with subtables that become objects, the position of their class; nil for other properties.
  let embedded: [Int?]
}

/// The numbers of columns and tables that the schema leaves out.
package struct LegacyHiddenParts: Sendable {
  /// Columns with the object keys of synced realms.
  package var objectIdColumns = 0
  /// Other columns whose names start with `!`, which SDKs hide.
  package var hiddenColumns = 0
  /// Columns with subtables that have no columns.
  package var emptyColumns = 0
  /// Tables with the name of a table of the SDKs but other columns, if the realm has classes.
  package var internalTables = 0
}
