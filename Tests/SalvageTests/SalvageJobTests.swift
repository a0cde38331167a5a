import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging a realm")
struct SalvageJobTests {
  @Test(
    "an undamaged realm loses nothing",
    arguments: Golden.names.filter { !$0.contains("encrypted") })
  func undamaged(name: String) throws {
    let fixture = try DamagedFixture(name + ".realm")
    let report = try fixture.salvage()
    #expect(report.isComplete && report.losses.isEmpty && report.unreadable.isEmpty)
    for objectClass in report.classes where objectClass.objects > 0 {
      let realm = try Realm(path: fixture.original)
      let table = try #require(
        realm.schema.classes.first { $0.className.text == objectClass.name })
      if table.kind != .embedded { #expect(table.objectCount == objectClass.objects) }
    }
  }

  /// Six crash reports show these bytes at offsets 5 to 11, a record that another library wrote to a
  /// descriptor that had been its own.
  static let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]

  @Test("a TLS alert over the header where slot 0 is live costs nothing")
  func alertOverLiveSlot0() throws {
    var fixture = try DamagedFixture("people.realm")
    // Makes slot 0 live: the other slot names another version.
    let live = fixture.bytes[23] & 1 == 0 ? 0 : 8
    let ref = Array(fixture.bytes[live..<live + 8])
    fixture.bytes.replaceSubrange(0..<8, with: ref)
    fixture.bytes[20] = fixture.bytes[20 + live / 8]
    fixture.bytes[23] = 0
    fixture.bytes.replaceSubrange(5..<12, with: Self.alert)
    let report = try fixture.salvage()
    #expect(report.isComplete)
    #expect(report.roots.first?.origin == .header)
    #expect(
      try DamagedFixture.objects(of: "Person", in: fixture.target)
        == DamagedFixture.objects(of: "Person", in: fixture.original))
  }

  @Test("if slot 1 is live, its root is found by a scan")
  func alertOverLiveSlot1() throws {
    var fixture = try DamagedFixture("people.realm")
    let live = fixture.bytes[23] & 1 == 0 ? 0 : 8
    let (own, other) = (
      Array(fixture.bytes[live..<live + 8]), Array(fixture.bytes[8 - live..<16 - live])
    )
    fixture.bytes.replaceSubrange(0..<8, with: other)
    fixture.bytes.replaceSubrange(8..<16, with: own)
    fixture.bytes[21] = fixture.bytes[20 + live / 8]
    fixture.bytes[23] = 1
    fixture.bytes.replaceSubrange(5..<12, with: Self.alert)
    let report = try fixture.salvage()
    #expect(report.isComplete && !report.headerProblems.isEmpty)
    #expect(report.roots.first?.origin == .scan)
    #expect(
      try DamagedFixture.objects(of: "Person", in: fixture.target)
        == DamagedFixture.objects(of: "Person", in: fixture.original))
  }

  @Test("a header of random bytes costs nothing")
  func noHeader() throws {
    var fixture = try DamagedFixture("people.realm")
    var random = SplitMix64(seed: 7)
    for i in 0..<24 { fixture.bytes[i] = UInt8.random(in: 0...255, using: &random) }
    let report = try fixture.salvage()
    // It is only unknown which version is the newest.
    #expect(report.losses.isEmpty && report.isNewestUnknown && !report.isComplete)
    #expect(
      try DamagedFixture.objects(of: "Company", in: fixture.target)
        == DamagedFixture.objects(of: "Company", in: fixture.original))
  }

  @Test("a byte of an overwritten header is not taken for an old file format")
  func formatWithoutMnemonic() throws {
    var fixture = try DamagedFixture("people.realm")
    for i in 0..<24 { fixture.bytes[i] = 3 }
    let report = try fixture.salvage()
    #expect(report.losses.isEmpty)
    #expect(
      try DamagedFixture.objects(of: "Person", in: fixture.target)
        == DamagedFixture.objects(of: "Person", in: fixture.original))
  }

  @Test("a lost leaf costs one property of its objects, and nothing else")
  func lostLeaf() throws {
    var fixture = try DamagedFixture("people.realm")
    let leaf = try fixture.leaf("Person", "email", cluster: 3)
    fixture.destroy(nodeAt: leaf.lowerBound)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(Set(saved.keys) == Set(original.keys))
    let lost = Set(
      report.losses.filter { $0.property == "email" && $0.className == "Person" }.flatMap(
        \.objectKeys))
    #expect(!lost.isEmpty && lost.count <= 256)
    let row = try #require(report.classes.first { $0.name == "Person" })
    #expect(row.partial >= lost.count && row.complete + row.partial == row.objects && row.lost == 0)
    let reported = Set(
      report.losses.flatMap { loss in loss.objectKeys.map { "\($0) \(loss.property ?? "")" } })
    for (key, values) in original {
      for (property, value) in values where !reported.contains("\(key) \(property)") {
        #expect(saved[key]?[property] == value, "\(property) of \(key)")
      }
    }
  }

  @Test("objects without primary key are in a class of their own, and links to them are null")
  func lostPrimaryKeys() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let leaf = try fixture.leaf("StringPk", "_id", cluster: 1)
    fixture.destroy(nodeAt: leaf.lowerBound)
    let report = try fixture.salvage()
    let lost = try #require(report.classes.first { $0.lostKeysOf == "StringPk" })
    #expect(lost.name == "LostAndFound_StringPk")
    let kept = try #require(report.classes.first { $0.name == "StringPk" })
    let original = try DamagedFixture.objects(of: "StringPk", in: fixture.original)
    #expect(kept.objects + lost.objects == original.count && kept.lost == 0)
    let saved = try DamagedFixture.objects(of: lost.name, in: fixture.target)
    for (key, values) in saved {
      #expect(values["_id"] == .null)
      for (property, value) in values where property != "_id" {
        #expect(original[key]?[property] == value)
      }
    }
    for (key, values) in try DamagedFixture.objects(of: "StringPk", in: fixture.target) {
      #expect(original[key] == values)
    }
  }

  @Test("the objects below a lost inner node are found, with the keys in the index")
  func lostInnerNode() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table("Person")
    let root = try reader.nodes.lookUp(table.clusters)
    #expect(root.isInner)
    fixture.destroy(nodeAt: root.ref)
    let report = try fixture.salvage()
    #expect(report.foundObjects > 2000)
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    for (key, values) in saved { #expect(original[key]?["_id"] == values["_id"]) }
    #expect(saved.count == original.count)
  }

  @Test("a class stays without the names of its properties")
  func lostNames() throws {
    var fixture = try DamagedFixture("links.realm")
    let (table, reader) = try fixture.table("Dog")
    let spec = try reader.nodes.lookUp(try reader.nodes.lookUp(table.ref).ref(at: 0))
    fixture.destroy(nodeAt: try spec.ref(at: 1))
    let report = try fixture.salvage()
    let row = try #require(report.classes.first { $0.name == "Dog" })
    #expect(row.objects == table.objectCount)
    let realm = try Realm(path: fixture.target)
    let dog = try #require(realm.schema.classes.first { $0.className.text == "Dog" })
    #expect(dog.columns.allSatisfy { $0.name.text.hasPrefix("property_") })
  }

  @Test("if the newest root is lost, its tables are recovered, and the report says so")
  func lostRoot() throws {
    var fixture = try DamagedFixture("people.realm")
    let root = EditedRealm(fixture.bytes).top
    fixture.destroy(nodeAt: root)
    let report = try fixture.salvage()
    #expect(report.isRebuilt && !report.isNewestLost && !report.isComplete)
    #expect(
      try DamagedFixture.objects(of: "Person", in: fixture.target)
        == DamagedFixture.objects(of: "Person", in: fixture.original))
  }

  @Test("a damaged page of an encrypted realm costs its contents only")
  func encrypted() throws {
    let key = try Golden.key("people-encrypted")
    var fixture = try DamagedFixture("people-encrypted.realm")
    let leaf = try fixture.clusters(of: "Person", key: key)[1].leaves[0]
    let page = leaf / 4096
    // A page of metadata is before each 64 pages (chapter 1, section 8).
    let place = (page + page / 64 + 1) * 4096
    for i in place..<place + 64 { fixture.bytes[i] ^= 0x5A }
    let report = try fixture.salvage(key: key)
    #expect(
      report.unreadable.contains { $0.clamped(to: page * 4096..<(page + 1) * 4096).count == 4096 })
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original, key: key)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target, key: key)
    #expect(saved.count * 2 > original.count)
    let reported = Set(
      report.losses.flatMap { loss in loss.objectKeys.map { "\($0) \(loss.property ?? "")" } })
    for (key, values) in saved {
      for (property, value) in values where !reported.contains("\(key) \(property)") {
        #expect(original[key]?[property] == value, "\(property) of \(key)")
      }
    }
  }

  @Test("an encrypted realm without its header page has a result, or is refused")
  func encryptedHeader() throws {
    let key = try Golden.key("people-encrypted")
    var fixture = try DamagedFixture("people-encrypted.realm")
    for i in 4096..<4160 { fixture.bytes[i] ^= 0x5A }
    do {
      let report = try fixture.salvage(key: key)
      #expect(report.objectCount > 0 && !report.headerProblems.isEmpty)
    } catch {
      guard case .damagedHeader? = error.fileKind else { throw error }
    }
  }

  @Test("a file without anything to recover is named for what it is")
  func otherFiles() throws {
    let folder = try TemporaryFolder()
    func kind(_ bytes: [UInt8]) throws -> RealmFileError.Kind? {
      let path = try folder.write(bytes, to: "other")
      let error = #expect(throws: (any Error).self) {
        try SalvageJob(SalvageRequest(path: path)).run(
          to: .realm(folder.path("none.realm"), replacing: false))
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path("none.realm")))
      return error?.fileKind
    }
    #expect(try kind([]) == .empty)
    #expect(try kind(Array(repeating: 0, count: 8192)) == .notARealm)
    #expect(try kind(Array("<html>gateway timeout</html> and more of it".utf8)) == .notARealm)
    #expect(try kind(Array("SQLite format 3\0 and more and more".utf8)) == .notARealm)
    #expect(try kind(Golden.bytes("people-encrypted.realm")) == .keyMissing)
    var newer = try Golden.bytes("links.realm")
    newer[20] = 25
    newer[21] = 25
    #expect(try kind(newer) == .newerFormat(25))
  }

  @Test("a truncated realm has a result or is refused, but the result is never empty")
  func truncated() throws {
    for tenths in 1...9 {
      var fixture = try DamagedFixture("people.realm")
      fixture.bytes.removeSubrange((fixture.bytes.count * tenths / 10 & ~7)...)
      do {
        let report = try fixture.salvage()
        #expect(report.objectCount > 0 && !report.isComplete, "\(tenths)")
      } catch {
        guard case .damagedHeader? = error.fileKind else { throw error }
      }
    }
  }

  /// The newest nodes are in the last third of the file, which has free space at its end.
  @Test(
    "a truncated encrypted realm gives back what it had",
    arguments: [(tenths: 3, isWhole: false), (5, true), (9, true)])
  func truncatedEncrypted(tenths: Int, isWhole: Bool) throws {
    let key = try Golden.key("people-encrypted")
    var fixture = try DamagedFixture("people-encrypted.realm")
    fixture.bytes.removeSubrange((fixture.bytes.count * tenths / 10)...)
    // A page of metadata is before each 64 pages of data.
    let pages = fixture.bytes.count / 4096
    let end = (pages - (pages + 64) / 65) * 4096
    let root = try Snapshot(path: fixture.original, key: key).top.ref
    let report = try fixture.salvage(key: key)
    #expect(report.cutOffRoot == (root < end ? nil : root))
    #expect(report.isComplete == (root < end))
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original, key: key)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target, key: key)
    if isWhole { #expect(saved == original) }
    let lost = Set(
      report.losses.filter { $0.className == "Person" }.flatMap { loss in
        loss.objectKeys.map { "\($0) \(loss.property ?? "")" }
      })
    let byId = Dictionary(
      uniqueKeysWithValues: original.values.map { ("\($0["_id"] ?? .null)", $0) })
    for (key, values) in saved {
      let expected = try #require(byId["\(values["_id"] ?? .null)"])
      for (property, value) in values where !lost.contains("\(key) \(property)") {
        #expect(value == expected[property], "\(property) of \(key)")
      }
    }
    // All clusters are before the cut; those whose primary keys are lost are in a class of their own.
    let persons = report.classes.filter { [$0.name, $0.lostKeysOf].contains("Person") }
    #expect(persons.reduce(0) { $0 + $1.objects } == original.count)
  }

  @Test("a realm in streaming form without its header is read from its footer")
  func footer() throws {
    var fixture = try DamagedFixture("people-synced-uploaded-to-local.realm")
    // Streaming form: all bits of the first top ref are set.
    #expect(fixture.bytes[0..<8].allSatisfy { $0 == 0xFF })
    var random = SplitMix64(seed: 11)
    for i in 0..<24 { fixture.bytes[i] = UInt8.random(in: 0...255, using: &random) }
    let report = try fixture.salvage()
    #expect(report.roots.map(\.origin) == [.footer] && !report.headerProblems.isEmpty)
    #expect(report.isComplete && report.losses.isEmpty)
    for name in ["Person", "Company", "Counter"] {
      let original = try DamagedFixture.objects(of: name, in: fixture.original)
      #expect(!original.isEmpty, "\(name)")
      #expect(try DamagedFixture.objects(of: name, in: fixture.target) == original)
    }
  }

  @Test("a lost schema version is reported")
  func lostSchemaVersion() throws {
    var fixture = try DamagedFixture("links.realm")
    #expect(try Realm(path: fixture.original).schemaVersion() != nil)
    fixture.destroy(nodeAt: try fixture.leaf("metadata", "version", cluster: 0).lowerBound)
    let report = try fixture.salvage()
    #expect(!report.isComplete)
    #expect(report.lostSchema.map(\.property) == ["version"])
    #expect(try Realm(path: fixture.target).schemaVersion() == nil)
  }

  @Test("a named root that is missing is an error of the list, too")
  func listOfUnknownRoot() throws {
    let fixture = try DamagedFixture("links.realm")
    var request = SalvageRequest(path: fixture.original)
    request.version = .offset(8)
    let refusal = #expect(throws: RequestError.self) { try SalvageJob(request).listRoots() }
    #expect(refusal?.kind == .noRoot(8))
  }

  /// A chunk of 2⁴⁶ bytes that begins at the top array: a visit of each unit takes minutes.
  @Test("a free chunk behind the end of the file takes no time")
  func hugeChunk() throws {
    var fixture = try DamagedFixture("links.realm")
    var realm = EditedRealm(fixture.bytes)
    let oldSize = realm.bytes.count
    func list(_ value: Int) -> [UInt8] {
      node(flags: 0x07, count: 1, littleEndianBytes(value, count: 8))
    }
    let count = realm.count(of: realm.top)
    try #require(count > 6)
    // Three lists of 16 bytes each, then the top array.
    let refs = [0, 16, 32].map { oldSize + $0 }
    realm.bytes += list(oldSize + 48) + list(1 << 46) + list(0)
    realm.replaceTop { slots in
      for (i, ref) in refs.enumerated() { slots[3 + i] = ref }
    }
    realm.setSlot(2, of: realm.top, to: 1 << 47)
    #expect(realm.top == oldSize + 48)
    fixture.bytes = realm.bytes
    _ = try fixture.salvage()
    #expect(
      try DamagedFixture.objects(of: "Dog", in: fixture.target)
        == DamagedFixture.objects(of: "Dog", in: fixture.original))
  }
}
