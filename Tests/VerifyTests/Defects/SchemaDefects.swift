import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// Defects of tables, specs and column pairs.
let schemaDefects: [SeededDefect] = [
  SeededDefect(.tableNames, "tasks-local", also: [.storageLeak]) { editor in
    let names = try editor.node(editor.top.tableNames)
    editor.count(names.ref, names.count - 1)
  },
  SeededDefect(.tableEntry, "tasks-local", also: [.storageLeak]) {
    try $0.set($0.top.tables, 0, 0)
  },
  SeededDefect(.tableKey, "people") { editor in
    let table = try editor.table("Person")
    try editor.set(table.ref, 3, tagged: table.key.raw + 1)
  },
  SeededDefect(.tableName, "people") { editor in
    let names = try editor.node(editor.top.tableNames)
    let start = names.ref + 8
    editor.bytes.replaceSubrange(
      start..<start + names.width, with: editor.bytes[start + names.width..<start + names.width * 2]
    )
  },
  SeededDefect(.tableName, "people") { editor in
    let names = try editor.node(editor.top.tableNames)
    let slot = try editor.table("Person").key.slot
    // The first byte after the prefix.
    editor.bytes[names.ref + 8 + slot * names.width + "class_".utf8.count] = 0xFF
  },
  SeededDefect(.tableSlots, "people") { try $0.set($0.table("Person").ref, 1, 1) },
  SeededDefect(.tableType, "people") { try $0.set($0.table("Counter").ref, 12, tagged: 3) },
  SeededDefect(.tableFlags, "people") { try $0.set($0.table("Counter").ref, 12, tagged: 4) },
  SeededDefect(.specSlots, "people") { editor in
    try editor.set(try editor.child(editor.table("Counter").ref, 0), 3, 1)
  },
  SeededDefect(.specArray, "all-types") { editor in
    // Bytes instead of elements of eight bits: the same size.
    let types = try editor.node(try editor.spec("AllTypes", 0))
    #expect(types.width == 8)
    editor.flags(types.ref) { $0 | 0x10 }
  },
  SeededDefect(.specLengths, "people") { editor in
    let attributes = try editor.node(try editor.spec("Person", 2))
    editor.count(attributes.ref, attributes.count - 1)
  },
  SeededDefect(.specColumnKeys, "people") { editor in
    let keys = try editor.node(try editor.spec("Person", 5))
    try editor.set(keys.ref, 1, Int(keys.integer(at: 0)))
  },
  SeededDefect(.specTypes, "people") { try $0.set(try $0.spec("Person", 0), 1, 4) },
  SeededDefect(.specTypes, "links") { editor in
    // The types of the keys of a dictionary; found by comparison with the reference, as the next two.
    let position = try #require(
      editor.table("Person").columns.firstIndex { $0.collection == .dictionary })
    try editor.set(try editor.spec("Person", 0), position, ColumnType.link.rawValue | 6 << 16)
  },
  SeededDefect(.specTypes, "links") { editor in
    let types = try editor.node(try editor.spec("Person", 0))
    try editor.set(types.ref, types.count - 1, ColumnType.backlink.rawValue | 1 << 16)
  },
  SeededDefect(.indexColumn, "links") { editor in
    let table = try editor.table("Person")
    let backlinks = try #require(table.backlinkColumns.last)
    try editor.set(try editor.child(table.ref, 4), backlinks.key.leafIndex, 1)
  },
  SeededDefect(.specAttributes, "people") { try $0.set(try $0.spec("Person", 2), 1, 16) },
  SeededDefect(.specNames, "people") { editor in
    let names = try editor.node(try editor.spec("Person", 1))
    let start = names.ref + 8
    editor.bytes.replaceSubrange(
      start + names.width..<start + names.width * 2, with: editor.bytes[start..<start + names.width]
    )
  },
  SeededDefect(.specNames, "people") { editor in
    editor.bytes[try editor.spec("Person", 1) + 8] = 0xFF
  },
  SeededDefect(.specEnumeration, "strings") { editor in
    let lists = try editor.node(try editor.spec("S", 4))
    editor.count(lists.ref, lists.count - 1)
  },
  SeededDefect(.tableOpposites, "people", also: [.storageLeak, .linkOpposite, .linkBacklinkColumn])
  { editor in
    let columns = try editor.node(try editor.child(editor.table("Person").ref, 8))
    editor.count(columns.ref, columns.count - 1)
  },
  SeededDefect(.tablePrimaryKey, "people") { editor in
    let table = try editor.table("Company")
    try editor.set(table.ref, 11, tagged: Int(table.columns[0].key.raw) + 9)
  },
  SeededDefect(.tablePrimaryKeyIndex, "primary-keys", also: [.storageLeak]) { editor in
    let table = try editor.table("IntPk")
    try editor.set(try editor.child(table.ref, 4), table.columns[0].key.leafIndex, 0)
  },
  SeededDefect(.tableSequenceNumber, "links") {
    try $0.set($0.table("Address").ref, 9, tagged: 0)
  },
  SeededDefect(.tableCollisionMap, "strings", also: [.storageNodeOverlap]) { editor in
    // Three nodes, but not three arrays of integers.
    let blobs = try editor.leaf("medium", of: "S") { $0.hasRefs && !$0.hasContext }
    try editor.set(editor.table("S").ref, 10, blobs)
  },
  SeededDefect(.linkOpposite, "links", also: [.linkBacklinkColumn]) { editor in
    let column = try editor.column("spouse", of: "Person")
    let tables = try editor.child(editor.table("Person").ref, 7)
    try editor.set(tables, column.key.leafIndex, try editor.table("Dog").key.raw)
  },
  SeededDefect(.linkBacklinkColumn, "links", also: [.linkOpposite]) { editor in
    let table = try editor.table("Dog")
    let backlinks = try #require(table.backlinkColumns.first)
    try editor.set(
      try editor.child(table.ref, 8), backlinks.key.leafIndex,
      Int(try editor.column("spouse", of: "Person").key.raw))
  },
  SeededDefect(.linkAsymmetric, "links", also: [.schemaAsymmetricLocal]) {
    try $0.set($0.table("Dog").ref, 12, tagged: 2)
  },
]
