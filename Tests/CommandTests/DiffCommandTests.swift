import Foundation
import TestSupport
import Testing

/// The changes between two exports, found without the code under test: a line for each object, and the names of the
/// properties that differ.
private struct ExportComparison {
  private(set) var changes: Set<String> = []

  private struct Contents {
    var objects: [String: JSONValue] = [:]
    var sets: [String: Set<String>] = [:]

    init(_ export: [UInt8]) throws {
      let lines = try #require(RealmJSONLines(try JSONParser.parseLines(export)))
      var identities: [String: String] = [:]
      for one in lines.head["schema"]?.array ?? [] {
        let name = one["name"]?.string ?? ""
        identities[name] = one["primaryKey"]?.string ?? one["keyMember"]?.string
        for member in one["properties"]?.members ?? [] {
          let type = member.value.string ?? member.value["type"]?.string ?? ""
          if type.hasSuffix("<>") { sets[name, default: []].insert(member.name) }
        }
      }
      for (name, object) in lines.objects {
        let identity = identities[name].flatMap { object[$0] } ?? .null
        objects["\(name) \(identity)"] = .object(
          (object.members ?? []).filter { $0.name != "_key" })
      }
    }
  }

  init(_ before: [UInt8], _ after: [UInt8]) throws {
    let (old, new) = (try Contents(before), try Contents(after))
    for (identity, object) in old.objects {
      guard let other = new.objects[identity] else {
        changes.insert("removed \(identity)")
        continue
      }
      let className = String(identity.split(separator: " ", maxSplits: 1)[0])
      let sets = old.sets[className] ?? []
      let names = object.names.filter { name in
        let (a, b) = (object[name], other[name])
        guard sets.contains(name) else { return a != b }
        // The order of links in sets follows object keys.
        return Set((a?.array ?? []).map { "\($0)" }) != Set((b?.array ?? []).map { "\($0)" })
      }
      if !names.isEmpty { changes.insert("changed \(identity) \(names.sorted())") }
    }
    for identity in new.objects.keys where old.objects[identity] == nil {
      changes.insert("added \(identity)")
    }
  }

  /// The changes in the lines of `diff --format ndjson`.
  static func changes(_ lines: [JSONValue]) -> Set<String> {
    Set(
      lines.compactMap { line in
        guard let kind = line["change"]?.string, kind != "schema" else { return nil }
        let identity = "\(line["class"]?.string ?? "") \(line["id"] ?? .null)"
        guard kind == "changed" else { return "\(kind) \(identity)" }
        return "changed \(identity) \((line["new"]?.names ?? []).sorted())"
      })
  }
}

@Suite("realm-cli diff")
struct DiffCommandTests {
  private static let current =
    Lived.names.filter { !$0.contains("-format-") }.map { Lived.path("\($0).realm") }
    + ["people", "churned", "links"].map { Golden.path("\($0).realm") }

  @Test("--previous names exactly the changes between both exports", arguments: current)
  func previous(path: String) throws {
    let before = try runTool("export", path, "--previous", "--format", "ndjson")
    // The first commit has no previous one.
    guard before.status == 0 else { return }
    let after = try runTool("export", path, "--format", "ndjson")
    let expected = try ExportComparison(before.stdout, after.stdout)
    let result = try runTool("diff", "--previous", path, "--format", "ndjson")
    #expect(result.stderr == "")
    let lines = try JSONParser.parseLines(result.stdout)
    #expect(ExportComparison.changes(lines) == expected.changes)
    #expect(result.status == 0 || !expected.changes.isEmpty || lines.count > 1)
  }

  @Test(
    "two realms: names exactly the changes between both exports",
    arguments: [("people", "people-synced"), ("people-synced", "people-synced-uploaded")])
  func two(old: String, new: String) throws {
    let (a, b) = (Golden.path("\(old).realm"), Golden.path("\(new).realm"))
    let expected = try ExportComparison(
      try runTool("export", a, "--format", "ndjson").stdout,
      try runTool("export", b, "--format", "ndjson").stdout)
    let result = try runTool("diff", a, b, "--format", "ndjson")
    let changes = ExportComparison.changes(try JSONParser.parseLines(result.stdout))
    #expect(changes == expected.changes)
  }

  @Test("copies of a realm are equal", arguments: ["people", "links", "all-types", "nested-mixed"])
  func copies(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("\(name).realm")
    let file = "\(name).realm"
    #expect(try runTool("keygen", "-o", "key", folder: folder.url).status == 0)
    for (arguments, copy) in [
      (["compact", file, "-o", "compact.realm"], "compact.realm"),
      (["encrypt", file, "-o", "secret.realm", "--new-key-file", "key"], "secret.realm"),
      (["export", file, "--format", "ndjson", "-o", "x.ndjson"], "x.ndjson"),
      (["import", "x.ndjson", "-o", "again.realm"], "again.realm"),
    ] {
      #expect(try runTool(arguments, folder: folder.url).status == 0)
      let result = try runTool(
        ["diff", file, copy], environment: ["REALM_CLI_KEY_FILE": "key"], folder: folder.url)
      #expect(result.status == 0, "\(copy): \(result.text)\(result.stderr)")
      #expect(result.text.hasSuffix("the realms are equal\n"))
    }
  }

  @Test("realms of formats 11 to 23 equal their upgrades")
  func upgrades() throws {
    for name in Lived.names where name.contains("-format-") {
      let folder = try TemporaryFolder()
      let path = Lived.path("\(name).realm")
      #expect(try runTool("upgrade", path, "-o", "new.realm", folder: folder.url).status == 0)
      let result = try runTool("diff", path, "new.realm", folder: folder.url)
      #expect(result.status == 0, "\(name): \(result.text)\(result.stderr)")
    }
  }

  private static let schema = """
    [{"name":"Address","embedded":true,"properties":{"street":"string"}},\
    {"name":"Person","primaryKey":"id","properties":{"id":"int","age":"int","tags":"string[]",\
    "ratings":"int{}","address":"Address?","any":"mixed","friends":"Person<>"}},\
    {"name":"Note","keyMember":"_key","properties":{"text":"string"}}]
    """

  private static func text(_ people: [String], _ notes: [String]) -> [UInt8] {
    Array(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":null},
      "schema":\(schema),"objects":{"Person":[\(people.joined(separator: ","))],
      "Note":[\(notes.joined(separator: ","))]}}
      """.utf8)
  }

  private static func person(
    _ id: Int, age: Int = 31, tags: String = #"["a","b","c"]"#, ratings: String = #"{"a":1}"#,
    street: String = "A", any: String = "[1,2.5]", friends: String = "[]"
  ) -> String {
    """
    {"id":\(id),"age":\(age),"tags":\(tags),"ratings":\(ratings),"address":{"street":"\(street)"},\
    "any":\(any),"friends":\(friends)}
    """
  }

  @Test("text shows paths with old and new values")
  func paths() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Self.text(
        [Self.person(1), Self.person(2), Self.person(3, friends: "[1]")],
        [#"{"_key":0,"text":"x"}"#]), to: "a.json")
    try folder.write(
      Self.text(
        // In the other order, so that the object keys differ.
        [
          Self.person(4), Self.person(3, friends: "[1]"),
          Self.person(
            1, age: 32, tags: #"["a","x","c","d"]"#, ratings: #"{"a":2,"b":3}"#, street: "B",
            any: "[1,2.5,null]", friends: "[4]"),
        ], [#"{"_key":0,"text":"y"}"#]), to: "b.json")
    let result = try runTool("diff", "a.json", "b.json", folder: folder.url)
    #expect(result.status == 1, "\(result.stderr)")
    #expect(
      result.text == """
        Person  1 added, 1 removed, 1 changed, 1 equal
          ~ 1
            age: 31 -> 32
            tags[1]: "b" -> "x"
            tags[3]: +"d"
            ratings["a"]: 1 -> 2
            ratings["b"]: +3
            address.street: "A" -> "B"
            any[2]: +null
            friends: +4
          - 2
          + 4
        Note  1 changed, 0 equal
          ~ 0
            text: "x" -> "y"

        """)
    let summary = try runTool("diff", "a.json", "b.json", "--summary", folder: folder.url)
    #expect(
      summary.text == "Person  1 added, 1 removed, 1 changed, 1 equal\nNote  1 changed, 0 equal\n")
    let ignored = try runTool(
      "diff", "a.json", "b.json", "--class", "Note", "--ignore", "Note.text", folder: folder.url)
    #expect(ignored.status == 0)
    let content = try runTool(
      "diff", "a.json", "b.json", "--class", "Note", "--match", "content", folder: folder.url)
    #expect(content.text == "Note  1 added, 1 removed, 0 equal\n  - 0\n  + 0\n")
  }

  @Test("a new property counts only where it is not null or default")
  func addedProperty() throws {
    let folder = try TemporaryFolder()
    func text(_ type: String, _ objects: String) -> [UInt8] {
      Array(
        """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":null},
        "schema":[{"name":"P","primaryKey":"id","properties":{"id":"int"\(type)}}],
        "objects":{"P":[\(objects)]}}
        """.utf8)
    }
    try folder.write(text("", #"{"id":1},{"id":2}"#), to: "a.json")
    try folder.write(
      text(
        #","n":"int?","s":"string""#, #"{"id":1,"n":null,"s":""},{"id":2,"n":5,"s":""}"#),
      to: "b.json")
    let result = try runTool("diff", "a.json", "b.json", "--format", "ndjson", folder: folder.url)
    #expect(result.status == 1, "\(result.stderr)")
    #expect(
      result.text == """
        {"change":"schema","class":"P","property":"n","is":"propertyAdded"}
        {"change":"schema","class":"P","property":"s","is":"propertyAdded"}
        {"change":"changed","class":"P","id":2,"old":{},"new":{"n":5}}
        {"counts":{"P":{"added":0,"removed":0,"changed":1,"equal":1}}}

        """)
    let lines = try runTool("diff", "a.json", "b.json", folder: folder.url)
    #expect(
      lines.text == """
        schema  P.n  added: int?
        schema  P.s  added: string
        P  1 changed, 1 equal
          ~ 2
            n: +5

        """)
  }

  @Test("NaNs are equal; -0.0 and 0.0 are not")
  func floats() throws {
    let folder = try TemporaryFolder()
    func text(_ nan: String, _ zero: String) -> [UInt8] {
      Array(
        """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":null},
        "schema":[{"name":"P","primaryKey":"id","properties":{"id":"int","d":"double"}}],
        "objects":{"P":[{"id":1,"d":\(nan)},{"id":2,"d":\(zero)}]}}
        """.utf8)
    }
    try folder.write(text(#"{"$numberDouble":"NaN"}"#, "0.0"), to: "a.json")
    try folder.write(
      text(#"{"$numberDouble":"NaN","$bits":"7ff8000000000001"}"#, "-0.0"), to: "b.json")
    let result = try runTool("diff", "a.json", "b.json", folder: folder.url)
    #expect(result.text == "P  1 changed, 1 equal\n  ~ 2\n    d: 0.0 -> -0.0\n")
  }

  @Test(
    "wrong arguments", arguments: [["a"], ["--previous", "a", "b"], ["a", "b", "--max", "-1"]])
  func usage(arguments: [String]) throws {
    #expect(try runTool(["diff"] + arguments).status == 64)
  }

  @Test("an unknown class or property is an error")
  func unknown() throws {
    let path = Golden.path("people.realm")
    #expect(try runTool("diff", path, path, "--class", "Cat").status == 64)
    let result = try runTool("diff", path, path, "--ignore", "Person.cat")
    #expect(result.status == 64)
    #expect(result.stderr.contains("Person.cat"))
  }
}
