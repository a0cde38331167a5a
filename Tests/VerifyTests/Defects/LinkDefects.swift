import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// Makes a leaf unreadable, and nothing else.
func spoilPrimaryKey(_ editor: RealmEditor) throws {
  let table = try editor.table("IntPk")
  guard let position = table.primaryKey else { throw NoSuchPlace("primary key") }
  editor.flags(try editor.leaf(table.columns[position].name.text, of: "IntPk")) { $0 | 0x18 }
}

/// Gives a property another key and the attributes that belong to it, in both places of its spec and,
/// for links, where its backlinks name it.
private func rekey(
  _ editor: RealmEditor, _ property: String, of table: String, _ change: (Int) -> Int
) throws {
  let column = try editor.column(property, of: table)
  let raw = Int(column.key.raw)
  let key = change(raw)
  let keys = try editor.node(try editor.spec(table, 5))
  let attributes = try editor.node(try editor.spec(table, 2))
  guard let position = (0..<keys.count).first(where: { Int(keys.integer(at: $0)) == raw }) else {
    throw NoSuchPlace(property)
  }
  try editor.set(keys.ref, position, key)
  try editor.set(
    attributes.ref, position, Int(attributes.integer(at: position)) ^ (raw ^ key) >> 22 & 0xFF)
  let types = try editor.spec(table, 0)
  let type = Int(try editor.node(types).integer(at: position))
  try editor.set(types, position, type & ~0xFFFF | key >> 16 & 0x3F)
  guard let target = column.target.flatMap({ editor.realm.schema.table($0) }) else { return }
  for backlinks in target.backlinkColumns where backlinks.originColumn == column.key {
    try editor.set(try editor.child(target.ref, 8), backlinks.key.leafIndex, key)
  }
}

/// Defects of links and keys, and of schemas.
let linkDefects: [SeededDefect] = [
  SeededDefect(.linkEmbeddedShared, "links", also: [.linkBacklinkMismatch]) { editor in
    // Two columns of backlinks that name an owner of the same object.
    let table = try editor.table("Address")
    for cluster in try editor.clusters("Address") {
      let leaves = try table.backlinkColumns.map {
        try editor.node(try editor.child(cluster, $0.key.leafIndex + 1))
      }
      for leaf in leaves {
        for other in leaves where other.ref != leaf.ref && other.width > 0 {
          for row in 0..<leaf.count where leaf.integer(at: row) & 1 != 0 {
            guard other.integer(at: row) == 0 else { continue }
            return try editor.set(other.ref, row, tagged: 0)
          }
        }
      }
    }
    throw NoSuchPlace("second column of backlinks")
  },
  SeededDefect(.linkNotCompared, "links", also: [.nodeFlags, .storageLeak]) { editor in
    editor.flags(try editor.leaf("spouse", of: "Person")) { $0 | 0x18 }
  },
  SeededDefect(
    .keyNotCompared, "primary-keys", also: [.nodeFlags, .storageLeak, .indexNotCompared]
  ) { try spoilPrimaryKey($0) },
  SeededDefect(.schemaAsymmetricLocal, "links", also: [.linkAsymmetric]) {
    try $0.set($0.table("Dog").ref, 12, tagged: 2)
  },
  SeededDefect(
    .schemaEmbeddedCycle, "links", also: [.tablePrimaryKey, .linkAsymmetric, .linkEmbeddedShared]
  ) {
    try $0.set($0.table("Person").ref, 12, tagged: 1)
  },
  SeededDefect(.schemaSyncedKey, "tasks-synced", also: [.historyNames]) { editor in
    for table in editor.realm.schema.classes {
      guard let position = table.primaryKey else { continue }
      let names = try editor.node(try editor.spec(table.className.text, 1))
      editor.bytes[names.ref + 8 + position * names.width] = 0x78
      return
    }
    throw NoSuchPlace("primary key")
  },
  SeededDefect(.schemaOptionalMixed, "all-types") { editor in
    try rekey(editor, "any", of: "AllTypes") { $0 & ~(ColumnKey.Attribute.nullable << 22) }
  },
  SeededDefect(.schemaOptionalLink, "links") { editor in
    try rekey(editor, "spouse", of: "Person") { $0 & ~(ColumnKey.Attribute.nullable << 22) }
  },
  SeededDefect(.schemaTypedLink, "all-types", also: [.leafRows, .linkNotCompared]) { editor in
    try rekey(editor, "int", of: "AllTypes") { $0 | ColumnType.typedLink.rawValue << 16 }
  },
  SeededDefect(.schemaIntegerKeys, "people", also: [.leafKind]) { editor in
    let position = try #require(
      editor.table("Company").columns.firstIndex { $0.name.text == "ratings" })
    try editor.set(try editor.spec("Company", 0), position, ColumnType.int.rawValue)
  },
  SeededDefect(.schemaMetadata, "tasks-local", also: [.tableSequenceNumber, .leafRows]) { editor in
    guard let table = editor.realm.schema.table(named: "metadata") else {
      throw NoSuchPlace("metadata")
    }
    try editor.set(table.clusters, 0, tagged: 2)
  },
  SeededDefect(.schemaMetadata, "tasks-local") { editor in
    guard let table = editor.realm.schema.table(named: "metadata") else {
      throw NoSuchPlace("metadata")
    }
    let names = try editor.child(editor.child(table.ref, 0), 1)
    editor.bytes[names + 8] = UInt8(ascii: "V")
  },
]
