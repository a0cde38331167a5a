import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Damage inside of long leaves, without a ref to the damaged block.
@Suite("Salvaging blocks without refs to them")
struct UnwitnessedBlocksTests {
  /// The bytes of the strings of a leaf.
  private func texts(_ property: String, cluster: Int, in fixture: DamagedFixture) throws -> Range<
    Int
  > {
    let leaf = try fixture.leaf("S", property, cluster: cluster).lowerBound
    let reader = try fixture.table("S").reader
    let blob = try reader.nodes.lookUp(try reader.nodes.lookUp(leaf).ref(at: 1))
    return blob.ref + NodeHeader.byteCount..<blob.ref + NodeHeader.byteCount + blob.count
  }

  @Test("strings without their zero bytes show a damaged block within a leaf of strings")
  func texts() throws {
    var fixture = try DamagedFixture("strings.realm")
    let bytes = try texts("medium", cluster: 1, in: fixture)
    let block = (bytes.lowerBound + 4095) / 4096 * 4096
    try #require(block + 4096 <= bytes.upperBound)
    // Valid UTF-8, and damage elsewhere.
    for i in block..<block + 4096 { fixture.bytes[i] = UInt8(ascii: "x") }
    fixture.destroy(nodeAt: try fixture.leaf("S", "medium", cluster: 0).lowerBound)
    let report = try fixture.salvage()
    #expect(report.unreadable.contains { $0.contains(block) })
    try fixture.expectNothingWrong(report, "S")
  }

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
