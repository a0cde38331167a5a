import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Damage that leaves each node readable: only other nodes show that something is wrong.
@Suite("Salvaging a realm whose nodes contradict each other")
struct ContradictionsTests {
  private func edit(
    _ fixture: inout DamagedFixture, _ change: (inout EditedRealm) throws -> Void
  ) rethrows {
    var edited = EditedRealm(fixture.bytes)
    try change(&edited)
    fixture.bytes = edited.bytes
  }

  /// The parts of the top array of a table, and of its spec.
  private static let (spec, columnKeys) = (0, 5)

  @Test("a class without column keys is not a class without properties")
  func columnKeys() throws {
    var fixture = try DamagedFixture("names-v0.realm")
    let table = try fixture.table("Person").table
    edit(&fixture) { realm in
      let keys = realm.element(Self.columnKeys, of: realm.element(Self.spec, of: table.ref))
      realm.bytes.replaceSubrange(keys + 5..<keys + 8, with: [0, 0, 0])
    }
    let report = try fixture.salvage()
    #expect(report.contradictions.map(\.rule) == [.specLengths] && !report.isComplete)
  }

  @Test("a cluster that states no objects beside leaves with 50 values is not an empty class")
  func objectCount() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let cluster = try fixture.clusters(of: "StringOptPk")[0].ref
    edit(&fixture) { $0.setSlot(0, of: cluster, to: 0) }
    let report = try fixture.salvage()
    #expect(!report.isComplete)
    #expect(report.contradictions.contains { $0.rule == .leafRows })
  }

  @Test(
    "a slot without a table, but with the name of a class, is not a removed class",
    arguments: [0, 1])
  func freeSlot(element: Int) throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let slot = try fixture.table("StringOptPk").table.key.slot
    edit(&fixture) { $0.setElement(slot, of: $0.element(1, of: $0.top), to: element) }
    let report = try fixture.salvage()
    #expect(!report.isComplete && report.contradictionCount > 0)
  }

  @Test("a link to another object than the one with its backlink is lost")
  func link() throws {
    var fixture = try DamagedFixture("links.realm")
    let leaf = try fixture.leaf("Person", "spouse", cluster: 0).lowerBound
    var changed = 0
    edit(&fixture) { realm in
      let row = (0..<realm.count(of: leaf)).first { realm.element($0, of: leaf) > 1 } ?? 0
      // Links are stored as the key of the target plus 1.
      realm.setElement(row, of: leaf, to: realm.element(row, of: leaf) - 1)
      changed = row
    }
    let report = try fixture.salvage()
    #expect(!report.isComplete)
    #expect(report.contradictions.contains { $0.rule == .linkBacklinkMismatch })
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let key = try #require(original.keys.sorted().dropFirst(changed).first)
    #expect(saved[key]?["spouse"]?.text == RealmValue.null.text)
  }

  @Test("a primary key that became null does not become an empty string that links refer to")
  func nullKey() throws {
    var fixture = try DamagedFixture("people.realm")
    let leaf = try fixture.leaf("Company", "_id", cluster: 0).lowerBound
    edit(&fixture) { realm in
      // The last byte of a short string says how many bytes are unused; the width means null.
      let width = Int(realm.bytes[leaf + 4] & 7)
      let size = (1 << width) >> 1
      realm.bytes[leaf + 8 + 6 * size - 1] = UInt8(size)
    }
    let report = try fixture.salvage()
    #expect(!report.isComplete)
    #expect(report.classes.contains { $0.lostKeysOf == "Company" && $0.objects == 1 })
    let ids = try DamagedFixture.objects(of: "Company", in: fixture.target).values.map {
      $0["_id"]?.text ?? ""
    }
    #expect(!ids.contains("\"\"") && !ids.contains(""))
  }

  @Test("a wrong value of one class makes no odd string of another doubtful")
  func otherClass() throws {
    var fixture = try DamagedFixture(
      importing: #"""
        {"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[
        {"name":"A","primaryKey":"i","properties":{"i":"int","s":"string"}},
        {"name":"B","primaryKey":"i","properties":{"i":"int","s":{"type":"string","indexed":true}}}],
        "objects":{"A":[{"i":1,"s":"a\u0000b"},{"i":2,"s":"c\u0000d"}],"B":[{"i":1,"s":"xyz"},{"i":2,"s":"uvw"}]}}
        """#)
    let leaf = try fixture.leaf("B", "s", cluster: 0)
    fixture.bytes[leaf.lowerBound + 8] ^= 1
    let report = try fixture.salvage()
    #expect(report.contradictions.map(\.className) == ["B", "B"] && !report.isComplete)
    #expect(report.losses.isEmpty)
    let saved = try DamagedFixture.objects(of: "A", in: fixture.target)
    #expect(saved.values.map { $0["s"]?.string ?? "" }.sorted() == ["a\0b", "c\0d"])
  }

  @Test("an undamaged realm has no contradictions", arguments: ["people.realm", "all-types.realm"])
  func sound(name: String) throws {
    let report = try DamagedFixture(name).salvage()
    #expect(report.isComplete && report.contradictionCount == 0)
  }
}
