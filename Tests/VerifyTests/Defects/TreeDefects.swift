import TestSupport

@testable import RealmModel
@testable import RealmStorage

/// A list of links with inner nodes: 1500 entries in two leaves.
private func largeList(_ editor: RealmEditor) throws -> Node {
  try editor.node(try editor.root("dogs", of: "Person") { $0.isInner })
}

/// The key array of the first cluster that has one.
private func keyArray(_ editor: RealmEditor) throws -> Ref {
  for ref in try editor.clusters("Log") {
    if case .ref(let keys) = try editor.node(ref).element(at: 0) { return keys }
  }
  throw NoSuchPlace("array of keys")
}

/// Defects of cluster trees and B+trees.
let treeDefects: [SeededDefect] = [
  SeededDefect(
    .clusterNode, "people",
    also: [.storageLeak, .linkNotCompared, .keyNotCompared, .indexNotCompared]
  ) { editor in
    editor.flags(try editor.clusters("Person")[3]) { $0 & ~0x40 }
  },
  SeededDefect(.clusterKeys, "people") { try $0.set(try $0.clusters("Counter")[0], 0, 0) },
  SeededDefect(.clusterCapacity, "people") {
    try $0.set(try $0.clusters("Company")[0], 0, tagged: 300)
  },
  SeededDefect(
    .clusterEmpty, "primary-keys",
    also: [.clusterCount, .leafRows, .keyNotCompared, .indexExtraEntry]
  ) { editor in
    try editor.set(try editor.clusters("IntPk")[1], 0, tagged: 0)
  },
  SeededDefect(.clusterKeyOrder, "churned", also: [.indexMissingEntry, .indexExtraEntry]) {
    editor in
    try editor.swap(try keyArray(editor), 0, 1)
  },
  SeededDefect(
    .clusterKeyWidth, "churned",
    also: [.storageLeak, .clusterKeyOrder, .indexMissingEntry, .indexExtraEntry]
  ) { editor in
    editor.flags(try keyArray(editor)) { $0 & ~7 | 3 }
  },
  SeededDefect(.clusterKeyRange, "churned", also: [.indexMissingEntry, .indexExtraEntry]) {
    editor in
    // All ones: the largest key of an unsigned array.
    let keys = try editor.node(keyArray(editor))
    try editor.set(keys.ref, keys.count - 1, -1)
  },
  SeededDefect(
    .clusterKeySign, "unresolved", also: [.linkBacklinkMismatch, .linkDangling, .keyTombstoneHash]
  ) { editor in
    for table in editor.realm.schema.tables where table.tombstones != 0 {
      return try editor.set(editor.child(table.tombstones, 0), 0, 5)
    }
    throw NoSuchPlace("tombstones")
  },
  SeededDefect(.clusterInner, "people", also: [.storageLeak, .linkNotCompared, .indexNotCompared]) {
    try $0.set(try $0.innerNode(), 4, 0)
  },
  SeededDefect(.clusterOffsets, "churned", also: [.indexMissingEntry, .indexExtraEntry]) { editor in
    try editor.set(try editor.child(editor.innerNode { $0.integer(at: 0) != 0 }, 0), 0, 1)
  },
  SeededDefect(.clusterDepth, "people", also: [.linkNotCompared, .indexNotCompared]) {
    try $0.set(try $0.innerNode(), 1, tagged: 2)
  },
  SeededDefect(.clusterCount, "people") { editor in
    let inner = try editor.node(try editor.innerNode())
    try editor.set(inner.ref, 2, Int(inner.integer(at: 2)) + 2)
  },
  SeededDefect(.clusterMissingLeaf, "people", also: [.storageLeak, .indexNotCompared]) { editor in
    let age = try editor.column("age", of: "Person").key.leafIndex
    try editor.set(try editor.clusters("Person")[0], 1 + age, 0)
  },
  SeededDefect(.clusterExtraLeaf, "people") { editor in
    // A node with an odd number of elements of 32 bits has room for one more.
    for table in editor.realm.schema.tables {
      for position in try editor.reader.clusters(of: table) {
        let cluster = try editor.node(position.ref)
        guard cluster.width >= 16, cluster.count % (64 / cluster.width) != 0 else { continue }
        editor.count(cluster.ref, cluster.count + 1)
        return try editor.set(cluster.ref, cluster.count, 1)
      }
    }
    throw NoSuchPlace("cluster with room")
  },

  SeededDefect(.btreeInner, "links", also: [.storageLeak, .linkNotCompared]) { editor in
    editor.count(try largeList(editor).ref, 2)
  },
  SeededDefect(.btreeChild, "links", also: [.storageLeak, .linkNotCompared]) {
    try $0.set(try largeList($0).ref, 2, 0)
  },
  SeededDefect(.btreeDepth, "links", also: [.freeNodeOverlap, .btreeCount]) { editor in
    let list = try largeList(editor)
    let second = try list.ref(at: 2)
    let elements = [1001, second, 1001].flatMap { littleEndianBytes($0, count: 4) }
    try editor.set(list.ref, 2, try editor.newNode(node(flags: 0xC6, count: 3, elements)))
  },
  SeededDefect(.btreeEmptyLeaf, "links", also: [.storageLeak, .btreeCount, .linkBacklinkMismatch]) {
    editor in
    editor.count(try editor.child(largeList(editor).ref, 2), 0)
  },
  SeededDefect(
    .btreeCapacity, "links",
    also: [.freeNodeOverlap, .storageLeak, .btreeCount, .btreeOffsets, .linkBacklinkMismatch]
  ) { editor in
    let large = node(flags: 4, count: 1001, [UInt8](repeating: 1, count: 1001))
    try editor.set(try largeList(editor).ref, 1, try editor.newNode(large))
  },
  SeededDefect(.btreeCount, "links") { editor in
    let list = try largeList(editor)
    try editor.set(list.ref, list.count - 1, Int(list.integer(at: list.count - 1)) + 2)
  },
  SeededDefect(.btreeOffsets, "links", also: [.storageLeak]) {
    try $0.set(try largeList($0).ref, 0, tagged: 999)
  },
]
