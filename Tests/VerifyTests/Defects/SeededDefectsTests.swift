import Foundation
import RealmVerify
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

/// Golden files with one defect each: verify names the broken rule, and few others.
@Suite("Checks of damaged files")
struct SeededDefectsTests {
  /// The first leaf of the index at `root` with a single object among its entries, and the entry.
  private func single(_ seed: RealmEditor, _ root: Ref) -> (leaf: Ref, slot: Int)? {
    var queue = [root]
    while let ref = queue.popLast() {
      guard let node = try? seed.reader.nodes.lookUp(ref), node.hasContext else { continue }
      for slot in 1..<max(1, node.count) {
        switch node.element(at: slot) {
        case .tagged: return (ref, slot)
        case .ref(let child): queue.append(child)
        case .null: continue
        }
      }
    }
    return nil
  }

  /// A leaf of the index at `root` whose entries are all subindexes or lists, or any other one.
  private func keys(_ seed: RealmEditor, _ root: Ref) throws -> Ref {
    try seed.reader.nodes.lookUp(root).ref(at: 0)
  }

  /// The first indexed column of a class with enough objects, of one of the kinds in `types`.
  private func indexed(
    _ seed: RealmEditor, _ isWanted: (Column, Table) -> Bool
  ) throws -> (table: Table, column: Column) {
    for table in seed.realm.schema.classes where table.objectCount > 2 {
      for column in table.columns where column.index != 0 && isWanted(column, table) {
        return (table, column)
      }
    }
    throw RealmFileError(.unsupported("the golden file has no such column"))
  }

  private func messages(of rule: Rule, _ seed: RealmEditor) throws -> [String] {
    try seed.verify().findings.filter { $0.rule == rule }.map(\.message)
  }

  // MARK: Schema

  @Test("a table of the schema version whose property has another name or type")
  func versionTable() throws {
    let seed = try RealmEditor("people.realm")
    let names = try seed.node(seed.top.tableNames)
    /// Renames a table. The last byte of a short string says how many other bytes are padding.
    func rename(_ table: Table, to name: String) {
      let padding = names.width - 1 - name.utf8.count
      let start = names.ref + 8 + table.key.slot * names.width
      seed.bytes.replaceSubrange(
        start..<start + names.width,
        with: Array(name.utf8) + Array(repeating: 0, count: padding) + [UInt8(padding)])
    }
    rename(try #require(seed.realm.schema.table(named: "metadata")), to: "other")
    rename(try seed.table("Company"), to: "metadata")
    #expect(
      try messages(of: .schemaMetadata, seed) == [
        "the table has no property version, but _id, uuid, ratings, …"
      ])
    let properties = try seed.node(try seed.spec("Company", 1))
    let ratings = properties.ref + 8 + 2 * properties.width
    seed.bytes.replaceSubrange(ratings..<ratings + 7, with: Array("version".utf8))
    #expect(
      try messages(of: .schemaMetadata, seed) == [
        "the property has type dictionary of int, expected int"
      ])
  }

  // MARK: Indexes

  @Test("an entry of another object")
  func alteredEntry() throws {
    let seed = try RealmEditor("primary-keys.realm")
    let (_, column) = try indexed(seed) { column, _ in column.type == .string }
    let (leaf, slot) = try #require(single(seed, column.index))
    let key = seed.edited.element(slot, of: leaf) >> 1
    seed.edited.setSlot(slot, of: leaf, to: key ^ 1)
    let broken = try seed.broken()
    #expect(broken["index.missing-entry"] == 1)
    #expect(Set(broken.keys).isSubset(of: ["index.missing-entry", "index.extra-entry"]))
    #expect(broken["index.extra-entry"] == 1)
  }

  @Test("a wrong chunk key")
  func alteredKey() throws {
    let seed = try RealmEditor("primary-keys.realm")
    let (_, column) = try indexed(seed) { column, _ in column.type == .int }
    let keys = try keys(seed, column.index)
    let last = seed.edited.count(of: keys) - 1
    seed.edited.setElement(last, of: keys, to: seed.edited.element(last, of: keys) ^ 1)
    let broken = try seed.broken()
    #expect((broken["index.extra-entry"] ?? 0) + (broken["index.inner-key"] ?? 0) >= 1)
    #expect(
      Set(broken.keys).isSubset(of: [
        "index.missing-entry", "index.extra-entry", "index.inner-key", "index.key-order",
      ]))
  }

  @Test("two chunk keys that changed places")
  func keyOrder() throws {
    let seed = try RealmEditor("primary-keys.realm")
    let (_, column) = try indexed(seed) { column, _ in column.type == .string }
    let keys = try keys(seed, column.index)
    let (a, b) = (seed.edited.element(0, of: keys), seed.edited.element(1, of: keys))
    seed.edited.setElement(0, of: keys, to: b)
    seed.edited.setElement(1, of: keys, to: a)
    #expect(try seed.broken()["index.key-order"] == 1)
  }

  @Test("a value that changed without its index")
  func alteredValue() throws {
    let seed = try RealmEditor("people.realm")
    let (table, column) = try indexed(seed) { column, table in
      column.type == .int && !column.isNullable
    }
    let leaf = try seed.leaf(of: column.key.leafIndex, in: table)
    seed.edited.setElement(0, of: leaf, to: seed.edited.element(0, of: leaf) ^ 1)
    let broken = try seed.broken()
    #expect(broken["index.missing-entry"] == 1)
    #expect(broken["index.extra-entry"] == 1)
    #expect(
      Set(broken.keys).isSubset(of: [
        "index.missing-entry", "index.extra-entry", "key.duplicate",
      ]))
  }

  @Test("an invalid node of an index")
  func indexNode() throws {
    let seed = try RealmEditor("primary-keys.realm")
    let (_, column) = try indexed(seed) { column, _ in column.type == .string }
    seed.edited.bytes[column.index + 4] &= ~0x20
    let broken = try seed.broken()
    #expect(broken["index.node"] == 1)
    // The index finds no object: reported a few times, then counted.
    #expect(Set(broken.keys) == ["index.node", "index.missing-entry"])
  }

  /// A list of more than two objects below the index at `root`, in one leaf.
  private func firstList(_ seed: RealmEditor, _ root: Ref) -> Ref? {
    var queue = [root]
    while let ref = queue.popLast() {
      guard let node = try? seed.reader.nodes.lookUp(ref) else { continue }
      guard node.hasContext else {
        if !node.hasRefs, node.count > 2 { return ref }
        continue
      }
      for slot in 1..<max(1, node.count) {
        if case .ref(let child) = node.element(at: slot) { queue.append(child) }
      }
    }
    return nil
  }

  @Test("two objects of a list that changed places, and one that is there twice")
  func lists() throws {
    let seed = try RealmEditor("people.realm")
    let (_, column) = try indexed(seed) { column, _ in
      !column.isFulltextIndexed && firstList(seed, column.index) != nil
    }
    let list = try #require(firstList(seed, column.index))
    let (a, b) = (seed.edited.element(0, of: list), seed.edited.element(1, of: list))
    seed.edited.setElement(0, of: list, to: b)
    seed.edited.setElement(1, of: list, to: a)
    #expect(try seed.broken() == ["index.list-order": 1])

    seed.edited.setElement(1, of: list, to: b)
    #expect(try seed.broken() == ["index.duplicate-entry": 1, "index.missing-entry": 1])
  }

  @Test("a key of an inner node that is not the last one of its child")
  func innerKey() throws {
    let seed = try RealmEditor("people.realm")
    let (_, column) = try indexed(seed) { column, _ in
      (try? seed.reader.nodes.lookUp(column.index).isInner) == true
    }
    let keys = try keys(seed, column.index)
    seed.edited.setElement(0, of: keys, to: seed.edited.element(0, of: keys) + 1)
    #expect(try seed.broken() == ["index.inner-key": 1])
  }

  /// Ref of the array of index refs of a table.
  private func indexes(_ seed: RealmEditor, _ table: Table) throws -> Ref {
    seed.edited.element(4, of: table.ref)
  }

  @Test("a primary key without its index")
  func noIndex() throws {
    let seed = try RealmEditor("tasks-local.realm")
    let table = try #require(seed.realm.schema.classes.first { $0.primaryKey != nil })
    let column = table.columns[try #require(table.primaryKey)]
    seed.edited.setElement(column.key.leafIndex, of: try indexes(seed, table), to: 0)
    #expect(try seed.broken() == ["table.primary-key-index": 1, "storage.leak": 1])
  }

  @Test("an index on a property that cannot have one")
  func indexColumn() throws {
    let seed = try RealmEditor("people.realm")
    let table = try #require(
      seed.realm.schema.classes.first { table in
        table.columns.contains { $0.index != 0 } && table.columns.contains { $0.type == .double }
      })
    let index = try #require(table.columns.first { $0.index != 0 }).index
    let column = try #require(table.columns.first { $0.type == .double })
    seed.edited.setElement(column.key.leafIndex, of: try indexes(seed, table), to: index)
    // Two columns have the index now, and for one of them it is right.
    #expect(try seed.broken() == ["index.column": 1, "storage.node-overlap": 1])
  }

  @Test("a word of a full text that changed without its index")
  func fullText() throws {
    let seed = try RealmEditor("people.realm")
    let (table, column) = try indexed(seed) { column, _ in column.isFulltextIndexed }
    let position = try #require(try seed.reader.clusters(of: table).first)
    let cluster = try seed.reader.cluster(position)
    guard case .scalar(.string(let texts)) = try seed.reader.batch(column, of: cluster) else {
      return
    }
    let text = try #require(texts.compactMap { $0 }.first { $0.count > 8 })
    let place = try #require(seed.edited.find(text.bytes))
    // A capital letter makes the same word; a "q" in place of the first letter another one.
    seed.edited.bytes[place] = seed.edited.bytes[place] == UInt8(ascii: "q") ? 0x77 : 0x71
    let broken = try seed.broken()
    // The old word may occur in the string again.
    #expect(Set(broken.keys).isSubset(of: ["index.missing-entry", "index.extra-entry"]))
    #expect(broken["index.missing-entry"] == 1)
  }

  @Test("irregular entries of the reference are reported")
  func irregularities() throws {
    #expect(
      try RealmEditor("indexes.realm").broken() == [
        "index.stale-link": 1, "index.extra-entry": 1, "index.repeated-entry": 1,
        "index.capital-x": 3,
      ])
  }

  @Test("a string that became null is not taken for a link that became null")
  func nullifiedText() throws {
    let seed = try RealmEditor("indexes.realm")
    let table = try seed.table("Any")
    let column = try #require(table.column(named: "any"))
    let leaf = try seed.leaf(of: column.key.leafIndex, in: table)
    // Object 5 has a string; in the first array, 0 is null.
    seed.edited.setElement(5, of: seed.edited.element(0, of: leaf), to: 0)
    let broken = try seed.broken()
    // One of them comes from the reference, in a list of strings.
    #expect(broken["index.extra-entry"] == 2)
    #expect(broken["index.missing-entry"] == 1)
    #expect(broken["index.stale-link"] == 1)
  }

  // MARK: Keys

  @Test("two objects with one primary key")
  func duplicateKey() throws {
    let seed = try RealmEditor("tasks-local.realm")
    let table = try #require(seed.realm.schema.classes.first { $0.primaryKey != nil })
    let column = table.columns[try #require(table.primaryKey)]
    let position = try #require(try seed.reader.clusters(of: table).first)
    let cluster = try seed.reader.cluster(position)
    let batch = try seed.reader.batch(column, of: cluster)
    let leaf = try cluster.leaf(at: column.key.leafIndex)
    switch batch {
    case .scalar(.int): seed.edited.setElement(1, of: leaf, to: seed.edited.element(0, of: leaf))
    case .scalar(.string(let values)):
      let (a, b) = (try #require(values[0]), try #require(values[1]))
      let place = try #require(seed.edited.find(b.bytes))
      if a.count == b.count {
        seed.edited.bytes.replaceSubrange(place..<place + a.count, with: a.bytes)
      }
    case .scalar(.objectId(let values)), .scalar(.uuid(let values)):
      let (a, b) = (try #require(values[0]), try #require(values[1]))
      let place = try #require(seed.edited.find(b.bytes))
      seed.edited.bytes.replaceSubrange(place..<place + a.count, with: a.bytes)
    default: Issue.record("a primary key of another type")
    }
    let broken = try seed.broken()
    #expect(broken["key.duplicate"] == 1)
    #expect(
      Set(broken.keys).isSubset(of: [
        "key.duplicate", "index.missing-entry", "index.extra-entry",
      ]))
  }

  @Test("a tombstone whose key is not derived from its primary key")
  func tombstone() throws {
    let seed = try RealmEditor("unresolved.realm")
    let table = try #require(
      seed.realm.schema.classes.first { $0.tombstones != 0 && $0.primaryKey != nil })
    let position = try #require(try seed.reader.clusters(of: table, tombstones: true).first)
    let cluster = try seed.reader.cluster(position)
    try #require(cluster.count > 0)
    let column = table.columns[try #require(table.primaryKey)]
    let leaf = try cluster.leaf(at: column.key.leafIndex)
    let node = try seed.reader.nodes.lookUp(leaf)
    // The last byte of the payload is part of a value in every kind of leaf of identifiers, and of
    // the only value of an integer leaf.
    let place =
      column.type == .int ? leaf + 8 : leaf + 8 + min(1, node.header.payloadByteCount - 1)
    seed.edited.bytes[place] ^= 1
    let broken = try seed.verify().findings.map(\.rule.rawValue)
    #expect(broken == ["key.tombstone-hash"])
  }

  // MARK: Links

  /// A backlink column of a class with an object that exactly one other object links to.
  private func backlink(
    _ seed: RealmEditor, _ isWanted: (Table) -> Bool
  ) throws -> (table: Table, leaf: Ref, row: Int) {
    for table in seed.realm.schema.classes where isWanted(table) {
      for column in table.backlinkColumns {
        let leaf = try seed.leaf(of: column.key.leafIndex, in: table)
        for row in 0..<seed.edited.count(of: leaf)
        where seed.edited.element(row, of: leaf) & 1 == 1 { return (table, leaf, row) }
      }
    }
    throw RealmFileError(.unsupported("the golden file has no such column"))
  }

  @Test("a backlink to another object")
  func backlinkMismatch() throws {
    let seed = try RealmEditor("links.realm")
    let (_, leaf, row) = try backlink(seed) { $0.kind == .topLevel }
    seed.edited.setElement(row, of: leaf, to: seed.edited.element(row, of: leaf) ^ 2)
    #expect(try seed.broken() == ["link.backlink-mismatch": 2])
  }

  @Test("a link whose target does not exist")
  func dangling() throws {
    let seed = try RealmEditor("links.realm")
    for table in seed.realm.schema.classes {
      for column in table.columns where column.type == .link && column.collection == nil {
        let leaf = try seed.leaf(of: column.key.leafIndex, in: table)
        guard seed.reader.realm.schema.table(column.target ?? table.key)?.kind == .topLevel,
          seed.edited.bytes[leaf + 4] & 7 >= 4,
          let row = (0..<seed.edited.count(of: leaf)).first(where: {
            seed.edited.element($0, of: leaf) > 0
          })
        else { continue }
        seed.edited.setElement(row, of: leaf, to: 0x7F)
        let broken = try seed.broken()
        #expect(broken["link.dangling"] == 1)
        #expect(broken["link.backlink-mismatch"] == 1)
        #expect(broken.count == 2)
        return
      }
    }
    Issue.record("the golden file has no such link")
  }

  @Test("an embedded object without an owner")
  func orphan() throws {
    let seed = try RealmEditor("links.realm")
    let (_, leaf, row) = try backlink(seed) { $0.kind == .embedded }
    seed.edited.setElement(row, of: leaf, to: 0)
    let broken = try seed.broken()
    #expect(broken == ["link.embedded-orphan": 1, "link.backlink-mismatch": 1])
  }

  @Test("a wrong opposite column")
  func opposite() throws {
    let seed = try RealmEditor("links.realm")
    let table = try #require(
      seed.realm.schema.classes.first { $0.columns.contains { $0.type == .link } })
    let column = try #require(table.columns.first { $0.type == .link })
    let opposites = seed.edited.element(8, of: table.ref)
    seed.edited.setElement(
      column.key.leafIndex, of: opposites,
      to: seed.edited.element(column.key.leafIndex, of: opposites) ^ 1)
    let broken = try seed.broken()
    #expect(broken["link.opposite"] != nil)
    #expect(Set(broken.keys).isSubset(of: ["link.opposite", "link.backlink-column"]))
  }
}
