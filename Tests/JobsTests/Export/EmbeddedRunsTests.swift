import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

/// Embedded objects in a list so large that it comes in runs, with such lists of embedded objects themselves.
@Suite("Large lists of embedded objects with large lists")
struct EmbeddedRunsTests {
  private static let count = 66_000

  /// A realm with two embedded objects, each of which owns a large list of embedded objects and one of numbers.
  private func makeRealm(in folder: TemporaryFolder) throws -> String {
    let parts = "[" + (0..<Self.count).map { #"{"v":\#($0)}"# }.joined(separator: ",") + "]"
    let numbers = "[" + (0..<Self.count).map { "\($0)" }.joined(separator: ",") + "]"
    let owners = (0..<2).map { #"{"n":\#($0),"parts":\#(parts),"numbers":\#(numbers)}"# }
    return try folder.importRealm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[
      {"name":"P","primaryKey":"id","properties":{"id":"int","owners":"Owner[]"}},
      {"name":"Owner","embedded":true,
      "properties":{"n":"int","parts":"Part[]","numbers":"int[]"}},
      {"name":"Part","embedded":true,"properties":{"v":"int"}}],
      "objects":{"P":[{"id":1,"owners":[\(owners.joined(separator: ","))]}]}}
      """)
  }

  private func values(_ value: RealmValue?) -> [RealmValue] {
    if case .list(let values)? = value { values } else { [] }
  }

  @Test("each has one owner, however often the lists are read")
  func owners() throws {
    let folder = try TemporaryFolder()
    let path = try makeRealm(in: folder)
    let report = try VerifyJob(VerifyJob.Request(path: path)).run()
    #expect(report.findings.isEmpty)
    let objects = try #require(try Realm(path: path).objects(ofClass: "P"))
    let object = try #require(try objects.next())
    for _ in 0..<3 {
      let owners = values(try object.value(of: "owners"))
      #expect(owners.count == 2)
      for owner in owners {
        guard case .object(let owner) = owner else {
          Issue.record("\(owner) is no object")
          continue
        }
        #expect(values(owner[1]).count == Self.count)
        #expect(values(owner[2]).count == Self.count)
      }
    }
    #expect(try objects.next() == nil)
  }

  @Test("a rewritten realm has the same objects, and verify finds nothing")
  func rewritten() throws {
    let folder = try TemporaryFolder()
    let path = try makeRealm(in: folder)
    let plan = try folder.write(
      Array(
        migrationPlan("add-property: {class: Part, name: w, type: int, value: v}", to: 1).utf8),
      to: "plan.yml")
    let out = folder.path("out.realm")
    _ = try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).run()
    let report = try VerifyJob(VerifyJob.Request(path: out)).run()
    #expect(report.findings.isEmpty)
    // P, its two owners, their parts, and the object with the schema version.
    #expect(report.objectCount == 4 + 2 * Self.count)
  }
}
