import RealmModel
import RealmStorage

/// Checks the rules for tables and specs that reading them does not check (chapter 3, section 11).
struct SchemaRules: SchemaVisitor {
  private typealias Slot = TableLayout.Slot

  /// The longest name of a table or a column, in bytes.
  static let nameByteLimit = 63
  /// The tag of a free table slot has 15 bits.
  private static let tagLimit = 0x7FFF

  let nodes: NodeReader
  private let top: TopArray
  let format: FileFormat
  var findings: Findings
  /// Slots of tables that exist but cannot be read.
  private(set) var lostSlots: Set<Int> = []
  private var names: Set<Name> = []

  init(_ snapshot: Snapshot, nodes: NodeReader, limit: Int) {
    (top, format, self.nodes) = (snapshot.top, snapshot.fileFormat, nodes)
    findings = Findings(limit: limit)
  }

  mutating func about(_ offset: Int, class name: String? = nil, property: String? = nil) {
    findings.about(Findings.Subject(at: offset, className: name, property: property))
  }

  // MARK: Slots and names

  mutating func visit(names: Node, _ entries: Node) throws(RealmFileError) {
    about(names.ref)
    try checkStrings(at: names.ref)
  }

  mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {
    about(top.tables)
    guard case .tagged(let tag) = element else {
      return findings.add(
        .tableEntry, "slot \(slot) is 0, expected the ref of a table or the tag of a free slot")
    }
    if tag > SchemaRules.tagLimit {
      findings.add(
        .tableEntry,
        "the tag of free slot \(slot) is \(tag), expected at most \(SchemaRules.tagLimit)")
    }
    if !name.bytes.isEmpty {
      findings.add(
        .tableName, at: top.tableNames,
        "free slot \(slot) has the name \(name.text), so a table is lost")
    }
  }

  private mutating func checkName(_ name: Name, slot: Int) {
    about(top.tableNames, class: ObjectClass.className(ofTable: name).text)
    if !names.insert(name).inserted {
      findings.add(
        .tableName, "the table in slot \(slot) has the name of another table, \(name.text)")
    } else if name.bytes.count > SchemaRules.nameByteLimit {
      findings.add(
        .tableName,
        "the name has \(name.bytes.count) bytes, expected at most \(SchemaRules.nameByteLimit)")
    } else if !name.isValid {
      findings.add(.tableName, .warning, "the name is not valid UTF-8")
    } else if name.bytes.isEmpty || name.bytes == ObjectClass.tablePrefix {
      // Only a warning: the reference writes and reads empty names.
      findings.add(.tableName, .warning, "the table in slot \(slot) has no name")
    }
  }

  /// Checks an array of names or a list of distinct values. Both are string leaves, like the leaves of
  /// columns (chapter 2, rules L6 to L9).
  mutating func checkStrings(at ref: Ref) throws(RealmFileError) {
    let node = try nodes.lookUp(ref)
    // The checks require strings that can be decoded.
    _ = try StringLeaf(strings: node, nodes, isLookUp: true).values(rows: nil)
    try StringLeaf.check(node, terminator: 1, nodes, &findings)
  }

  // MARK: Tables

  mutating func lost(
    _ error: RealmFileError, slot: Int, name: Name
  ) throws(RealmFileError) {
    lostSlots.insert(slot)
    checkName(name, slot: slot)
    try findings.add(error)
  }

  mutating func visit(_ table: TableLayout, name: Name) throws(RealmFileError) {
    checkName(name, slot: table.slot)
    let className = ObjectClass.className(ofTable: name).text
    about(table.top.ref, class: className)
    do throws(RealmFileError) {
      try check(table, className)
    } catch {
      // The error is about the spec or other arrays. The table itself can be read.
      try findings.add(error)
    }
  }

  private mutating func check(
    _ table: TableLayout, _ className: String
  ) throws(RealmFileError) {
    if table.top.hasContext { Leaf.reportContext(table.top, &findings) }
    if table.top.count > Slot.maximumCount {
      findings.add(
        .tableSlots, .warning,
        "the table has \(table.top.count) slots, expected at most \(Slot.maximumCount)")
    }
    checkSlots(table.top)
    if table.flags & ~3 != 0 {
      findings.add(.tableFlags, "the flags are \(table.flags), expected 0 to 2")
    }
    try checkSpec(table.spec, className)
    about(table.top.ref, class: className)
    checkOpposites(table)
    try checkPrimaryKey(of: table)
    try checkCollisions(table)
  }

  private mutating func checkSlots(_ top: Node) {
    func isTaggedOrZero(_ raw: Int64) -> Bool { raw == 0 || raw & 1 != 0 }
    for slot in 0..<min(top.count, Slot.maximumCount) {
      let raw = top.integer(at: slot)
      let (isLegal, expected) =
        switch slot {
        case Slot.oldColumns: (raw == 0, "0")
        case Slot.key, Slot.columnCounter, Slot.contentVersion: (raw & 1 != 0, "a tagged number")
        case Slot.sequenceNumber, Slot.primaryKey, Slot.flags:
          (isTaggedOrZero(raw), "a tagged number or 0")
        case Slot.collisions, Slot.tombstones: (raw & 1 == 0, "a ref or 0")
        default: (raw != 0 && raw & 1 == 0, "a ref")
        }
      if !isLegal { findings.add(.tableSlots, "slot \(slot) is \(raw), expected \(expected)") }
    }
  }

  /// Rule S7: the arrays of indexes, opposite tables and opposite columns, by leaf index.
  private mutating func checkOpposites(_ table: TableLayout) {
    let (indexes, tables, columns) = (table.indexes, table.oppositeTables, table.oppositeColumns)
    let used = Set(table.spec.keys.map(\.leafIndex))
    let needed = (used.max() ?? -1) + 1
    guard indexes.hasRefs, !indexes.isInner else {
      return findings.add(.tableOpposites, "the indexes are \(indexes.form), expected refs")
    }
    guard tables.count == indexes.count, columns.count == indexes.count, indexes.count >= needed,
      indexes.count < 1 << 16
    else {
      return findings.add(
        .tableOpposites,
        "\(indexes.count) indexes, \(tables.count) opposite tables and \(columns.count) opposite "
          + "columns, expected equal counts from \(needed) to 65535")
    }
    for key in table.spec.keys
    where key.type == .backlink && indexes.integer(at: key.leafIndex) != 0 {
      findings.add(
        .indexColumn, at: indexes.ref,
        "the backlink column with leaf index \(key.leafIndex) has an index")
    }
    let stale = (0..<indexes.count).count { index in
      !used.contains(index)
        && (indexes.integer(at: index) != 0 || tables.integer(at: index) != TableKey.null.raw
          || columns.integer(at: index) != ColumnKey.null.raw)
    }
    if stale > 0 {
      findings.add(
        .tableOpposites, .warning, "\(stale) of \(indexes.count) elements belong to no column")
    }
  }

  /// Checks the primary key (rules S8 and S9).
  private mutating func checkPrimaryKey(of table: TableLayout) throws(RealmFileError) {
    guard let position = try table.primaryKey() else { return }
    if table.kind == .embedded {
      findings.add(
        .tablePrimaryKey, "the embedded table has the primary key \(table.spec.name(position))")
    }
    guard format.hasPrimaryKeyIndexes else { return }
    let index = table.spec.keys[position].leafIndex
    let isFulltext =
      table.spec.attributes[position] & Int64(ColumnKey.Attribute.fulltextIndexed) != 0
    if index >= table.indexes.count || table.indexes.integer(at: index) == 0 || isFulltext {
      findings.add(
        .tablePrimaryKeyIndex, property: table.spec.name(position),
        isFulltext ? "the primary key has a full-text index" : "the primary key has no search index"
      )
    }
  }

  /// Rule O4: each row of the collision map has lo, hi and a local key; the rows are sorted by hi, then lo.
  private mutating func checkCollisions(_ table: TableLayout) throws(RealmFileError) {
    guard case let ref = try table.ref(in: Slot.collisions), ref != 0 else { return }
    let rows = try CollisionMap.rows(at: ref, nodes)
    let odd = zip(rows, rows.dropFirst()).enumerated().first {
      ($1.0.high, $1.0.low) >= ($1.1.high, $1.1.low)
    }
    if let odd {
      findings.add(
        .tableCollisionMap, .warning, at: ref,
        "row \(odd.offset + 1) of \(rows.count) is not greater than the row before it")
    }
  }
}

extension Realm {
  /// Decodes as much of the schema as possible, and checks its rules.
  ///
  /// - Throws: errors other than damage.
  static func checking(
    _ snapshot: Snapshot, limit: Int
  ) throws(RealmFileError) -> (realm: Realm, rules: SchemaRules) {
    let nodes = try snapshot.makeReader()
    var rules = SchemaRules(snapshot, nodes: nodes, limit: limit)
    var schema = Schema()
    do throws(RealmFileError) {
      schema = try SchemaReader(nodes: nodes).read(snapshot.top, &rules)
    } catch {
      // No table can be found without the list of tables.
      rules.about(snapshot.top.ref)
      try rules.findings.add(error)
    }
    let realm = Realm(snapshot, schema: schema)
    for table in schema.tables { rules.checkLinks(of: table, schema) }
    return (realm, rules)
  }
}
