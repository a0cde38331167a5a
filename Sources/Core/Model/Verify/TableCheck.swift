package import RealmStorage

/// Checks the tables and specs of a realm (chapter 3, section 11), each as far as it can be read.
package struct TableCheck {
  private typealias Slot = SchemaReader.Slot

  /// Longest name in bytes, of a table or a column.
  private static let nameByteLimit = 63
  /// Tags of free table slots have 15 bits.
  private static let tagLimit = 0x7FFF

  let nodes: NodeReader
  let top: TopArray
  let format: Int
  /// Tables that can be read.
  let schema: Schema
  package private(set) var findings: Findings
  private var className: String?

  package init(_ realm: Realm, nodes: NodeReader, limit: Int) {
    (self.nodes, top, schema) = (nodes, realm.snapshot.top, realm.schema)
    format = realm.snapshot.format
    findings = Findings(limit: limit)
  }

  mutating func add(
    _ rule: Rule, _ severity: Rule.Severity? = nil, at offset: Int, property: String? = nil,
    _ message: String? = nil
  ) {
    findings.add(
      Finding(rule, severity, at: offset, className: className, property: property, message))
  }

  /// - Throws: errors that say nothing about the file.
  package mutating func run() throws(RealmFileError) {
    guard top.ref != 0 else { return }
    do throws(RealmFileError) {
      try checkTables()
    } catch {
      try findings.add(error)
    }
    for table in schema.tables {
      className = table.className.text
      checkLinks(of: table)
    }
  }

  private mutating func checkTables() throws(RealmFileError) {
    let names = Realm.tableNames(top, nodes)
    let entries = try nodes.lookUp(top.tables)
    guard entries.hasRefs, !entries.isInner, names.count == entries.count, names.count < 1 << 16
    else { throw .damaged(.tableNames, at: top.tables) }
    try checkStrings(at: top.tableNames)
    var seen: Set<Name> = []
    for slot in 0..<entries.count {
      let name = Name(names[slot]?.bytes ?? [])
      className = Table.className(of: name).text
      switch entries.element(at: slot) {
      case .ref(let ref):
        checkName(name, slot: slot, isNew: seen.insert(name).inserted)
        do throws(RealmFileError) {
          try checkTable(try nodes.lookUp(ref), slot: slot)
        } catch {
          try findings.add(error.adding(className: className))
        }
      case .tagged(let tag):
        className = nil
        if tag > TableCheck.tagLimit {
          add(.tableEntry, at: top.tables, "the tag of free slot \(slot) is \(tag)")
        }
        if !name.bytes.isEmpty {
          add(.tableName, .warning, at: top.tableNames, "free slot \(slot) has a name")
        }
      case .null:
        className = nil
        add(.tableEntry, at: top.tables, "slot \(slot) is neither free nor a table")
      }
    }
    className = nil
  }

  /// Names and lists of distinct values are leaves of strings like those of columns (chapter 2, rules
  /// L6 to L9).
  mutating func checkStrings(at ref: Ref) throws(RealmFileError) {
    let node = try nodes.lookUp(ref)
    // What the codec makes sure of is not checked once more.
    _ = try Leaf.strings(node, nodes, rows: nil)
    var leaf = LeafCheck(nodes: nodes, format: format)
    try leaf.checkStrings(node, terminator: 1)
    for defect in leaf.defects { add(defect.rule, defect.severity, at: ref, defect.message) }
  }

  private mutating func checkName(_ name: Name, slot: Int, isNew: Bool) {
    if !isNew {
      add(.tableName, at: top.tableNames, "another table is called \(name.text) too")
    } else if name.bytes.count > TableCheck.nameByteLimit {
      add(
        .tableName, at: top.tableNames,
        "the name has \(name.bytes.count) bytes, the most is \(TableCheck.nameByteLimit)")
    } else if !name.isValid {
      add(.tableName, .warning, at: top.tableNames, "the name is not valid UTF-8")
    } else if name.bytes.isEmpty || name.bytes == ObjectClass.tablePrefix {
      // The reference writes and reads them.
      add(.tableName, .warning, at: top.tableNames, "the table in slot \(slot) has no name")
    }
  }

  private mutating func checkTable(_ node: Node, slot: Int) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner, node.count >= Slot.minimumCount else {
      throw .damaged(.tableSlots, at: node.ref)
    }
    if node.hasContext { add(.nodeContext, at: node.ref) }
    if node.count > Slot.maximumCount {
      add(.tableSlots, .warning, at: node.ref, "the table has \(node.count) slots")
    }
    checkSlots(node)
    if node.integer(at: Slot.key) & 1 == 0 || node.slotInteger(at: Slot.key) & 0xFFFF != slot {
      add(.tableKey, at: node.ref)
    }
    let flags = Slot.flags < node.count ? node.slotInteger(at: Slot.flags) : 0
    if flags & 3 > 2 { add(.tableType, at: node.ref) }
    if flags & ~3 != 0 { add(.tableFlags, at: node.ref, "the flags are \(flags)") }
    let spec = SpecArrays(try nodes.lookUp(try node.ref(at: Slot.spec)), nodes)
    try checkSpec(spec)
    try checkColumns(node, spec)
    try checkPrimaryKey(node, spec, isEmbedded: flags & 3 == 1)
    try checkCollisions(node)
  }

  private mutating func checkSlots(_ node: Node) {
    func isTaggedOrZero(_ raw: Int64) -> Bool { raw == 0 || raw & 1 != 0 }
    for slot in 0..<min(node.count, Slot.maximumCount) {
      let raw = node.integer(at: slot)
      let isLegal =
        switch slot {
        case Slot.oldColumns: raw == 0
        case Slot.key, Slot.columnCounter, Slot.contentVersion: raw & 1 != 0
        case Slot.sequenceNumber, Slot.primaryKey, Slot.flags: isTaggedOrZero(raw)
        case Slot.collisions, Slot.tombstones: raw & 1 == 0
        default: raw != 0 && raw & 1 == 0
        }
      if !isLegal { add(.tableSlots, at: node.ref, "slot \(slot) is \(raw)") }
    }
  }

  /// Rule O4: lo, hi and local key of each row, ordered by hi, then lo.
  private mutating func checkCollisions(_ node: Node) throws(RealmFileError) {
    guard case .ref(let ref) = node.element(at: Slot.collisions) else { return }
    let rows = try CollisionMap.rows(at: ref, nodes)
    for (a, b) in zip(rows, rows.dropFirst()) where (a.high, a.low) >= (b.high, b.low) {
      return add(.tableCollisionMap, .warning, at: ref, "its rows are not in order")
    }
  }
}
