import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging without a schema, without keys, and among zeros")
struct LostSchemaTests {
  private typealias Objects = DamagedFixture.Objects

  /// Destroys the spec of a class and its arrays.
  private func destroySpec(of className: String, in fixture: inout DamagedFixture) throws {
    let (table, reader) = try fixture.table(className)
    let spec = try reader.nodes.lookUp(try reader.nodes.lookUp(table.ref).ref(at: 0))
    for slot in [0, 1, 2, 5] { fixture.destroy(nodeAt: try spec.ref(at: slot)) }
    fixture.destroy(nodeAt: spec.ref)
  }

  @Test(
    "the table shows its primary key, the leaves their types",
    arguments: ["IntPk", "StringPk", "OidPk", "UuidPk"])
  func primaryKeys(className: String) throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    try destroySpec(of: className, in: &fixture)
    let report = try fixture.salvage()
    #expect(!report.isComplete && report.lostSchema.map(\.property) == ["property_0"])
    let original = try DamagedFixture.objects(of: className, in: fixture.original)
    let saved = try DamagedFixture.objects(of: className, in: fixture.target)
    #expect(
      !original.isEmpty && saved.mapValues { $0["property_0"] } == original.mapValues { $0["_id"] })
  }

  @Test("values without a name belong to the column with the same leaf index")
  func columns() throws {
    var fixture = try DamagedFixture("people.realm")
    let columns = try fixture.table("Person").table.columns
    try destroySpec(of: "Person", in: &fixture)
    _ = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(saved.count == original.count)
    var found = Set<String>()
    for column in columns {
      let (name, lostName) = (column.name.text, "property_\(column.key.leafIndex)")
      guard saved.values.contains(where: { $0[lostName] != nil }) else { continue }
      found.insert(name)
      for (key, values) in saved {
        #expect(values[lostName] == original[key]?[name], "\(name) of \(key)")
      }
    }
    // Their forms allow one type only.
    #expect(found.isSuperset(of: ["_id", "firstName", "lastName", "email", "born"]))
  }

  @Test("the index of the primary key has the keys of a cluster that lost them")
  func keysOfClusters() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table("Person")
    for number in [1, 6] {
      let cluster = try reader.nodes.lookUp(try reader.clusters(of: table)[number].ref)
      fixture.destroy(nodeAt: try cluster.ref(at: 0))
    }
    _ = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    // The blocks of the keys are dead, and with them other small nodes.
    #expect(Set(saved.keys).isSubset(of: original.keys) && saved.count > original.count * 9 / 10)
    for (key, values) in saved { #expect(values["_id"] == original[key]?["_id"]) }
  }

  @Test("without the inner node, a cluster is found although its keys are lost too")
  func keysWithoutTree() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table("Person")
    let cluster = try reader.nodes.lookUp(try reader.clusters(of: table)[10].ref)
    fixture.destroy(nodeAt: try cluster.ref(at: 0))
    fixture.destroy(nodeAt: table.clusters)
    _ = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    let ids = { (objects: Objects) in Set(objects.values.compactMap { $0["_id"] }) }
    #expect(ids(saved).isSubset(of: ids(original)) && saved.count > original.count * 9 / 10)
  }

  /// The last cluster of UuidPk ends 216 bytes after the start of block 15, which has nothing else.
  @Test("zeros from the start of a block to the end of a leaf are not values")
  func zeroedTail() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let leaf = try fixture.leaf("UuidPk", "_id", cluster: 3)
    let block = (leaf.upperBound - 1) / 4096 * 4096
    #expect(leaf.lowerBound < block && leaf.upperBound - block == 216)
    fixture.bytes.replaceSubrange(block..<block + 4096, with: Array(repeating: 0, count: 4096))
    let report = try fixture.salvage()
    #expect(!report.isComplete && report.unreadable.contains(block..<block + 4096))
    let original = try DamagedFixture.objects(of: "UuidPk", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "UuidPk", in: fixture.target)
    for (key, values) in saved { #expect(values["_id"] == original[key]?["_id"]) }
  }

  @Test("a file that begins with zeros is a realm if it has the nodes of one")
  func zeroedStart() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    fixture.destroy(nodeAt: EditedRealm(fixture.bytes).top)
    fixture.bytes.replaceSubrange(0..<4096, with: Array(repeating: 0, count: 4096))
    let report = try fixture.salvage()
    #expect(report.isRebuilt && report.objectCount > 0)
  }

  /// Collections behind the end of a truncated file were read as empty; the sets of T2.p17 are there.
  @Test("a collection behind the end of a truncated file is reported, and not empty")
  func truncated() throws {
    var fixture = try DamagedFixture(lived: "life-5029.realm")
    fixture.bytes.removeSubrange((fixture.bytes.count / 2)...)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "T2", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "T2", in: fixture.target)
    let reported = Set(report.losses.filter { $0.property == "p17" }.flatMap(\.objectKeys))
    #expect(!saved.isEmpty && !reported.isEmpty)
    for (key, values) in saved where !reported.contains(key) {
      #expect(values["p17"] == original[key]?["p17"], "p17 of \(key)")
    }
  }

  @Test("a ref near 2^63 is reported, and costs only its target")
  func greatRef() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let (table, reader) = try fixture.table("IntPk")
    let top = try reader.nodes.lookUp(table.ref)
    #expect(top.header.nodeByteCount == 8 + top.count * 8)
    for cluster in try reader.clusters(of: table) {
      let node = try reader.nodes.lookUp(cluster.ref)
      fixture.destroy(nodeAt: try node.ref(at: 1))
      fixture.destroy(nodeAt: cluster.ref)
    }
    fixture.destroy(nodeAt: table.clusters)
    let place = table.ref + 8 + 2 * 8
    fixture.bytes.replaceSubrange(
      place..<place + 8, with: [0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F])
    let report = try fixture.salvage()
    let loss = try #require(report.losses.first { $0.className == "IntPk" })
    #expect(loss.bytes.isEmpty && !loss.message.isEmpty)
    for name in ["StringOptPk", "UuidPk"] {
      #expect(
        try DamagedFixture.objects(of: name, in: fixture.target)
          == DamagedFixture.objects(of: name, in: fixture.original))
    }
  }

  private func markAsymmetric(_ className: String, of fixture: inout DamagedFixture) throws {
    let top = try fixture.table(className).table.ref
    var edited = EditedRealm(fixture.bytes)
    try #require(edited.count(of: top) > 12)
    // The kind of the class is in slot 12 (chapter 3, section 2), tagged.
    edited.setElement(12, of: top, to: 2 << 1 | 1)
    fixture.bytes = edited.bytes
  }

  @Test("links to a class that damage marks as asymmetric are lost, all else is recovered")
  func asymmetricTarget() throws {
    var fixture = try DamagedFixture("people.realm")
    try markAsymmetric("Company", of: &fixture)
    let report = try fixture.salvage()
    #expect(report.lostSchema.map { "\($0.className).\($0.property ?? "")" } == ["Person.company"])
    #expect(!report.isComplete)
    for name in ["Person", "Company"] {
      let original = try DamagedFixture.objects(of: name, in: fixture.original)
      let saved = try DamagedFixture.objects(of: name, in: fixture.target)
      #expect(
        !original.isEmpty && saved == original.mapValues { $0.filter { $0.key != "company" } })
    }
  }

  @Test("mixed values that link to a class that damage marks as asymmetric are lost")
  func asymmetricTargetOfMixed() throws {
    var fixture = try DamagedFixture("links.realm")
    let dogs = try #require(
      try Realm(path: fixture.original).schema.objects.classes.firstIndex { $0.name.text == "Dog" })
    try markAsymmetric("Dog", of: &fixture)
    let report = try fixture.salvage()
    let reported = Set(report.losses.filter { $0.property == "any" }.flatMap(\.objectKeys))
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(saved.count == original.count)
    var lost = Set<Int64>()
    for (key, values) in original {
      if case .link(let link) = values["any"], link.classPosition == dogs {
        lost.insert(key)
        #expect(saved[key]?["any"] == .null)
      } else if case .link = values["any"] {
        guard case .link = saved[key]?["any"] else {
          Issue.record("object \(key) has no link")
          continue
        }
      } else {
        #expect(saved[key]?["any"] == values["any"])
      }
    }
    #expect(!lost.isEmpty && reported == lost)
  }

  /// T1.p12 links to objects of its own class: the same arrays name both ends.
  @Test("links without opposites target the only class that can have their backlinks")
  func targetOfLinks() throws {
    var fixture = try DamagedFixture(lived: "life-5040.realm")
    let (table, reader) = try fixture.table("T1")
    let top = try reader.nodes.lookUp(table.ref)
    // The tables and columns at the other ends (chapter 3, section 2).
    for slot in [7, 8] { fixture.destroy(nodeAt: try top.ref(at: slot)) }
    let report = try fixture.salvage()
    #expect(report.lostSchema.isEmpty)
    // As strings: NaN does not equal itself.
    let texts = { (path: String) in
      try DamagedFixture.objects(of: "T1", in: path).mapValues { $0.mapValues { "\($0)" } }
    }
    #expect(try texts(fixture.target) == texts(fixture.original))
  }
}
