import TestSupport

@testable import RealmModel
@testable import RealmStorage

/// Defects of the file, its header and its space.
let spaceDefects: [SeededDefect] = [
  SeededDefect(.headerTop, "tasks-local") { $0.bytes[Int($0.bytes[23] & 1) * 8] |= 1 },
  SeededDefect(.fileTruncated, "people") { $0.bytes.removeLast($0.bytes.count / 2) },
  SeededDefect(.fileTextMode, "people") { editor in
    editor.bytes = editor.bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
  },
  SeededDefect(.headerOlderData, "people") { editor in
    editor.bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16))
    editor.bytes.replaceSubrange(20..<24, with: [0, 0, 0, 0])
  },
  SeededDefect(.headerReserved, "people") { $0.bytes[22] = 1 },
  SeededDefect(.headerOtherSlot, "people") { editor in
    let slot = Int(1 - editor.bytes[23] & 1) * 8
    editor.bytes.replaceSubrange(slot..<slot + 8, with: littleEndianBytes(64, count: 8))
  },
  SeededDefect(.headerStreaming, "tasks-synced-to-local") { $0.bytes[8] = 32 },
  SeededDefect(.fileSize, "people") { $0.bytes += [UInt8](repeating: 0, count: 8) },
  SeededDefect(.fileLeftover, "people") { $0.companions["x.realm.tmp_compaction_space"] = [1] },
  SeededDefect(.fileFormatBackup, "people") { $0.companions["x.v23.backup.realm"] = [1] },
  SeededDefect(.topLength, "people", also: [.storageLeak]) { $0.count($0.top.ref, 10) },
  SeededDefect(.topFlags, "tasks-local", also: [.storageLeak]) {
    $0.flags($0.top.ref) { $0 & ~0x40 }
  },
  SeededDefect(.topLogicalSize, "people", also: [.nodeRef]) {
    try $0.set($0.top.ref, 2, $0.top.logicalSize * 2)
  },
  SeededDefect(.topSlots, "people", also: [.nodeBounds]) {
    try $0.set($0.top.ref, 6, $0.top.version * 2)
  },
  SeededDefect(.topHistory, "tasks-local", also: [.historyTop]) {
    try $0.set($0.top.ref, 7, tagged: 0)
  },
  SeededDefect(.topHistorySchema, "people") { try $0.set($0.top.ref, 9, tagged: 0) },

  SeededDefect(.nodeRef, "people", also: [.storageLeak, .keyNotCompared, .indexNotCompared]) {
    editor in
    let cluster = try editor.clusters("Company")[0]
    try editor.set(cluster, 1, try editor.child(cluster, 1) + 4)
  },
  SeededDefect(.nodeBounds, "people", also: [.storageLeak, .indexNotCompared]) { editor in
    editor.count(try editor.leaf("age", of: "Person"), 0xFF_FFFF)
  },
  SeededDefect(.nodeFlags, "people", also: [.storageLeak, .indexNotCompared]) { editor in
    editor.flags(try editor.leaf("age", of: "Person")) { $0 | 0x18 }
  },
  SeededDefect(.nodeContext, "people") { editor in
    editor.flags(try editor.leaf("age", of: "Person")) { $0 | 0x20 }
  },
  SeededDefect(.nodeFiller, "people") { editor in
    editor.bytes[try editor.leaf("age", of: "Person")] = 0
  },
  SeededDefect(.nodeSection, "people", also: [.storageLeak]) { editor in
    // The leaf moves to the boundary of two sections of 64 MiB.
    let cluster = try editor.clusters("Person")[0]
    let age = 1 + (try editor.column("age", of: "Person")).key.leafIndex
    let leaf = try editor.child(cluster, age)
    let node = try editor.node(leaf)
    let place = (1 << 26) - 8
    editor.bytes += [UInt8](repeating: 0, count: (1 << 26) + 4096 - editor.bytes.count)
    editor.bytes.replaceSubrange(
      place..<place + node.header.nodeByteCount,
      with: editor.bytes[leaf..<leaf + node.header.nodeByteCount])
    try editor.set(cluster, age, place)
    try editor.set(editor.top.ref, 2, tagged: editor.bytes.count)
  },
  SeededDefect(.storageNodeOverlap, "people", also: [.storageLeak]) { editor in
    let cluster = try editor.clusters("Person")[0]
    let names = try ["firstName", "lastName"].map {
      1 + (try editor.column($0, of: "Person")).key.leafIndex
    }
    try editor.set(cluster, names[0], try editor.child(cluster, names[1]))
  },
  SeededDefect(.freeLists, "churned") { editor in
    let lengths = try editor.node(try editor.child(editor.top.ref, 4))
    editor.count(lengths.ref, lengths.count - 1)
  },
  SeededDefect(.freeChunk, "churned") { editor in
    let positions = try editor.node(try editor.child(editor.top.ref, 3))
    try editor.set(positions.ref, 0, Int(positions.integer(at: 0)) + 4)
  },
  SeededDefect(.freeVersion, "churned") { editor in
    try editor.set(try editor.child(editor.top.ref, 5), 0, 100)
  },
  SeededDefect(.freeNodeOverlap, "churned") { editor in
    let chunks = try FreeList(editor.top, nodes: editor.reader.nodes).chunks
    for i in 1..<chunks.count {
      let chunk = chunks[i - 1]
      guard chunk.offset + chunk.byteCount < chunks[i].offset else { continue }
      return try editor.set(editor.child(editor.top.ref, 4), i - 1, chunk.byteCount + 8)
    }
    throw NoSuchPlace("free chunk in front of a node")
  },
  SeededDefect(.storageLeak, "churned") { editor in
    let chunks = try FreeList(editor.top, nodes: editor.reader.nodes).chunks
    for (i, chunk) in chunks.enumerated() where chunk.byteCount > 8 {
      return try editor.set(editor.child(editor.top.ref, 4), i, chunk.byteCount - 8)
    }
    throw NoSuchPlace("free chunk")
  },

  SeededDefect(.encryptionPage, "people-encrypted", also: [.storageLeak]) { editor in
    let page = try editor.leaf("age", of: "Person") / 4096
    editor.bytes[EncryptedLayout.ciphertextOffset(ofPage: page) + 100] ^= 1
  },
  SeededDefect(.encryptionOlderPage, "people-encrypted") { editor in
    let entry = EncryptedLayout.entryOffset(ofPage: try editor.leaf("age", of: "Person") / 4096)
    editor.bytes.replaceSubrange(entry + 32..<entry + 64, with: editor.bytes[entry..<entry + 32])
    editor.bytes[entry + 4] ^= 1
  },
  SeededDefect(.encryptionPartialPage, "people-encrypted") {
    $0.bytes += [UInt8](repeating: 7, count: 104)
  },
  SeededDefect(.encryptionFreePage, "people-encrypted") { editor in
    let chunks = try FreeList(editor.top, nodes: editor.reader.nodes).chunks
    for chunk in chunks {
      let page = (chunk.offset + 4095) / 4096
      guard (page + 1) * 4096 <= chunk.offset + chunk.byteCount else { continue }
      let entry = EncryptedLayout.entryOffset(ofPage: page)
      editor.bytes.replaceSubrange(entry..<entry + 64, with: [UInt8](repeating: 9, count: 64))
      editor.bytes[EncryptedLayout.ciphertextOffset(ofPage: page)] = 1
      return
    }
    throw NoSuchPlace("free page")
  },
]
