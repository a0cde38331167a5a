import RealmJobs
import RealmMigration
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Deep, large and cyclic data of a class that becomes embedded.
@Suite("Classes that become embedded")
struct EmbeddingMigrationTests {
  private func world(schema: String, objects: String) throws -> MigrationWorld {
    try MigrationWorld(
      text: """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
        "schema":[\(schema)],
        "objects":{\(objects)}}
        """)
  }

  private func expect(
    _ kind: MigrationError.Kind, _ world: MigrationWorld, _ steps: String
  ) {
    #expect {
      _ = try world.migrate(steps)
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.kind == kind
    }
  }

  // MARK: Cycles

  /// No SDK allows the class `E`, which contains itself.
  private func cyclic() throws -> MigrationWorld {
    try world(
      schema: #"""
        {"name":"Node","keyMember":"_key","properties":{"next":"Node?","e":"E?","leaf":"Leaf?"}},
        {"name":"E","embedded":true,"properties":{"inner":"E?"}},
        {"name":"Leaf","keyMember":"_key","properties":{"text":"string"}}
        """#,
      objects: #"""
        "Node":[{"_key":0,"next":1,"e":{"inner":{"inner":null}},"leaf":0},
        {"_key":1,"next":0,"e":null,"leaf":null}],
        "Leaf":[{"_key":0,"text":"x"}]
        """#)
  }

  @Test("a class that would contain itself is refused, also next to one that already does")
  func cycle() throws {
    let world = try cyclic()
    #expect {
      _ = try world.migrate("set-embedded: {class: Node}")
    } throws: { error in
      guard let error = error as? PlanError else { return false }
      return error.kind == .rule
        && error.message == "objects of the embedded class Node would contain themselves"
    }
  }

  @Test("an existing cycle does not affect other classes")
  func oldCycle() throws {
    let json = try cyclic().migrate(
      "set-embedded: {class: Leaf}\nadd-property: {class: E, name: second, type: 'E?'}"
    ).json
    #expect(
      JSONValue.array(json.values(of: "Node", "leaf").compactMap(\.self))
        == (try JSONValue(#"[{"text":"x"},null]"#)))
    #expect(
      json.values(of: "Node", "e").first
        == (try JSONValue(#"{"inner":{"inner":null,"second":null},"second":null}"#)))
  }

  @Test("objects that would be nested deeper than the limit are refused")
  func depth() throws {
    /// A realm with `count` objects of `E`, one inside the other; the last one has a link.
    func world(_ count: Int) throws -> MigrationWorld {
      let chain =
        String(repeating: #"{"x":null,"e":"#, count: count - 1) + #"{"x":0,"e":null}"#
        + String(repeating: "}", count: count - 1)
      return try self.world(
        schema: #"""
          {"name":"Top","keyMember":"_key","properties":{"e":"E?"}},
          {"name":"E","embedded":true,"properties":{"x":"T?","e":"E?"}},
          {"name":"T","keyMember":"_key","properties":{"n":"int"}}
          """#,
        objects: #"""
          "Top":[{"_key":0,"e":\#(chain)}],
          "T":[{"_key":0,"n":1}]
          """#)
    }
    expect(.tooDeep(500), try world(500), "set-embedded: {class: T}")
    // The parser of the tests does not read JSON of that depth.
    let deepest = try world(499)
    let plan = try deepest.folder.write(
      Array(migrationPlan("set-embedded: {class: T}").utf8), to: "plan.yml")
    let report = try MigrateJob(
      path: deepest.path, key: nil,
      destination: .file(deepest.folder.path("out.realm"), replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    #expect(report.steps.map(\.changedObjects) == [1])
  }

  // MARK: Large collections

  private static let linking = #"""
    {"name":"Owner","keyMember":"_key","properties":{"any":"mixed","parts":"Part[]"}},
    {"name":"Part","keyMember":"_key","properties":{"n":"int","many":"int[]"}}
    """#

  private func list(_ count: Int, of element: String, last: String) -> String {
    "[" + String(repeating: element + ",", count: count - 1) + last + "]"
  }

  @Test("a mixed link is found in a large nested collection, at any depth")
  func mixedLink() throws {
    let link = #"{"$link":{"class":"Part","id":0}}"#
    for last in ["1", link, "[1,[2,\(link)]]"] {
      let world = try world(
        schema: Self.linking,
        objects: #"""
          "Owner":[{"_key":0,"any":[\#(list(70_000, of: "1", last: last))],"parts":[0]}],
          "Part":[{"_key":0,"n":4,"many":[]}]
          """#)
      if last == "1" {
        let json = try world.migrate("set-embedded: {class: Part}").json
        #expect(json.values(of: "Owner", "any").first??.array?.first?.array?.count == 70_000)
        #expect(
          json.values(of: "Owner", "parts").first == (try JSONValue(#"[{"n":4,"many":[]}]"#)))
      } else {
        expect(.mixedLink, world, "set-embedded: {class: Part}")
      }
    }
  }

  @Test("a collection that is too large to be copied is reported, also in a large collection")
  func tooMany() throws {
    for count in [2, 70_000] {
      let world = try world(
        schema: Self.linking,
        objects: #"""
          "Owner":[{"_key":0,"any":null,"parts":\#(list(count, of: "0", last: "1"))}],
          "Part":[{"_key":0,"n":4,"many":[1]},
          {"_key":1,"n":5,"many":\#(list(70_000, of: "1", last: "2"))}]
          """#)
      expect(
        .tooMany(
          "a collection of an object that would be embedded has more than 65536 elements"), world,
        "set-embedded: {class: Part}")
    }
  }

  @Test("a large list of links becomes a list of as many objects")
  func largeList() throws {
    let world = try world(
      schema: Self.linking,
      objects: #"""
        "Owner":[{"_key":0,"any":null,"parts":\#(list(70_000, of: "0", last: "1"))}],
        "Part":[{"_key":0,"n":4,"many":[1]},{"_key":1,"n":5,"many":[]}]
        """#)
    let result = try world.migrate("set-embedded: {class: Part}")
    let parts = result.json.values(of: "Owner", "parts").first??.array ?? []
    #expect(parts.count == 70_000)
    #expect(parts.first == (try JSONValue(#"{"n":4,"many":[1]}"#)))
    #expect(parts.last == (try JSONValue(#"{"n":5,"many":[]}"#)))
    #expect(result.report.steps.map(\.copiedObjects) == [69_998])
  }
}
