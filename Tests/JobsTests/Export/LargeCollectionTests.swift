import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Collections of more elements than a batch holds, in hand-built trees. An export reads them while it writes.
@Suite("Large collections")
struct LargeCollectionTests {
  /// Elements of one leaf.
  private static let leafCount = 1000

  private func refs(flags: UInt8, _ elements: [Int]) -> [UInt8] {
    node(
      flags: flags | 6, count: elements.count,
      elements.flatMap { littleEndianBytes($0, count: 4) })
  }

  /// Appends a B+tree with `leafCount` leaves; `leaf` appends the leaf with a number.
  private func tree(
    of leafCount: Int, in realm: inout EditedRealm, _ leaf: (Int, inout EditedRealm) -> Int
  ) -> Int {
    let leaves = (0..<leafCount).map { leaf($0, &realm) }
    let total = leafCount * LargeCollectionTests.leafCount
    return realm.append(
      refs(flags: 0xC0, [LargeCollectionTests.leafCount << 1 | 1] + leaves + [total << 1 | 1]))
  }

  /// A leaf with the mixed values 1000 · `number` and so on.
  private func integers(_ number: Int, in realm: inout EditedRealm) -> Int {
    let count = LargeCollectionTests.leafCount
    // Type code 0 plus one, and the value above the lowest byte.
    let composites = realm.append(
      node(
        flags: 0x06, count: count,
        (0..<count).flatMap { littleEndianBytes((number * count + $0) << 8 | 1, count: 4) }))
    return realm.append(refs(flags: 0x40, [composites, 0, 0, 0, 0, 0]))
  }

  /// A leaf with keys of seven digits, in elements of eight bytes.
  private func keys(_ number: Int, in realm: inout EditedRealm) -> Int {
    let count = LargeCollectionTests.leafCount
    return realm.append(
      node(
        flags: 0x0C, count: count,
        (0..<count).flatMap { Array(key(number * count + $0).utf8) + [0] }))
  }

  private func key(_ number: Int) -> String { String(String(10_000_000 + number).dropFirst()) }

  private func text(_ realm: RealmEditor, _ format: ObjectTextFormat) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = try folder.write(realm.bytes, to: "x.realm")
    let exported = try export(path, as: format, jobs: 1)
    #expect(try export(path, as: format, jobs: 4).bytes == exported.bytes)
    return exported.bytes
  }

  /// Each was checked together with all others, which took seconds.
  @Test("many small collections in one mixed value")
  func manyNested() throws {
    let folder = try TemporaryFolder()
    let value = (0..<60_000).map { #"{"a":[1,"\#($0)"]}"# }.joined(separator: ",")
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"T","keyMember":"_key","properties":{"any":"mixed"}}],
      "objects":{"T":[{"_key":0,"any":[\(value)]}]}}
      """
    let path = try folder.importRealm(text, as: "x")
    try expectNoErrors(path)
    #expect(try realmJSON(of: path)["objects"] == (try JSONParser.parse(text))["objects"])
  }

  @Test("a dictionary that is stored in order", arguments: [70, 131])
  func dictionary(leafCount: Int) throws {
    let editor = try RealmEditor("all-types.realm")
    let root = try editor.root("int", of: "Dicts") { $0.width >= 32 }
    let keys = tree(of: leafCount, in: &editor.edited, self.keys)
    let values = tree(of: leafCount, in: &editor.edited, integers)
    editor.edited.setElement(0, of: root, to: keys)
    editor.edited.setElement(1, of: root, to: values)
    let objects = try JSONParser.parseLines(try text(editor, .ndjson))
    let large = objects.compactMap { $0["object"]?["int"]?.members }.filter { $0.count > 65_536 }
    let numbers = 0..<leafCount * LargeCollectionTests.leafCount
    #expect(large.count == 1)
    #expect(large.first?.map(\.name) == numbers.map(key))
    #expect(large.first?.map(\.value.int) == numbers.map { $0 })
  }

  @Test("a dictionary with more keys than values is damaged, however large")
  func counts() throws {
    let editor = try RealmEditor("all-types.realm")
    let root = try editor.root("int", of: "Dicts") { $0.width >= 32 }
    let keys = tree(of: 70, in: &editor.edited, self.keys)
    let values = tree(of: 69, in: &editor.edited, integers)
    editor.edited.setElement(0, of: root, to: keys)
    editor.edited.setElement(1, of: root, to: values)
    let error = #expect(throws: (any Error).self) { try text(editor, .ndjson) }
    #expect("\(try #require(error))".contains("dictionary.counts"))
  }

  /// The output of a column is made for all objects at one time, and discarded once it exceeds 4 MB.
  /// By then half of a large collection in a mixed value had been read, and that half was missing.
  @Test("a long list in a mixed value is written completely")
  func nestedList() throws {
    let leafCount = 160
    let editor = try RealmEditor(path: Lived.path("deep.realm"))
    let leaf = try editor.leaf("any", of: "Top") { leaf in
      try editor.node(try editor.child(leaf.ref, 4)).width >= 32
    }
    let root = tree(of: leafCount, in: &editor.edited, integers)
    let lists = try editor.child(leaf, 4)
    let composites = try editor.node(try editor.child(leaf, 0))
    // Type code 19 plus one and payload slot 4: a list; its position is above the lowest byte.
    let list = try #require(
      (0..<composites.count).map { composites.integer(at: $0) }.first { $0 & 0xFF == 20 | 4 << 5 })
    editor.edited.setElement(Int(list >> 8), of: lists, to: root)
    let numbers = 0..<leafCount * LargeCollectionTests.leafCount
    let expected = numbers.map { "{\"$numberLong\": \"\($0)\"}" }.joined(separator: ",")
    let text = Data(try text(editor, .coreXJSONPlus))
    #expect(text.range(of: Data("[\(expected)]".utf8)) != nil)
  }
}
