import Foundation
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging unreachable nodes")
struct LostNodesTests {
  private typealias Objects = DamagedFixture.Objects

  private func cluster(_ number: Int, of className: String, in fixture: DamagedFixture) throws
    -> Ref
  {
    let (table, reader) = try fixture.table(className)
    return try reader.clusters(of: table)[number].ref
  }

  @Test(
    "in a file that was written at once, the place of a leaf identifies it",
    arguments: [[3], [11], [4, 5], [0, 5, 11]])
  func clustersOfPackedFile(numbers: [Int]) throws {
    var fixture = try DamagedFixture(compacting: "people.realm")
    for number in numbers {
      fixture.destroy(nodeAt: try cluster(number, of: "Person", in: fixture))
    }
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Person")
    // The block of a lost node is dead, and with it a few leaves.
    #expect(report.foundObjects > 128)
  }

  @Test("a dead block costs its own nodes, but not the objects of its cluster")
  func block() throws {
    var fixture = try DamagedFixture(compacting: "people.realm")
    let ref = try cluster(4, of: "Person", in: fixture)
    let block = ref / 4096 * 4096
    fixture.bytes.replaceSubrange(block..<block + 4096, with: Array(repeating: 0, count: 4096))
    let report = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(report, "Person")
    let rows = report.classes.filter { $0.name == "Person" || $0.lostKeysOf == "Person" }
    #expect(rows.reduce(0) { $0 + $1.objects + $1.lost } == original.count)
    #expect(!saved.isEmpty && report.losses.contains { $0.property != nil })
  }

  @Test("in a file that grew by commits, uncertain data is lost")
  func clusterOfLiveFile() throws {
    var fixture = try DamagedFixture("people.realm")
    for number in [2, 7] {
      fixture.destroy(nodeAt: try cluster(number, of: "Person", in: fixture))
    }
    let report = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(report, "Person")
    let row = try #require(report.classes.first { $0.name == "Person" })
    #expect(saved.count + row.lost == original.count)
  }

  @Test("the index of the primary key shows which leaf belongs to which cluster")
  func clustersByIndex() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    for number in 0..<4 {
      fixture.destroy(nodeAt: try cluster(number, of: "StringPk", in: fixture))
    }
    let report = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(report, "StringPk")
    #expect(saved == original && report.losses.isEmpty)
  }

  @Test(
    "without its root and without another version, a realm is made of the tables that are found")
  func root() throws {
    var fixture = try DamagedFixture(compacting: "people.realm")
    fixture.destroy(nodeAt: EditedRealm(fixture.bytes).top)
    let report = try fixture.salvage()
    #expect(report.isRebuilt && !report.isComplete && !report.isNewestLost)
    let (saved, original) = try fixture.expectNothingWrong(report, "Person")
    #expect(saved == original)
  }

  @Test("without the list of tables, the tables have their places in it")
  func listOfTables() throws {
    var fixture = try DamagedFixture("people.realm")
    let realm = try Realm(path: fixture.original)
    fixture.destroy(nodeAt: realm.snapshot.top.tables)
    let report = try fixture.salvage()
    #expect(report.isRebuilt && !report.areNamesLost)
    let (saved, original) = try fixture.expectNothingWrong(report, "Person")
    #expect(saved == original)
    #expect(
      try DamagedFixture.objects(of: "Company", in: fixture.target)
        == DamagedFixture.objects(of: "Company", in: fixture.original))
  }

  @Test("a table without its top array is rebuilt from an older one and the found nodes")
  func tableTop() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    fixture.destroy(nodeAt: try fixture.table("StringPk").table.ref)
    let report = try fixture.salvage()
    let values = { (objects: Objects) in Set(objects.values.map { "\($0)" }) }
    let saved = try DamagedFixture.objects(of: "StringPk", in: fixture.target)
    let original = try DamagedFixture.objects(of: "StringPk", in: fixture.original)
    #expect(values(saved) == values(original))
    #expect(report.lostSchema.isEmpty)
    #expect(report.olderTables.count == 1 && !report.isComplete)
  }

  /// A set with a link to a tombstone, whose primary key is needed, and one to a lost object ended the job.
  @Test("a lost target costs the links to it, also next to a link to a tombstone")
  func targetBesideTombstone() throws {
    var fixture = try DamagedFixture(lived: "life-6004.realm")
    let (ref, leaves) = try fixture.clusters(of: "T1").map { ($0.ref, $0.leaves) }[0]
    for node in [ref] + leaves { fixture.destroy(nodeAt: node) }
    let report = try fixture.salvage()
    #expect(report.nulledLinks > 0)
    let saved = try DamagedFixture.objects(of: "T0", in: fixture.target)
    #expect(try saved.count == DamagedFixture.objects(of: "T0", in: fixture.original).count)
  }

  /// Each cluster of T0 has a null behind its last leaf: one of a column that was removed.
  @Test("an unreachable cluster is found although columns were removed from its end")
  func removedColumns() throws {
    var fixture = try DamagedFixture(lived: "life-5031.realm")
    fixture.destroy(nodeAt: try fixture.table("T0").table.ref)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "T0", in: fixture.original)
    #expect(report.foundObjects >= original.count)
    #expect(try DamagedFixture.objects(of: "T0", in: fixture.target).count == original.count)
  }

  /// A node without filler over other nodes was ignored, and the nodes that it covers were lost.
  @Test(
    "random bytes that look like the header of a huge node cost only the leaf that they overwrote")
  func hugeNode() throws {
    var fixture = try DamagedFixture("people.realm")
    let column = try #require(try fixture.table("Person").table.columns.first { $0.type == .int })
    let leaf = try fixture.leaf("Person", column.name.text, cluster: 3)
    let count = fixture.bytes.count - leaf.lowerBound - NodeHeader.byteCount
    // Bytes in place of the filler, flags for values of 8 bits, and a count.
    let header = [1, 2, 3, 4, 0x04] + [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    fixture.bytes.replaceSubrange(leaf.lowerBound..<leaf.lowerBound + 8, with: header)
    let report = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(report, "Person")
    #expect(saved.count == original.count)
    #expect(!report.losses.isEmpty && report.losses.allSatisfy { $0.property == column.name.text })
  }

  @Test("a list is recovered without its lost embedded objects")
  func embeddedObjectsOfLists() throws {
    var fixture = try DamagedFixture(lived: "life-6043.realm")
    for block in [49_152, 131_072, 143_360] {
      fixture.bytes.replaceSubrange(block..<block + 4096, with: repeatElement(0, count: 4096))
    }
    let report = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(report, "T1")
    #expect(saved.count == original.count)
    #expect(report.losses.contains { $0.property == "p32" || $0.className == "E0" })
  }

  @Test(
    "the dictionaries show the file format if the header is lost",
    arguments: [
      "life-8000-format-20", "life-8000-format-22", "life-8000-format-23", "life-5004",
    ])
  func fileFormat(name: String) throws {
    var fixture = try DamagedFixture(lived: name + ".realm")
    // Random bytes can be formats, too.
    fixture.bytes.replaceSubrange(
      0..<24, with: Array(repeating: 0x5A, count: 20) + [22, 23, 0, 0x5A])
    let report = try fixture.salvage()
    #expect(report.classes.allSatisfy { $0.partial + $0.lost == 0 } && report.losses.isEmpty)
    // Embedded objects get new keys.
    for objectClass in report.classes where objectClass.name.hasPrefix("T") {
      try fixture.expectNothingWrong(report, objectClass.name)
    }
  }

  @Test(
    "without root and list of tables, a table is read although some of its leaves are truncated",
    arguments: [("life-5015", "T0", 2), ("life-5042", "T0", 3)])
  func cutOffTables(name: String, className: String, tenths: Int) throws {
    var fixture = try DamagedFixture(lived: name + ".realm")
    fixture.bytes.removeSubrange((fixture.bytes.count * tenths / 10 & ~7)...)
    let report = try fixture.salvage()
    #expect(report.isRebuilt)
    // Objects whose primary keys are truncated are in a class of their own.
    let classes = report.classes.filter { $0.name == className || $0.lostKeysOf == className }
    let original = try DamagedFixture.objects(of: className, in: fixture.original)
    let keys = try classes.flatMap {
      try DamagedFixture.objects(of: $0.name, in: fixture.target).keys
    }
    #expect(!keys.isEmpty && Set(keys).isSubset(of: original.keys))
  }

  @Test(
    "if a file that was written at once is truncated, the table at the cut is read",
    arguments: [3, 6, 9])
  func cutOffFile(tenths: Int) throws {
    var fixture = try DamagedFixture(compacting: "people.realm")
    let end = fixture.bytes.count * tenths / 10 & ~7
    fixture.bytes.removeSubrange(end...)
    let report = try fixture.salvage()
    #expect(report.isRebuilt && !report.isComplete)
    // The clusters before the end, with all nodes below them.
    let whole = try fixture.clusters(of: "Person").filter { $0.ref < end }.count
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    try #require(whole > 1)
    #expect(saved.count >= (whole - 1) * 128)
    #expect(Set(saved.values.map { $0["_id"] ?? .null }).count == saved.count)
    // The objects have new keys.
    let known = Dictionary(uniqueKeysWithValues: original.values.map { ($0["_id"]!, $0) })
    let links = Set(
      try fixture.table("Person").table.columns.filter { $0.property.type == .link }
        .map(\.name.text))
    for values in saved.values {
      let other = try #require(known[values["_id"] ?? .null])
      for (property, value) in values where !links.contains(property) {
        #expect((other[property] ?? .null).text == value.text, "\(property)")
      }
    }
  }

  @Test("the inner node above the clusters may be truncated")
  func cutOffInnerNode() throws {
    let schema =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"C","#
      + #""primaryKey":"_id","properties":{"_id":"int","text":"string"}}]}"#
    let objects = (0..<2000).map { #"{"class":"C","object":{"_id":\#($0),"text":"text \#($0)"}}"# }
    let lines = [schema] + objects + [#"{"counts":{"C":2000}}"#, ""]
    let imported = try DamagedFixture(importing: lines.joined(separator: "\n"))
    // An import writes the clusters last, a copy writes each in its place.
    let compacted = imported.folder.path("compacted.realm")
    _ = try CompactJob(
      path: imported.original, key: nil, destination: .file(compacted, replacing: false)
    ).run()
    var fixture = imported
    fixture.bytes = try readFile(compacted)
    fixture.bytes.removeSubrange((fixture.bytes.count / 2 & ~7)...)
    let report = try fixture.salvage()
    let saved = try DamagedFixture.objects(of: "C", in: fixture.target)
    #expect(report.isRebuilt && saved.count >= 256)
    for values in saved.values {
      guard case .int(let id)? = values["_id"] else { throw CancellationError() }
      #expect(values["text"] == .string("text \(id)"))
    }
  }

  @Test(
    "remains of older versions in a truncated file are not taken for a table",
    arguments: [("indexes", "Text", 2), ("life-5021", "E0", 1)])
  func leftOvers(name: String, className: String, tenths: Int) throws {
    let file = name + ".realm"
    var fixture =
      try name == "indexes" ? DamagedFixture(file) : DamagedFixture(lived: file)
    fixture.bytes.removeSubrange((fixture.bytes.count * tenths / 10 & ~7)...)
    let report = try fixture.salvage()
    #expect(report.objectCount > 0)
    #expect(!report.classes.contains { $0.name == className && $0.objects > 0 })
  }
}
