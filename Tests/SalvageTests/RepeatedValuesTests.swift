import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Sectors that were overwritten in leaves whose values repeat, with no other damage in the realm.
@Suite("Salvaging sectors among values that repeat")
struct RepeatedValuesTests {
  private static let size = 512

  /// A realm with 1,000 objects, of which every second one has the number 0.
  private func fixture(isEverySecondZero: Bool = true) throws -> DamagedFixture {
    let objects = (0..<1000).map { i in
      func number(_ start: Int) -> Int {
        isEverySecondZero && i % 2 == 0 ? 0 : start + 1_000_003 * i
      }
      return #"{"_key":\#(i),"one":\#(number(5_000_000_000)),"two":\#(number(90_000_000_000))}"#
    }
    return try DamagedFixture(
      importing: ImportedVersionTests.text(
        #"{"name":"Item","keyMember":"_key","properties":{"one":"int","two":"int"}}"#, objects))
  }

  /// The sectors in the middle of the values of a node.
  private func sectors(in node: Range<Int>) -> [Range<Int>] {
    let size = RepeatedValuesTests.size
    let first = (node.lowerBound + NodeHeader.byteCount + size) / size * size
    return stride(from: first, through: node.upperBound - size - 1, by: size).map { $0..<$0 + size }
  }

  private func sectors(
    _ fixture: DamagedFixture, _ property: String, cluster: Int
  ) throws -> [Range<Int>] {
    let sectors = sectors(in: try fixture.leaf("Item", property, cluster: cluster))
    try #require(sectors.count >= 3)
    return sectors
  }

  /// Expects that no value is wrong, and that values of `property` are lost in a cluster of 256 objects.
  private func expectDoubts(
    in fixture: DamagedFixture, _ property: String, cluster: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item", location)
    let lost = report.losses.filter { $0.property == property }.flatMap(\.objectKeys)
    let keys = Int64(256 * cluster)..<Int64(256 * cluster + 256)
    #expect(lost.contains { keys.contains($0) }, sourceLocation: location)
  }

  @Test("a copy of a sector, of which half of the words are 0")
  func copyWithZeros() throws {
    var fixture = try fixture()
    let target = try sectors(fixture, "one", cluster: 1)[1]
    let source = try sectors(fixture, "two", cluster: 1)[1]
    fixture.bytes.replaceSubrange(target, with: fixture.bytes[source])
    try expectDoubts(in: fixture, "one", cluster: 1)
  }

  @Test("zeros, if every second value is 0")
  func zerosBetweenZeros() throws {
    var fixture = try fixture()
    let target = try sectors(fixture, "one", cluster: 1)[1]
    fixture.bytes.replaceSubrange(target, with: repeatElement(0, count: target.count))
    try expectDoubts(in: fixture, "one", cluster: 1)
  }

  @Test("copies of several sectors over the same distance")
  func copiesOverOneDistance() throws {
    var fixture = try fixture(isEverySecondZero: false)
    let bytes = fixture.bytes
    var distances: [Int: Int] = [:]
    for cluster in 0..<3 {
      let (targets, sources) = (
        try sectors(fixture, "one", cluster: cluster), try sectors(fixture, "two", cluster: cluster)
      )
      // Sectors between them stay.
      for i in [0, 2] {
        distances[sources[i].lowerBound - targets[i].lowerBound, default: 0] += 1
        fixture.bytes.replaceSubrange(targets[i], with: bytes[sources[i]])
      }
    }
    try #require(distances.values.contains { $0 >= 2 })
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item")
  }

  /// Example: the numbers of two properties are equal in some objects, beginning and ending with any.
  @Test("equal values that begin and end anywhere are not taken for copies")
  func equalValues() throws {
    var random = SplitMix64(seed: 21)
    var twos: [Int] = []
    while twos.count < 20_000 {
      // Runs of numbers that are somewhere else too.
      let start = Int.random(in: 0..<4000, using: &random)
      twos += (0..<Int.random(in: 64...300, using: &random)).map { (start + $0) * 10_007 }
    }
    let fixture = try DamagedFixture(
      importing: ImportedVersionTests.text(
        #"{"name":"Item","keyMember":"_key","properties":{"one":"int","two":"double"}}"#,
        twos.enumerated().map { i, two in
          #"{"_key":\#(i),"one":\#(two + (1 << 40)),"two":\#(two / 10_007 % 7)}"#
        }))
    let report = try fixture.salvage()
    #expect(report.isComplete && report.losses.isEmpty)
  }

  @Test("zeros in a list of refs whose neighbours are nulls, too")
  func zerosBetweenNulls() throws {
    /// - Parameter row: of each 16 objects, the one with a list.
    func fixture(row: Int) throws -> DamagedFixture {
      try DamagedFixture(
        importing: ImportedVersionTests.text(
          #"{"name":"Item","keyMember":"_key","properties":{"tags":"int[]","n":"int"}}"#,
          (0..<1000).map { i in
            #"{"_key":\#(i),"tags":[\#(i % 16 == row ? "\(i),\(2 * i)" : "")],"n":\#(i)}"#
          }))
    }
    /// The first sector in the leaf, if nulls are beside it.
    func sector(_ fixture: DamagedFixture) throws -> Range<Int>? {
      let leaf = try fixture.leaf("Item", "tags", cluster: 1)
      let sector = try #require(sectors(in: leaf).first)
      let beside = [
        sector.lowerBound - 8..<sector.lowerBound, sector.upperBound..<sector.upperBound + 8,
      ]
      return beside.joined().allSatisfy { fixture.bytes[$0] == 0 } ? sector : nil
    }
    let row = try #require(try (0..<16).first { try sector(fixture(row: $0)) != nil })
    var fixture = try fixture(row: row)
    let target = try #require(try sector(fixture))
    fixture.bytes.replaceSubrange(target, with: repeatElement(0, count: target.count))
    try expectDoubts(in: fixture, "tags", cluster: 1)
  }
}
