import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Remains of a damaged realm can look like something else.
@Suite("Salvaging without inventing")
struct InventedValuesTests {
  private func zero(_ blocks: [Int], of fixture: inout DamagedFixture) {
    for block in blocks {
      fixture.bytes.replaceSubrange(block..<block + 4096, with: repeatElement(0, count: 4096))
    }
  }

  @Test("the leaf of dates of a lost class is not taken for a cluster of numbers")
  func leafLikeCluster() throws {
    var fixture = try DamagedFixture("people.realm")
    let (person, reader) = try fixture.table("Person")
    let dates = try reader.nodes.lookUp(
      try fixture.leaf("Person", "born", cluster: 2).lowerBound)
    fixture.destroy(nodeAt: try dates.ref(at: 0))
    fixture.destroy(nodeAt: person.ref)
    for (_, ref, _) in try fixture.clusters(of: "Person") { fixture.destroy(nodeAt: ref) }
    fixture.destroy(nodeAt: try fixture.table("Counter").table.clusters)
    let report = try fixture.salvage()
    #expect(report.classes.first { $0.name == "Counter" }?.objects == 0)
  }

  /// Example: four blocks were overwritten with others, among them those of the root, of the newest top array of a table,
  /// and of the keys of its objects.
  @Test(
    "leaves without keys below an older table are the objects of that table if the root is lost")
  func olderTableWithoutKeys() throws {
    var fixture = try DamagedFixture(lived: "life-7277.realm")
    let original = fixture.bytes
    for (block, other) in [(3, 0), (4, 0), (9, 3), (10, 13)] {
      fixture.bytes.replaceSubrange(
        block * 4096..<(block + 1) * 4096, with: original[other * 4096..<(other + 1) * 4096])
    }
    let report = try fixture.salvage()
    func values(_ path: String) throws -> Set<[String]> {
      Set(
        try DamagedFixture.objects(of: "T0", in: path).values.map { object in
          ["_id", "odd näme 3", "p5"].map { object[$0]?.text ?? "" }
        })
    }
    let saved = try values(fixture.target)
    #expect(try saved.count == 4 && saved == values(fixture.original))
    #expect(report.isRebuilt && report.objectCount == 4)
  }

  @Test("positions in a list of distinct strings are not taken for numbers")
  func enumeratedColumn() throws {
    var fixture = try DamagedFixture(lived: "life-5014.realm")
    let (table, reader) = try fixture.table("T3")
    let spec = try reader.nodes.lookUp(try reader.nodes.lookUp(table.ref).ref(at: 0))
    // The lists of distinct strings.
    #expect(spec.integer(at: 4) != 0)
    fixture.destroy(nodeAt: spec.ref)
    let report = try fixture.salvage()
    let (saved, _) = try fixture.expectNothingWrong(report, "T3")
    #expect(!saved.isEmpty)
  }

  @Test("links are not taken for numbers if the leaves of backlinks are truncated")
  func linksOfTruncatedFile() throws {
    var fixture = try DamagedFixture(lived: "life-5003.realm")
    fixture.bytes.removeSubrange((fixture.bytes.count / 10 & ~7)...)
    // All properties with a certain type are truncated, too.
    let error = try #require(throws: RealmFileError.self) { try fixture.salvage() }
    guard case .nothingToSave = error.kind else { throw error }
  }

  @Test("refs behind the end of the file do not refer to new nodes in place of lost ones")
  func straysOfTruncatedFile() throws {
    var fixture = try DamagedFixture(lived: "life-5031.realm")
    fixture.bytes.removeSubrange((fixture.bytes.count * 4 / 10 & ~7)...)
    let report = try fixture.salvage()
    let (saved, _) = try fixture.expectNothingWrong(report, "T1")
    #expect(!saved.isEmpty)
    // The root of this list is behind the end.
    #expect(report.losses.contains { $0.property == "p25" && $0.objectKeys.contains(116) })
  }

  @Test("a truncated node says nothing about the block in which it begins")
  func cutOffNode() throws {
    var fixture = try DamagedFixture("strings.realm")
    let leaf = try fixture.leaf("S", "medium", cluster: 2)
    let (table, reader) = try fixture.table("S")
    let texts = try reader.nodes.lookUp(try reader.nodes.lookUp(leaf.lowerBound).ref(at: 1))
    // A long node is truncated; another one ends in the block in which it begins.
    let end = texts.ref + 64
    let before = try ["short", "shortOpt"].map { try fixture.leaf("S", $0, cluster: 2) }
      .filter { $0.upperBound <= texts.ref && $0.upperBound > texts.ref / 4096 * 4096 }
    #expect(!before.isEmpty && table.clusters < end)
    fixture.bytes.removeSubrange(end...)
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "S")
    let lost = Set(report.losses.compactMap(\.property))
    #expect(lost.contains("medium") && lost.isDisjoint(with: ["short", "shortOpt"]))
  }

  @Test(
    "a list of values that the index of the primary key has is not taken for a leaf of primary keys",
    arguments: [
      ("life-8007-format-23.realm", "T2", [4096, 20480, 49152, 61440]),
      ("life-8005-format-11.realm", "T1", [28672, 40960, 45056]),
    ])
  func listLikePrimaryKeys(name: String, className: String, blocks: [Int]) throws {
    var fixture = try DamagedFixture(lived: name)
    zero(blocks, of: &fixture)
    _ = try fixture.salvage()
    let original = try DamagedFixture.objects(of: className, in: fixture.original)
    let saved = try DamagedFixture.objects(of: className, in: fixture.target)
    #expect(!original.isEmpty && saved.isEmpty)
  }

  @Test("two equal blobs are not taken for copied blocks")
  func equalBlobs() throws {
    var fixture = try DamagedFixture("strings.realm")
    fixture.destroy(nodeAt: try fixture.leaf("S", "medium", cluster: 0).lowerBound)
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "S")
    #expect(!report.losses.contains { $0.property == "blob" })
  }

  @Test("without a header, it is unknown whether the newest version found is the newest")
  func unknownVersion() throws {
    var fixture = try DamagedFixture("people.realm")
    fixture.bytes.replaceSubrange(
      0..<24, with: repeatElement(0x5A, count: 24))
    let report = try fixture.salvage()
    #expect(report.isNewestUnknown && !report.isNewestLost)
    try fixture.expectNothingWrong(report, "Person")
  }

  @Test("without a header, a version is older if a newer one is found whose tables are lost")
  func olderVersion() throws {
    var fixture = try DamagedFixture("churned.realm")
    let (table, reader) = try fixture.table("Log")
    let newest = try Snapshot(path: fixture.original)
    fixture.destroy(nodeAt: try reader.nodes.lookUp(newest.top.ref).ref(at: 1))
    fixture.destroy(nodeAt: table.ref)
    fixture.bytes.replaceSubrange(0..<24, with: repeatElement(0x5A, count: 24))
    let report = try fixture.salvage()
    #expect(report.isNewestLost && !report.isNewestUnknown && !report.isRebuilt)
    let version = try #require(report.roots.first { $0.isChosen }?.version)
    #expect(version < newest.top.version)
  }
}
