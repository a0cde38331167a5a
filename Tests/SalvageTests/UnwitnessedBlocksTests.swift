import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Bytes of leaves that were overwritten where no ref shows it, but an index does.
@Suite("Salvaging primary keys that their index does not have")
struct UnwitnessedBlocksTests {
  @Test("a primary key that its index does not have is lost")
  func primaryKeys() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let clusters = try fixture.clusters(of: "UuidPk")
    let last = clusters.count - 1
    let leaf = try fixture.leaf("UuidPk", "_id", cluster: last)
    // The tail of the leaf, with what follows it in the block, and damage elsewhere.
    let block = (leaf.upperBound - 1) / 4096 * 4096
    let start = max(block, leaf.lowerBound + NodeHeader.byteCount + 1)
    for i in start..<leaf.upperBound where (i - leaf.lowerBound - 8) % 129 != 0 {
      fixture.bytes[i] ^= 0x5A
    }
    fixture.destroy(nodeAt: try fixture.leaf("StringPk", "_id", cluster: 0).lowerBound)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "UuidPk", in: fixture.original)
    let known = Set(original.values.map { "\($0["_id"] ?? .null)" })
    let saved = try DamagedFixture.objects(of: "UuidPk", in: fixture.target)
    let wrong = saved.values.filter { !known.contains("\($0["_id"] ?? .null)") }
    #expect(wrong.isEmpty && saved.count < original.count)
    #expect(report.classes.contains { $0.lostKeysOf == "UuidPk" })
  }

  @Test("a primary key that its index does not have is lost, also where nodes begin beside it")
  func primaryKeysBesideNodes() throws {
    var fixture = try DamagedFixture("people.realm")
    let leaf = try fixture.leaf("Person", "_id", cluster: 0)
    // Four ObjectIds of 12 bytes; there is a byte with null flags before each eight.
    let values = leaf.lowerBound + NodeHeader.byteCount + 97 * 2
    for i in values + 1..<values + 49 { fixture.bytes[i] ^= 0x5A }
    fixture.destroy(nodeAt: try fixture.leaf("Person", "email", cluster: 1).lowerBound)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let known = Set(original.values.map { "\($0["_id"] ?? .null)" })
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(saved.count == original.count - 4)
    #expect(saved.values.allSatisfy { known.contains("\($0["_id"] ?? .null)") })
    let lost = try #require(report.classes.first { $0.lostKeysOf == "Person" })
    #expect(lost.objects == 4)
  }
}
