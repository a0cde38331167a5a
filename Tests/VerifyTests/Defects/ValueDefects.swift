import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// The leaf of mixed values of `AllTypes`, its composites, and the first row whose type code is
/// `code`.
private func mixed(
  _ editor: RealmEditor, _ code: Int
) throws -> (leaf: Ref, composite: Ref, row: Int, raw: Int) {
  let leaf = try editor.leaf("any", of: "AllTypes")
  let composite = try editor.node(try editor.child(leaf, 0))
  for row in 0..<composite.count where Int(composite.integer(at: row) & 0x1F) == code + 1 {
    return (leaf, composite.ref, row, Int(composite.integer(at: row)))
  }
  throw NoSuchPlace("mixed value of type \(code)")
}

/// A leaf of mixed values with nested collections.
private func nested(_ editor: RealmEditor) throws -> Node {
  try editor.node(
    try editor.leaf("any", of: "Doc") { leaf in
      try leaf.count == 6 && leaf.ref(at: 4) != 0 && leaf.ref(at: 5) != 0
    })
}

/// Keys and values of a dictionary of `Dicts` with at least three entries.
private func dictionary(
  _ editor: RealmEditor, _ property: String
) throws -> (root: Ref, keys: Node, values: Node) {
  let root = try editor.root(property, of: "Dicts") { top in
    let keys = try editor.node(try top.ref(at: 0))
    return !keys.isInner && !keys.hasRefs && keys.count >= 3 && keys.width > 1
  }
  return (root, try editor.node(editor.child(root, 0)), try editor.node(editor.child(root, 1)))
}

/// Defects of mixed values and collections.
let valueDefects: [SeededDefect] = [
  SeededDefect(.mixedSlots, "all-types") { editor in
    editor.count(try editor.leaf("any", of: "AllTypes"), 5)
  },
  SeededDefect(.mixedType, "all-types", also: [.linkNotCompared]) { editor in
    let int = try mixed(editor, 0)
    try editor.set(int.composite, int.row, int.raw & ~0x1F | 4)
  },
  SeededDefect(.mixedIndex, "all-types", also: [.linkNotCompared]) { editor in
    let string = try mixed(editor, 2)
    try editor.set(string.composite, string.row, string.raw & 0xFF | 100 << 8)
  },
  SeededDefect(.mixedPayloadUse, "all-types") { editor in
    let (string, binary) = (try mixed(editor, 2), try mixed(editor, 4))
    try editor.set(binary.composite, binary.row, string.raw & ~0x1F | 5)
  },
  SeededDefect(.mixedInline, "all-types") { editor in
    let bool = try mixed(editor, 1)
    try editor.set(bool.composite, bool.row, bool.raw & 0xFF | 2 << 8)
  },
  SeededDefect(.mixedIdentifierSize, "all-types", also: [.linkNotCompared]) { editor in
    let string = try mixed(editor, 2)
    try editor.set(string.composite, string.row, string.raw & ~0x1F | 16)
  },
  SeededDefect(.mixedCollectionKey, "nested-mixed") { editor in
    let keys = try editor.node(try nested(editor).ref(at: 5))
    for i in 0..<keys.count { try editor.set(keys.ref, i, 0) }
  },
  SeededDefect(.mixedKeyArray, "nested-mixed", also: [.mixedCollectionKey]) { editor in
    let keys = try editor.node(try nested(editor).ref(at: 5))
    editor.count(keys.ref, keys.count - 1)
  },
  SeededDefect(.mixedFormat, "nested-mixed", also: [.topHistorySchema]) { editor in
    editor.bytes[20 + Int(editor.bytes[23] & 1)] = 23
  },
  SeededDefect(
    .valueDepth, "nested-mixed", also: [.storageNodeOverlap, .storageLeak, .linkNotCompared]
  ) { editor in
    // {"items": [{"deeper": […]}]}: the innermost list becomes the list around it.
    let outer = try editor.child(nested(editor).ref(at: 4), 0)
    let list = try editor.child(editor.child(editor.child(outer, 1), 4), 0)
    let dictionary = try editor.child(editor.child(list, 4), 0)
    try editor.set(editor.child(editor.child(dictionary, 1), 4), 0, list)
  },

  SeededDefect(.setOrder, "all-types") { editor in
    let root = try editor.root("int", of: "Sets") { $0.count >= 2 && $0.width >= 8 }
    try editor.swap(root, 0, 1)
  },
  SeededDefect(.dictionarySlots, "all-types", also: [.storageLeak]) { editor in
    editor.count(try dictionary(editor, "bool").root, 1)
  },
  SeededDefect(.dictionaryCounts, "all-types", also: [.storageLeak]) { editor in
    let keys = try dictionary(editor, "bool").keys
    editor.count(keys.ref, keys.count - 1)
  },
  SeededDefect(.dictionaryKey, "all-types") { editor in
    let keys = try dictionary(editor, "bool").keys
    let start = keys.ref + 8
    editor.bytes.replaceSubrange(
      start..<start + keys.width,
      with: [UInt8](repeating: 0, count: keys.width - 1) + [UInt8(keys.width)])
  },
  SeededDefect(.dictionaryUniqueKeys, "all-types", also: [.dictionaryOrder]) { editor in
    let keys = try dictionary(editor, "bool").keys
    let start = keys.ref + 8
    editor.bytes.replaceSubrange(
      start..<start + keys.width, with: editor.bytes[start + keys.width..<start + keys.width * 2])
  },
  SeededDefect(.dictionaryOrder, "all-types") { editor in
    let keys = try dictionary(editor, "bool").keys
    let start = keys.ref + 8
    let (first, second) = (start..<start + keys.width, start + keys.width..<start + keys.width * 2)
    let (a, b) = (Array(editor.bytes[first]), Array(editor.bytes[second]))
    editor.bytes.replaceSubrange(first, with: b)
    editor.bytes.replaceSubrange(second, with: a)
  },
  SeededDefect(.dictionaryValueType, "all-types") { editor in
    let values = try dictionary(editor, "bool").values
    try editor.set(try editor.child(values.ref, 0), 0, 1)
  },
  SeededDefect(.linkContext, "links") { editor in
    editor.flags(try editor.root("friends", of: "Person")) { $0 | 0x20 }
  },
  SeededDefect(.linkNullElement, "links", also: [.linkBacklinkMismatch]) { editor in
    try editor.set(try editor.root("dogs", of: "Person") { $0.width >= 8 && !$0.isInner }, 0, -1)
  },
]
