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

/// The list of objects in the index at `root` that share all chunks up to the last level.
private func lastList(_ editor: RealmEditor, _ root: Ref) throws -> Node {
  var lists: [(level: Int, node: Node)] = []
  func visit(_ ref: Ref, level: Int) throws {
    let node = try editor.node(ref)
    guard node.hasContext else { return lists.append((level, node)) }
    for slot in 1..<max(1, node.count) {
      guard case .ref(let child) = node.element(at: slot) else { continue }
      try visit(child, level: node.isInner ? level : level + 1)
    }
  }
  try visit(root, level: 0)
  guard let list = lists.first(where: { $0.level == 51 }) else { throw NoSuchPlace("list") }
  return list.node
}

/// Defects of indexes.
let indexDefects: [SeededDefect] = [
  SeededDefect(
    .indexNotCompared, "primary-keys", also: [.nodeFlags, .storageLeak, .keyNotCompared]
  ) { try spoilPrimaryKey($0) },
  SeededDefect(.indexEmptyNode, "primary-keys", also: [.storageLeak, .indexMissingEntry]) {
    editor in
    for (_, column) in try indexed(editor, { $0.type == .string }) {
      for node in try indexNodes(editor, column.index).dropFirst() where !node.isInner {
        editor.count(try node.ref(at: 0), 0)
        return editor.count(node.ref, 1)
      }
    }
    throw NoSuchPlace("subindex")
  },
  SeededDefect(.indexDepth, "indexes", also: [.nodeRef, .indexMissingEntry]) { editor in
    // A list becomes a node with refs of the index, as if it had another level below it.
    let list = try lastList(editor, try editor.column("text", of: "Text").index)
    editor.flags(list.ref) { $0 | 0x60 }
  },
  SeededDefect(.indexListValues, "primary-keys", also: [.storageLeak]) { editor in
    // A subindex with objects of different values becomes a list of these.
    for node in try indexed(editor, { _ in true }).flatMap({ try indexNodes(editor, $1.index) }) {
      for slot in 1..<(node.isInner ? 1 : node.count) {
        guard case .ref(let ref) = node.element(at: slot) else { continue }
        let child = try editor.node(ref)
        guard child.hasContext, !child.isInner, child.count > 2 else { continue }
        let keys = (1..<child.count).compactMap { slot in
          if case .tagged(let key) = child.element(at: slot) { key } else { nil }
        }.sorted()
        guard keys.count == child.count - 1 else { continue }
        for (i, key) in keys.enumerated() { try editor.set(ref, i, key) }
        editor.flags(ref) { $0 & 7 }
        return editor.count(ref, keys.count)
      }
    }
    throw NoSuchPlace("subindex")
  },
  SeededDefect(.indexListValueOrder, "indexes") { editor in
    let list = try lastList(editor, try editor.column("text", of: "Text").index)
    try editor.swap(list.ref, 0, list.count - 1)
  },
]
