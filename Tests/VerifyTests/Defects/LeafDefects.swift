import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// Defects of leaves of clusters.
let leafDefects: [SeededDefect] = [
  SeededDefect(.leafKind, "people", also: [.indexNotCompared]) { editor in
    editor.flags(try editor.leaf("age", of: "Person") { $0.width == 8 }) { $0 | 0x10 }
  },
  SeededDefect(.leafRows, "people", also: [.indexNotCompared]) { editor in
    let leaf = try editor.node(try editor.leaf("age", of: "Person"))
    editor.count(leaf.ref, leaf.count - 1)
  },
  SeededDefect(.leafCapacity, "all-types", also: [.storageLeak]) { editor in
    let leaf = try editor.root("int", of: "Lists") { $0.count > 1 }
    editor.flags(leaf) { $0 & ~7 }
    editor.count(leaf, 5000)
  },
  SeededDefect(.leafWidth, "all-types", also: [.storageLeak]) { editor in
    editor.flags(try editor.leaf("float", of: "AllTypes")) { $0 & ~7 | 2 }
  },
  SeededDefect(.leafNullValue, "primary-keys", also: [.indexMissingEntry, .indexExtraEntry]) {
    editor in
    let leaf = try editor.node(editor.leaf("_id", of: "IntOptPk") { (8..<64).contains($0.width) })
    try editor.set(leaf.ref, 0, Int(leaf.integer(at: 0)) - 1)
  },
  SeededDefect(.leafBool, "all-types") { editor in
    try editor.set(try editor.leaf("boolOpt", of: "AllTypes") { $0.width == 2 }, 0, 2)
  },
  SeededDefect(.leafShortString, "strings") { editor in
    let leaf = try editor.node(
      try editor.leaf("short", of: "S") { leaf in
        leaf.width > 2 && leaf.bytes[leaf.width - 1] > 0 && leaf.bytes[leaf.width - 1] < leaf.width
      })
    editor.bytes[leaf.ref + 8 + leaf.width - 2] = 65
  },
  SeededDefect(.leafShortString, "links") { editor in
    // A byte after the name of the first table, before the byte that counts them;
    // found by comparison with the reference.
    let names = try editor.node(editor.top.tableNames)
    #expect(names.bytes[names.width - 1] > 0)
    editor.bytes[names.ref + 8 + names.width - 2] = 1
  },
  SeededDefect(.leafSmallBlobs, "strings") { editor in
    let leaf = try editor.leaf("medium", of: "S") { $0.hasRefs && !$0.hasContext }
    let nulls = try editor.node(try editor.child(leaf, 2))
    editor.count(nulls.ref, nulls.count - 1)
  },
  SeededDefect(.leafStringOffsets, "strings") { editor in
    let leaf = try editor.leaf("medium", of: "S") { $0.hasRefs && !$0.hasContext }
    try editor.set(try editor.child(leaf, 0), 0, 120)
  },
  SeededDefect(.leafTerminator, "strings") { editor in
    let leaf = try editor.leaf("medium", of: "S") { $0.hasRefs && !$0.hasContext }
    let blob = try editor.node(try editor.child(leaf, 1))
    editor.bytes[blob.ref + 8 + blob.count - 1] = 65
  },
  SeededDefect(.leafBlob, "strings", also: [.storageLeak]) { editor in
    let leaf = try editor.leaf("big", of: "S") { leaf in
      try leaf.hasContext && leaf.ref(at: 0) != 0
    }
    editor.flags(try editor.child(leaf, 0)) { $0 & ~0x10 }
  },
  SeededDefect(.leafEnumeration, "strings") { editor in
    // Null, "no" and "yes" take two bits.
    try editor.set(editor.leaf("enumedOpt", of: "S") { $0.width == 2 }, 0, 3)
  },
  SeededDefect(.leafTimestamp, "all-types") { editor in
    let leaf = try editor.leaf("date", of: "AllTypes")
    try editor.set(try editor.child(leaf, 1), 0, 1_500_000_000)
  },
  SeededDefect(.leafDecimalWidth, "people", also: [.topHistorySchema, .mixedFormat]) { editor in
    editor.bytes[20 + Int(editor.bytes[23] & 1)] = 23
  },
  SeededDefect(.leafFixedBytes, "primary-keys", also: [.keyNotCompared, .indexNotCompared]) {
    editor in
    let leaf = try editor.node(try editor.leaf("_id", of: "OidPk"))
    editor.count(leaf.ref, leaf.count - 1)
  },
  SeededDefect(.leafFixedBytesFlags, "people") { editor in
    let uuids = try editor.node(editor.leaf("uuid", of: "Company"))
    let rows = try FixedBytesLeaf(uuids, size: 16).count
    #expect(rows & 7 != 0)
    editor.bytes[uuids.ref + 8 + rows / 8 * 129] |= 0x80
  },
  SeededDefect(.leafNull, "all-types") { editor in
    let leaf = try editor.leaf("float", of: "AllTypes")
    editor.bytes.replaceSubrange(leaf + 8..<leaf + 12, with: [0xAA, 0, 0xC0, 0x7F])
  },
  SeededDefect(.leafUtf8, "people") { editor in
    let leaf = try editor.leaf("firstName", of: "Person") { !$0.hasRefs }
    editor.bytes[leaf + 8] = 0xFF
  },
  SeededDefect(.leafCollection, "people", also: [.storageLeak]) { editor in
    editor.flags(try editor.leaf("tags", of: "Person")) { $0 & ~0x40 }
  },
  SeededDefect(.leafBacklinks, "people", also: [.storageLeak, .linkNotCompared]) { editor in
    editor.flags(try editor.backlinks(of: "Company")) { $0 & ~0x40 }
  },
  SeededDefect(.backlinkSingle, "people", also: [.storageLeak, .linkBacklinkMismatch]) { editor in
    let leaf = try editor.node(try editor.backlinks(of: "Company"))
    let list = try #require(
      (0..<leaf.count).first { if case .ref = leaf.element(at: $0) { true } else { false } })
    editor.count(try leaf.ref(at: list), 1)
  },
]
