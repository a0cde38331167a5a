import Foundation
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Realms of two imported versions, with a damaged newest version.
@Suite("Salvaging realms of two imports")
struct ImportedVersionTests {
  @Test("an import into a realm rewrites it, so there is no older version")
  func wholeFile() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("target.realm")
    for (i, text) in [
      Self.text(Self.itemWithKey, Self.keyed(0..<300, id: Self.id, value: 0)),
      Self.text(Self.itemWithKey, Self.keyed(200..<340, id: Self.id, value: 1000)),
    ].enumerated() {
      let source = try folder.write(Array(text.utf8), to: "\(i).json")
      let target = ImportJob.Target(path: path, key: nil, mode: .upsert)
      _ = try ImportJob(
        path: source, to: i == 0 ? .new(path, replacing: false, key: nil) : .existing(target)
      ).run()
    }
    var request = SalvageRequest(path: path)
    (request.fillsFromPrevious, request.includesFreed) = (true, true)
    let report = try SalvageJob(request).run(
      to: .realm(folder.path("saved.realm"), replacing: false))
    #expect(report.isComplete && report.olderVersions.isEmpty)
    #expect(report.classes.map(\.objects) == [340])
  }

  @Test("objects of a lost cluster have the values of the import before")
  func cluster() throws {
    var fixture = try Self.fixture(
      Self.itemWithKey,
      (
        Self.keyed(0..<300, id: Self.id, value: 0), Self.keyed(200..<340, id: Self.id, value: 1000)
      ))
    let lost = try lose(1, of: "Item", in: &fixture)
    let report = try fixture.salvage(fills: true, freed: true)
    let newest = try DamagedFixture.objects(of: "Item", in: fixture.original)
    let previous = try DamagedFixture.objects(
      of: "Item", in: fixture.original, version: .previous)
    var expected = newest
    for key in lost { expected[key] = previous[key] }
    #expect(lost.count == 44)
    #expect(try DamagedFixture.objects(of: "Item", in: fixture.target) == expected)
    #expect(filledObjects(report, "Item") == lost)
    let row = try #require(report.classes.first { $0.name == "Item" })
    // All objects that the tree counts were found, so the node is not reported again.
    #expect(row.filledObjects == 44 && row.lost == 0 && row.freedObjects == 0)
    #expect(!report.losses.contains { $0.objectKeys.isEmpty })
    #expect(!report.isComplete && !report.classes.contains { $0.freedOf != nil })
  }

  @Test("a lost leaf has the values of the import before, those of later imports stay")
  func leaf() throws {
    var fixture = try Self.fixture(
      Self.itemWithKey,
      (
        Self.keyed(0..<300, id: Self.id, value: 0), Self.keyed(200..<340, id: Self.id, value: 1000)
      ))
    let cluster = try fixture.clusters(of: "Item")[1]
    // The leaves are those of id, value and note.
    fixture.destroy(nodeAt: cluster.leaves[2])
    let report = try fixture.salvage(fills: true)
    let newest = try DamagedFixture.objects(of: "Item", in: fixture.original)
    let previous = try DamagedFixture.objects(
      of: "Item", in: fixture.original, version: .previous)
    let reported = Dictionary(
      report.losses.filter { $0.className == "Item" }.flatMap { loss in
        loss.objectKeys.map { ("\($0) \(loss.property ?? "")", loss.filledFrom) }
      }, uniquingKeysWith: { first, _ in first })
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    #expect(saved.keys == newest.keys)
    var filledCount = 0
    for (key, values) in saved {
      for (property, value) in values {
        switch reported["\(key) \(property)"] {
        case nil: #expect(value == newest[key]?[property], "\(property) of \(key)")
        case .some(.some):
          filledCount += 1
          #expect(value == previous[key]?[property], "\(property) of \(key)")
        case .some(nil): #expect(previous[key] == nil, "\(property) of \(key)")
        }
      }
    }
    #expect(filledCount >= 44)
  }

  @Test("an object whose primary key is not UTF-8 is not filled, but reported")
  func brokenKeys() throws {
    var fixture = try Self.fixture(
      Self.itemWithKey,
      (
        Self.keyed(0..<300, id: Self.id, value: 0), Self.keyed(200..<340, id: Self.id, value: 1000)
      ))
    let leaf = try fixture.clusters(of: "Item", version: .previous)[1].leaves[0]
    let keys = try lose(1, of: "Item", in: &fixture)
    var broken = Set<Int64>()
    let previous = try DamagedFixture.objects(
      of: "Item", in: fixture.original, version: .previous)
    for number in [260, 261] {
      let text = Array(Self.id(number).utf8)
      let place = try #require(
        (leaf..<leaf + 4096).first { fixture.bytes[$0..<$0 + text.count].elementsEqual(text) })
      fixture.bytes[place + 2] = 0xFF
      broken.insert(
        try #require(previous.first { $0.value["id"] == .string(Self.id(number)) }).key)
    }
    let report = try fixture.salvage(fills: true)
    #expect(filledObjects(report, "Item") == keys.subtracting(broken))
    #expect(lostObjects(report, "Item") == broken)
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    #expect(Set(saved.keys).isDisjoint(with: broken))
  }

  @Test("an unreadable primary key hides no other key of its cluster")
  func unreadableKey() throws {
    var fixture = try Self.fixture(
      Self.itemWithKey,
      (
        Self.keyed(0..<300, id: Self.longID, value: 0),
        Self.keyed(300..<340, id: Self.longID, value: 1000)
      ))
    let keys = try lose(1, of: "Item", in: &fixture)
    let (leaves, reader) = (
      try fixture.clusters(of: "Item")[0].leaves,
      try RealmReader(try Realm(path: fixture.original))
    )
    // An object of the version before gets the key of a readable one.
    let previous = try DamagedFixture.objects(
      of: "Item", in: fixture.original, version: .previous)
    let twin = try #require(
      previous.first { $0.value["id"] == .string(Self.longID(280)) }
    ).key
    #expect(replace(Self.id(280), by: Array(Self.id(200).utf8), in: &fixture) > 0)
    fixture.destroy(nodeAt: try reader.nodes.lookUp(leaves[0]).ref(at: 3))
    let report = try fixture.salvage(fills: true)
    #expect(filledObjects(report, "Item") == keys.subtracting([twin]))
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    #expect(saved[twin] == nil)
    #expect(saved.values.count { $0["id"] == .string(Self.longID(200)) } == 1)
  }

  @Test("a cluster with the keys of another one is lost completely, and filled")
  func keyBeyondCluster() throws {
    func items(_ numbers: Range<Int>, marks: Int) -> [String] {
      numbers.map { number in
        let elements = (0..<marks).map { String(number + $0) }.joined(separator: ",")
        return #"{"_key":\#(8 * number),"value":\#(number),"marks":[\#(elements)],"tags":[]}"#
      }
    }
    var fixture = try Self.fixture(
      Self.item, (items(0..<256, marks: 250), items(256..<300, marks: 1)))
    let clusters = try fixture.clusters(of: "Item")
    let limit = Int(clusters[1].base - clusters[0].base)
    var edited = EditedRealm(fixture.bytes)
    // Larger lists: the objects of the cluster have too many elements for one batch.
    let marks = clusters[0].leaves[1]
    for row in 0..<4 {
      let list = edited.append(
        node(flags: 0x04, count: 1000, Array(repeating: 7, count: 1000)))
      edited.setElement(row, of: marks, to: list)
    }
    let keys = edited.element(0, of: clusters[0].ref)
    #expect(edited.count(of: keys) == 256 && edited.element(255, of: keys) < limit)
    edited.setElement(255, of: keys, to: limit + 3)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage(fills: true)
    let objects = Set((0..<256 as Range<Int64>).map { 8 * $0 })
    #expect(filledObjects(report, "Item") == objects)
    #expect(lostObjects(report, "Item").contains(Int64(limit + 3)))
    let newest = try DamagedFixture.objects(of: "Item", in: fixture.original)
    #expect(try DamagedFixture.objects(of: "Item", in: fixture.target) == newest)
  }

  @Test("links to objects of a cluster with the key of another one are null")
  func linksBeyondCluster() throws {
    let schema = #"{"name":"Item","keyMember":"_key","properties":{"next":"Item?"}}"#
    let items = (0..<300).map { number in
      #"{"_key":\#(8 * number),"next":\#(number < 256 ? "null" : "40")}"#
    }
    var fixture = try Self.fixture(schema, (items, []))
    let clusters = try fixture.clusters(of: "Item")
    var edited = EditedRealm(fixture.bytes)
    edited.setElement(
      255, of: edited.element(0, of: clusters[0].ref),
      to: Int(clusters[1].base - clusters[0].base) + 3)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    #expect(report.nulledLinks == 44 && lostObjects(report, "Item").count == 256)
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    #expect(saved.count == 44 && saved.values.allSatisfy { $0["next"] == .null })
  }

  @Test("losses in a large collection of the newest version are reported")
  func largeCollection() throws {
    var fixture = try Self.taggedFixture()
    // In an undamaged realm, a string may be anything.
    fixture.destroy(nodeAt: try fixture.clusters(of: "Item")[1].leaves[0])
    #expect(replace("tag-145678", by: [0x74, 0xFF], in: &fixture) > 0)
    let report = try fixture.salvage()
    #expect(report.losses.count { $0.property == "tags" && $0.objectKeys == [0] } == 1)
    let keys = report.losses.flatMap(\.objectKeys)
    let row = try #require(report.classes.first { $0.name == "Item" })
    #expect(row.lostValues == keys.count && row.partial == keys.count && keys.count > 1)
  }

  @Test("losses in a large collection of an older version are reported")
  func largeOlderCollection() throws {
    var fixture = try Self.taggedFixture()
    #expect(try lose(0, of: "Item", in: &fixture) == [0])
    #expect(replace("tag-145678", by: [0x74, 0xFF], in: &fixture) > 0)
    let report = try fixture.salvage(fills: true)
    #expect(filledObjects(report, "Item") == [0])
    let reported = report.losses.filter { $0.property == "tags" && $0.objectKeys == [0] }
    #expect(reported.count == 1 && reported.allSatisfy { $0.filledFrom == nil })
    let row = try #require(report.classes.first { $0.name == "Item" })
    #expect(row.lostValues == 1 && row.partial == 1)
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    guard case .list(let tags)? = saved[0]?["tags"] else {
      Issue.record("no tags")
      return
    }
    #expect(tags.count == 69_999 && tags[45_678] == .string("tag-145679"))
  }

  @Test("a lost node is reported if it is unknown whether all of its objects are filled")
  func unknownCount() throws {
    var fixture = try DamagedFixture(
      importing: (
        Self.text(Self.itemWithKey, Self.keyed(0..<10, id: Self.id, value: 0)),
        Self.text(Self.itemWithKey, Self.keyed(0..<20, id: Self.id, value: 0))
      ), isSecondWhole: true)
    let keys = try lose(0, of: "Item", in: &fixture)
    let report = try fixture.salvage(fills: true)
    #expect(keys.count == 10 && filledObjects(report, "Item") == keys)
    // Nothing shows that there were 20.
    #expect(
      report.losses.contains {
        $0.className == "Item" && $0.extent == .objects && $0.objectKeys.isEmpty
      })
  }

  @Test("values of a property that gets another name are reported as filled")
  func renamed() throws {
    let schema = Self.itemWithKey.replacingOccurrences(of: "note", with: "remarkable")
    func items(_ numbers: Range<Int>, value: Int) -> [String] {
      Self.keyed(numbers, id: Self.id, value: value).map {
        $0.replacingOccurrences(of: "\"note\"", with: "\"remarkable\"")
      }
    }
    var fixture = try Self.fixture(schema, (items(0..<300, value: 0), items(200..<340, value: 10)))
    fixture.destroy(nodeAt: try fixture.clusters(of: "Item")[1].leaves[2])
    #expect(replace("remarkable", by: Array("re\0".utf8), in: &fixture) > 0)
    let report = try fixture.salvage(fills: true)
    #expect(report.renamed.contains { $0.new == "property_2" })
    let filled = report.losses.filter { $0.filledFrom != nil }.flatMap(\.objectKeys)
    let row = try #require(report.classes.first { $0.name == "Item" })
    #expect(row.filledValues >= 44 && filled.count == row.filledValues)
  }

  @Test("objects that were found without a key are not filled again from an older version")
  func unknownObjects() throws {
    var fixture = try Self.fixture(
      Self.itemWithKey,
      (Self.keyed(0..<600, id: Self.id, value: 0), Self.keyed(600..<1100, id: Self.id, value: 0)))
    let (table, reader) = try fixture.table("Item")
    let old = Set(
      try fixture.clusters(of: "Item", version: .previous).flatMap { [$0.ref] + $0.leaves })
    let cluster = try fixture.clusters(of: "Item")[2]
    #expect(!old.contains(cluster.leaves[0]) && !old.contains(table.clusters))
    #expect(try reader.nodes.lookUp(table.clusters).isInner)
    fixture.destroy(nodeAt: table.clusters)
    fixture.destroy(nodeAt: cluster.leaves[0])
    let report = try fixture.salvage(fills: true)
    var values: [RealmValue] = []
    for name in report.classes.map(\.name) where name.hasSuffix("Item") {
      values += try DamagedFixture.objects(of: name, in: fixture.target).values.compactMap {
        $0["note"]
      }
    }
    #expect(report.classes.contains { $0.lostKeysOf == "Item" && $0.objects > 0 })
    #expect(Set(values.map { "\($0)" }).count == values.count && values.count > 600)
  }

  @Test("deleted objects stay deleted if the objects of a lost cluster were found")
  func deleted() throws {
    var fixture = try DamagedFixture(
      importing: (
        Self.text(Self.itemWithKey, Self.keyed(0..<20, id: Self.id, value: 0)),
        Self.text(Self.itemWithKey, Self.keyed(0..<12, id: Self.id, value: 0))
      ), isSecondWhole: true)
    fixture.destroy(nodeAt: try fixture.clusters(of: "Item")[0].ref)
    let report = try fixture.salvage(fills: true, freed: true)
    let row = try #require(report.classes.first { $0.name == "Item" })
    #expect(report.foundObjects == 12 && row.objects == 12 && row.filledObjects == 0)
    #expect(report.classes.first { $0.freedOf == "Item" }?.freedObjects == 8)
  }

  @Test(
    "damage that is found while searching other objects is filled, too", arguments: [300, 256])
  func damagedSince(count: Int) throws {
    let other = Self.itemWithKey.replacingOccurrences(of: "Item", with: "Other")
    func text(_ value: Int) -> String {
      let items = Self.keyed(0..<600, id: Self.id, value: value).joined(separator: ",")
      let others = Self.keyed(0..<count, id: Self.id, value: value).joined(separator: ",")
      return """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
        "schema":[\(Self.itemWithKey),\(other)],"objects":{"Item":[\(items)],"Other":[\(others)]}}
        """
    }
    // A leaf that is unreachable without the root of its tree begins in the sector in which one of another class ends.
    func leaves(_ realm: Realm) throws -> [Int] {
      [
        try DamagedFixture.clusters(of: "Other", in: realm)[0].leaves[1],
        try DamagedFixture.clusters(of: "Item", in: realm)[2].leaves[1],
      ]
    }
    var fixture = try DamagedFixture(
      importing: (text(0), text(5_000_000_000)), neighbours: leaves)
    let nodes = try leaves(Realm(path: fixture.original))
    #expect(nodes[0] / 512 < nodes[1] / 512 && nodes[1] - nodes[0] == 8 + 256 * 8)
    fixture.destroy(nodeAt: try fixture.table("Item").table.clusters)
    fixture.destroy(nodeAt: nodes[1])
    let report = try fixture.salvage(fills: true)
    let filled = report.losses.filter { $0.className == "Other" && $0.filledFrom != nil }
    #expect(Set(filled.map(\.property)) == ["value"])
    let lost = Set(filled.flatMap(\.objectKeys))
    #expect(lost.count == 256)
    let saved = try DamagedFixture.objects(of: "Other", in: fixture.target)
    var expected = try DamagedFixture.objects(of: "Other", in: fixture.original)
    let previous = try DamagedFixture.objects(
      of: "Other", in: fixture.original, version: .previous)
    for key in lost { expected[key]?["value"] = previous[key]?["value"] }
    #expect(saved == expected)
  }

  @Test("the number of objects of older versions is limited, and the report says so")
  func limit() throws {
    let fixture = try Self.fixture(
      Self.itemWithKey,
      (Self.keyed(0..<300, id: Self.id, value: 0), Self.keyed(200..<340, id: Self.id, value: 1000)))
    var damaged = fixture
    _ = try lose(1, of: "Item", in: &damaged)
    let path = try damaged.folder.write(damaged.bytes, to: "damaged.realm")
    var request = SalvageRequest(path: path)
    (request.fillsFromPrevious, request.olderObjectLimit) = (true, 20)
    let report = try SalvageJob(request).run(to: .realm(damaged.target, replacing: true))
    let row = try #require(report.classes.first { $0.name == "Item" })
    #expect(row.filledObjects == 20)
    #expect(report.losses.contains { $0.message.contains("more than 20 objects") })
  }
}
