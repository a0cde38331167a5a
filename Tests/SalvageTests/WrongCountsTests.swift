import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Numbers of objects and object keys that contradict the rest of the realm.
@Suite("Salvaging a realm with wrong numbers of objects")
struct WrongCountsTests {
  /// Sets the number of objects in the tree of a class.
  private func setCount(of className: String, to count: Int, in fixture: inout DamagedFixture)
    throws
  {
    var edited = EditedRealm(fixture.bytes)
    // Key offsets, depth, number of objects, children.
    edited.setSlot(2, of: try fixture.table(className).table.clusters, to: count)
    fixture.bytes = edited.bytes
  }

  private func row(_ className: String, _ report: SalvageReport) throws -> SalvageReport.Class {
    try #require(report.classes.first { $0.name == className })
  }

  @Test("a number in the only cluster of a class that no leaf confirms is reported as wrong")
  func countOfCluster() throws {
    var fixture = try DamagedFixture("tasks-local.realm")
    var edited = EditedRealm(fixture.bytes)
    // 3 objects, tagged, become 7.
    edited.setElement(0, of: try fixture.clusters(of: "QsTask")[0].ref, to: 7 << 1 | 1)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    #expect(try row("QsTask", report).objects == 3 && row("QsTask", report).lost == 0)
    #expect(report.wrongCounts.map(\.className) == ["QsTask"] && !report.isComplete)
    #expect(report.wrongCounts.map(\.stated) == [7] && report.wrongCounts.map(\.possible) == [3])
  }

  @Test("a wrong number in the root of a tree with readable clusters is reported")
  func countOfTree() throws {
    var fixture = try DamagedFixture("people.realm")
    try setCount(of: "Person", to: 100_000, in: &fixture)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    #expect(try DamagedFixture.objects(of: "Person", in: fixture.target) == original)
    #expect(try row("Person", report).lost == 0)
    #expect(report.wrongCounts.map(\.stated) == [100_000])
    #expect(report.wrongCounts.map(\.possible) == [original.count])
    #expect(report.losses.isEmpty && !report.isComplete)
  }

  @Test("a lost cluster has at most 256 objects", arguments: [true, false])
  func lostCluster(isCountWrong: Bool) throws {
    var fixture = try DamagedFixture("people.realm")
    let cluster = try fixture.clusters(of: "Person")[2]
    for node in [cluster.ref] + cluster.leaves { fixture.destroy(nodeAt: node) }
    if isCountWrong { try setCount(of: "Person", to: 100_000, in: &fixture) }
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original).count
    let person = try row("Person", report)
    let clusters = report.losses.count { $0.extent == .objects && $0.className == "Person" }
    #expect(person.objects < original && clusters > 0)
    guard isCountWrong else {
      #expect(person.lost == original - person.objects && report.wrongCounts.isEmpty)
      return
    }
    #expect(person.lost == 0)
    #expect(report.wrongCounts.map(\.stated) == [100_000])
    let possible = try #require(report.wrongCounts.first).possible
    #expect((original...person.objects + 256 * clusters).contains(possible))
  }

  @Test(
    "objects whose keys occur twice are reported as lost without keys, which name other objects")
  func repeatedKeys() throws {
    var fixture = try DamagedFixture("people.realm")
    var edited = EditedRealm(fixture.bytes)
    let clusters = try fixture.clusters(of: "Person")
    // A ref is even; a number of objects, whose keys have no gaps, is not.
    let (cluster, next) = try #require(
      zip(clusters, clusters.dropFirst()).first { edited.element(0, of: $0.0.ref) & 1 == 0 })
    let keys = edited.element(0, of: cluster.ref)
    edited.setElement(1, of: keys, to: edited.element(0, of: keys))
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let kept = original.filter { !(cluster.base..<next.base).contains(UInt64($0.key)) }
    #expect(kept.count < original.count)
    // Links to the lost objects are null.
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(Set(saved.keys) == Set(kept.keys))
    #expect(saved.allSatisfy { $0.value["_id"] == kept[$0.key]?["_id"] })
    let losses = report.losses.filter { $0.extent == .objects }
    #expect(losses.map(\.rule) == [.clusterKeyOrder] && losses.allSatisfy(\.objectKeys.isEmpty))
    #expect(try row("Person", report).lost == original.count - kept.count)
    #expect(report.wrongCounts.isEmpty)
  }
}
