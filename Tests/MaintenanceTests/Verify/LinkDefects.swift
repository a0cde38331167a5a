import TestSupport

@testable import RealmModel
@testable import RealmStorage

/// The nodes of the index at `root`, the root first.
private func indexNodes(_ editor: RealmEditor, _ root: Ref) throws -> [Node] {
  var nodes: [Node] = []
  var queue = [root]
  while let ref = queue.popLast() {
    let node = try editor.node(ref)
    guard node.hasContext else { continue }
    nodes.append(node)
    for slot in 1..<max(1, node.count) {
      if case .ref(let child) = node.element(at: slot) { queue.append(child) }
    }
  }
  return nodes
}

private func indexed(
  _ editor: RealmEditor, _ isFit: (Column) -> Bool
) throws -> [(table: Table, column: Column)] {
  let found = editor.realm.schema.classes.flatMap { table in
    table.columns.filter { $0.index != 0 && isFit($0) }.map { (table, $0) }
  }
  if found.isEmpty { throw NoSuchPlace("index") }
  return found
}

/// Makes a leaf unreadable, and nothing else.
private func spoilPrimaryKey(_ editor: RealmEditor) throws {
  let table = try editor.table("IntPk")
  guard let position = table.primaryKey else { throw NoSuchPlace("primary key") }
  editor.flags(try editor.leaf(table.columns[position].name.text, of: "IntPk")) { $0 | 0x18 }
}

/// Defects of links, keys and indexes, and of schemas.
let linkDefects: [SeededDefect] = [
  SeededDefect(.linkEmbeddedShared, "links") { editor in
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
  SeededDefect(.linkNotCompared, "links") { editor in
    editor.flags(try editor.leaf("spouse", of: "Person")) { $0 | 0x18 }
  },
  SeededDefect(.keyNotCompared, "primary-keys") { try spoilPrimaryKey($0) },
  SeededDefect(.indexNotCompared, "primary-keys") { try spoilPrimaryKey($0) },
  SeededDefect(.indexEmptyNode, "primary-keys") { editor in
    for (_, column) in try indexed(editor, { $0.type == .string }) {
      for node in try indexNodes(editor, column.index).dropFirst() where !node.isInner {
        editor.count(try node.ref(at: 0), 0)
        return editor.count(node.ref, 1)
      }
    }
    throw NoSuchPlace("subindex")
  },
  SeededDefect(.schemaAsymmetricLocal, "links") {
    try $0.set($0.table("Dog").ref, 12, tagged: 2)
  },
  SeededDefect(.schemaEmbeddedCycle, "links") {
    try $0.set($0.table("Person").ref, 12, tagged: 1)
  },
  SeededDefect(.schemaSyncedKey, "tasks-synced") { editor in
    for table in editor.realm.schema.classes {
      guard let position = table.primaryKey else { continue }
      let names = try editor.node(try editor.spec(table.className.text, 1))
      editor.bytes[names.ref + 8 + position * names.width] = 0x78
      return
    }
    throw NoSuchPlace("primary key")
  },
  SeededDefect(.schemaOptionalMixed, "all-types") { editor in
    let column = try editor.column("any", of: "AllTypes")
    let keys = try editor.node(try editor.spec("AllTypes", 5))
    let attributes = try editor.node(try editor.spec("AllTypes", 2))
    for i in 0..<keys.count where keys.integer(at: i) == column.key.raw {
      try editor.set(keys.ref, i, Int(column.key.raw) & ~(ColumnKey.Attribute.nullable << 22))
      let bits = Int(attributes.integer(at: i)) & ~ColumnKey.Attribute.nullable
      return try editor.set(attributes.ref, i, bits)
    }
  },
  SeededDefect(.schemaMetadata, "tasks-local") { editor in
    guard let table = editor.realm.schema.table(named: "metadata") else {
      throw NoSuchPlace("metadata")
    }
    try editor.set(table.clusters, 0, tagged: 2)
  },
]
