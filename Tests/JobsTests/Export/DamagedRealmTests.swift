import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmModel

/// Small damage made by hand. Each case once did harm, or could have.
@Suite("Damaged realms")
struct DamagedRealmTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Found by the fuzzer: `info` counts the entries of the history from its root. It read element 0
  /// of a root without elements, which trapped.
  @Test("a history whose leaf has no elements is damaged")
  func historyWithoutElements() throws {
    let realm = try RealmEditor("empty.realm")
    realm.bytes.replaceSubrange(realm.top.history + 5..<realm.top.history + 8, with: [0, 0, 0])
    let path = try folder.write(realm.bytes, to: "x.realm")
    let error = #expect(throws: (any Error).self) { try InfoJob(path: path, key: nil).run() }
    #expect(error?.fileKind == .damaged(.leafSmallBlobs))
    #expect(error?.path == path)
  }

  /// Two objects that each own the other twice made an export of 2²⁰⁰ objects: look-ups do not count as
  /// steps of a traversal.
  @Test("an embedded object with two owners is damaged")
  func twoOwners() throws {
    let realm = try RealmEditor("links.realm")
    let leaf = try realm.node(try realm.leaf("address", of: "Person"))
    let owners = (0..<leaf.count).filter { leaf.integer(at: $0) != 0 }
    #expect(owners.count > 1)
    realm.edited.setElement(owners[1], of: leaf.ref, to: Int(leaf.integer(at: owners[0])))
    try expectDamage(.linkEmbeddedShared, realm, className: "Person", property: "address")
  }

  /// Two chains of 400 embedded objects, which the reference made, become one.
  @Test("objects nested deeper than the limit are refused and do not crash the reader")
  func tooDeep() throws {
    let realm = try RealmEditor(path: Lived.path("deep.realm"))
    let tops = try realm.leaf("child", of: "Top")
    // A link is stored as key + 1; key 65536 follows key 255, in the next cluster.
    let second = realm.edited.element(1, of: tops)
    realm.edited.setElement(1, of: tops, to: 0)
    // The object before the second chain is the last one of the first.
    let (cluster, row) = ((second - 1) >> 16, (second - 1) & 255 - 1)
    let column = try realm.column("child", of: "Node")
    let leaf = try realm.child(try realm.clusters("Node")[cluster], 1 + column.key.leafIndex)
    #expect(realm.edited.element(row, of: leaf) == 0)
    realm.edited.setElement(row, of: leaf, to: second)
    try expectDamage(.valueDepth, realm, className: "Node", property: "child")
  }

  /// Each part of an export opens only a few clusters, but the output would have any number of objects.
  @Test("a tree whose clusters are all the same node is damaged")
  func repeatedCluster() throws {
    let realm = try RealmEditor("people.realm")
    try realm.repeatFirstCluster(of: "Person", times: 250)
    try expectDamage(.storageNodeOverlap, realm, className: "Person")
  }

  /// If all leaves of a tree are one node of width 0, the tree has a thousand members per two-byte
  /// ref. A set is sorted in memory, which took hundreds of megabytes for a small file.
  @Test("a set with more members than can differ is damaged")
  func endlessSet() throws {
    let realm = try RealmEditor("all-types.realm")
    let leaf = realm.edited.append(node(flags: 0x08, count: 1000))
    // 36 · 36 leaves: more rows than the file has bytes.
    func parent(of child: Int) -> [UInt8] {
      refs(flags: 0xC0, [3] + Array(repeating: child, count: 36) + [1])
    }
    let inner = realm.edited.append(parent(of: leaf))
    let root = realm.edited.append(parent(of: inner))
    let (table, column, sets) = try realm.leaf { $0.collection == .set && $0.type == .string }
    realm.edited.setElement(0, of: sets.ref, to: root)
    try expectDamage(
      .setOrder, realm, className: table.className.text, property: column.name.text)
  }

  /// The name of a property precedes each value: a name of kilobytes, which blobs can hold, made
  /// an output of gigabytes.
  @Test("names that are not short strings are damaged")
  func longNames() throws {
    let realm = try RealmEditor("people.realm")
    let node = try realm.reader.nodes.node(at: realm.top.tableNames)
    realm.bytes[node.ref + 4] = 0x66
    try expectDamage(.specNames, realm)
  }

  /// Only a value of more than 16 MB is stored in pieces, which are joined in a copy: many small
  /// pieces, all the same node, took any amount of memory.
  @Test("a value in small pieces is damaged")
  func smallPieces() throws {
    let realm = try RealmEditor("strings.realm")
    let (table, column, leaf) = try realm.leaf({ $0.type == .binary }, where: \.hasContext)
    let piece = realm.edited.append(node(flags: 0x10, count: 8, [1, 2, 3, 4, 5, 6, 7, 8]))
    let pieces = realm.edited.append(refs(flags: 0x60, [piece, piece]))
    let row = try #require((0..<leaf.count).first { leaf.integer(at: $0) != 0 })
    realm.edited.setElement(row, of: leaf.ref, to: pieces)
    try expectDamage(
      .leafBlob, realm, className: table.className.text, property: column.name.text)
  }

  private func expectDamage(
    _ rule: Rule, _ realm: RealmEditor, className: String? = nil, property: String? = nil
  ) throws {
    let path = try folder.write(realm.bytes, to: "x.realm")
    for format in [ObjectTextFormat.json, .coreXJSONPlus, .ejson, .plain, .csv] {
      // The reference exports the members of a set in stored order.
      if rule == .setOrder, format.isCore { continue }
      let damage = try #require(throws: RealmFileError.self) {
        try export(path, as: format)
      }
      #expect(damage.kind == .damaged(rule))
      #expect(damage.className == className)
      #expect(damage.property == property)
    }
  }
}

/// A node of refs and tagged integers, 32 bits each.
private func refs(flags: UInt8, _ elements: [Int]) -> [UInt8] {
  node(
    flags: flags | 6, count: elements.count, elements.flatMap { littleEndianBytes($0, count: 4) })
}

extension RealmEditor {
  /// The first leaf of a wanted property whose elements have room for any ref.
  fileprivate func leaf(
    _ isWanted: (Column) -> Bool, where isLeafWanted: (Node) -> Bool = { _ in true }
  ) throws -> (table: Table, column: Column, leaf: Node) {
    for table in realm.schema.classes {
      for column in table.columns where isWanted(column) {
        for position in try reader.clusters(of: table) {
          let cluster = try reader.cluster(position)
          let leaf = try node(try cluster.leaf(at: column.key.leafIndex))
          if leaf.width >= 32, isLeafWanted(leaf) { return (table, column, leaf) }
        }
      }
    }
    throw NoSuchPlace("such a property")
  }
}
