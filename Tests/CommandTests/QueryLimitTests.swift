import Foundation
import TestSupport
import Testing

/// Queries on realms in which few objects have many values.
@Suite("Queries over many values")
struct QueryLimitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Imports classes and objects in Realm JSON.
  private func makeRealm(schema: String, objects: String) throws -> String {
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[\(schema)],"objects":{\(objects)}}
      """
    let (source, path) = (folder.path("made.json"), folder.path("made.realm"))
    try Data(text.utf8).write(to: URL(fileURLWithPath: source))
    let result = try runTool("import", source, "-o", path)
    try #require(result.status == 0, "\(result.stderr)")
    return path
  }

  private func list(_ count: Int, _ text: (Int) -> String) -> String {
    "[" + (0..<count).map(text).joined(separator: ",") + "]"
  }

  private func ids(_ path: String, _ className: String, _ query: String) throws -> [String] {
    let result = try runTool("query", path, className, query, "--format", "ids")
    #expect(result.status == 0, "\(result.stderr)")
    return result.text.split(separator: "\n").map(String.init)
  }

  @Test("links to the same object read its values and backlinks once")
  func hub() throws {
    let path = try makeRealm(
      schema: """
        {"name":"Hub","primaryKey":"_id","properties":{"_id":"int","words":"string[]"}},
        {"name":"Spoke","primaryKey":"_id","properties":
        {"_id":"int","name":"string","hub":"Hub?","twins":"Spoke[]"}}
        """,
      objects: "\"Hub\":[{\"_id\":1,\"words\":"
        + list(200) { "\"w\($0)\(String(repeating: "z", count: 180))\"" } + "}],\"Spoke\":"
        + list(256) {
          "{\"_id\":\($0),\"name\":\"w\($0)\(String(repeating: "z", count: 180))\","
            + "\"hub\":1,\"twins\":[\($0),\($0)]}"
        })
    #expect(try ids(path, "Spoke", "hub.words == name").count == 200)
    #expect(try ids(path, "Spoke", "hub.@links.Spoke.hub.@count == 256").count == 256)
    #expect(try ids(path, "Spoke", "twins.hub.words == name && _id > 197") == ["198", "199"])
    #expect(try ids(path, "Spoke", "twins.@links.@count == 1 && _id == 3").isEmpty)
    #expect(try ids(path, "Spoke", "twins.@links.@count == 4 && _id == 3") == ["3"])
  }

  @Test("a repeated term reads backlinks once")
  func repeatedTerms() throws {
    let path = try makeRealm(
      schema: """
        {"name":"End","primaryKey":"_id","properties":{"_id":"int"}},
        {"name":"Owner","primaryKey":"_id","properties":{"_id":"int","ends":"End[]"}}
        """,
      objects: "\"End\":" + list(200) { "{\"_id\":\($0)}" } + ",\"Owner\":"
        + list(200) { "{\"_id\":\($0),\"ends\":" + list(200) { "\($0)" } + "}" })
    for term in ["@links.Owner.ends.@count == 200", "@links.@count == 200"] {
      let query = Array(repeating: term, count: 60).joined(separator: " && ")
      #expect(try ids(path, "End", query).count == 200)
    }
  }

  @Test("a single object may have more values than several objects together")
  func single() throws {
    let path = try makeRealm(
      schema: """
        {"name":"Owner","primaryKey":"_id","properties":{"_id":"int","ends":"End[]"}},
        {"name":"End","primaryKey":"_id","properties":{"_id":"int","numbers":"int[]"}}
        """,
      objects: "\"End\":"
        + list(260) { i in "{\"_id\":\(i),\"numbers\":" + list(300) { "\(i + $0)" } + "}" }
        + ",\"Owner\":"
        + list(3) { "{\"_id\":\($0 * 400),\"ends\":" + list(260) { "\($0)" } + "}" })
    #expect(try ids(path, "Owner", "ends.numbers == _id") == ["0", "400"])
    #expect(try ids(path, "Owner", "TRUEPREDICATE SORT(_id DESC)") == ["800", "400", "0"])
  }

  @Test(
    "comparisons, sorts and distinct values of long lists in mixed values take fewer objects at once"
  )
  func mixedLists() throws {
    let path = try makeRealm(
      schema: """
        {"name":"Thing","primaryKey":"_id","properties":{"_id":"int","mix":"mixed"}}
        """,
      objects: "\"Thing\":"
        + list(60) { i in
          "{\"_id\":\(i),\"mix\":" + (i < 2 ? list(40_000) { "\($0)" } : "\(100 - i / 2)") + "}"
        })
    #expect(try ids(path, "Thing", "mix == 95") == ["10", "11"])
    let numbers = (2..<60).map { "\($0)" }
    let sorted = try ids(path, "Thing", "TRUEPREDICATE SORT(mix ASC)").filter { Int($0)! > 1 }
    let expected = stride(from: 58, through: 2, by: -2).flatMap { ["\($0)", "\($0 + 1)"] }
    #expect(sorted == expected)
    let distinct = try ids(path, "Thing", "TRUEPREDICATE DISTINCT(mix)").filter { Int($0)! > 1 }
    #expect(distinct == numbers.filter { Int($0)! % 2 == 0 })
  }

  /// Object 1 has two links to itself in a list, object 2 is a link to itself.
  private func mixedLinks() throws -> String {
    let link = #"{"$link":{"class":"Thing","id":"#
    return try makeRealm(
      schema: """
        {"name":"Thing","primaryKey":"_id","properties":{"_id":"int","m":"mixed"}}
        """,
      objects: "\"Thing\":[{\"_id\":1,\"m\":[\(link)1}},\(link)1}}]},{\"_id\":2,\"m\":\(link)2}}}]")
  }

  @Test("links in mixed values are followed along a path, and a longer path is refused")
  func longPaths() throws {
    let path = try mixedLinks()
    func steps(_ count: Int) -> String {
      Array(repeating: "m", count: count).joined(separator: ".")
    }
    #expect(try ids(path, "Thing", "\(steps(99))._id == 2") == ["2"])
    let result = try runTool("query", path, "Thing", "\(steps(20_000)) == 1", "--json")
    #expect(result.status == 64)
    #expect(result.stderr.contains("more than 100 steps"))
  }

  @Test("lists that contain themselves through mixed values end with an error")
  func mixedLoops() throws {
    let query = Array(repeating: "m[*]", count: 50).joined(separator: ".") + " == 1"
    let result = try runTool("query", try mixedLinks(), "Thing", query)
    #expect(result.status == 69)
    #expect(result.stderr.contains("4194304 values"))
  }

  @Test("nested subqueries after an index read each object once")
  func nestedSubqueries() throws {
    let path = try makeRealm(
      schema: """
        {"name":"Node","primaryKey":"_id","properties":{"_id":"int","next":"Node[]"}}
        """,
      objects: "\"Node\":"
        + list(10_100) { "{\"_id\":\($0),\"next\":[\($0),\(($0 + 1) % 10_100),\($0)]}" })
    var query = "$v29._id == 35"
    for level in (0..<30).reversed() {
      let owner = level == 0 ? "next" : "$v\(level - 1).next"
      query = "SUBQUERY(\(owner), $v\(level), \(query)).@count > 0"
    }
    #expect(try ids(path, "Node", "_id IN {4, 5, 6, 36} && \(query)") == ["5", "6"])
  }
}
