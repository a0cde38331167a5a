import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Written plans, with names that mean something in YAML or in the notation of types.
@Suite("Written migration plans")
struct PlanTextTests {
  /// Names of classes: line ends of YAML, forbidden characters, anchors, types and quoted strings.
  private static let names = [
    "a\nb", "c\rd", "e\u{85}f", "g\u{2028}h", "i\u{2029}j", "k\u{7}l", "m\u{7F}n", "o\u{FFFE}p",
    "q\u{FEFF}", "&r", "a &s", "*t", "# u", "'v'", "\"w\"", "x\\n", "y: {z", "int", "object", "A?",
    "B[]", "C<>", "D{}", "true", "null", "~", " e ", "ü", "😀", "- to: 9",
  ]

  private func json(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.properties.isAlphabetic
        ? String(scalar) : String(scalar).utf16.map { unit in "\\u" + hex(unit) }.joined()
    }
    return "\"\(escaped.joined())\""
  }

  private func hex(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Writes a schema with a class for each name, and a class that links to all of them.
  private func schema(
    _ folder: TemporaryFolder, as file: String, prefix: String, isLinked: Bool
  ) throws -> String {
    let classes = Self.names.map {
      #"{"name":\#(json($0)),"properties":{\#(json(prefix + $0)):"int"}}"#
    }
    let links = Self.names.enumerated().map { i, name in
      let collection = ["", #","collection":"list""#, #","collection":"dictionary""#][i % 3]
      return #""l\#(i)":{"type":"object","objectType":\#(json(name))\#(collection)}"#
    }
    let linking = #"{"name":"All","properties":{\#(isLinked ? links.joined(separator: ",") : "")}}"#
    return try folder.write(
      Array("[\((classes + [linking]).joined(separator: ",\n"))]".utf8), to: file)
  }

  /// The plan of the difference of two schemas, and whether it turns a realm of the first into the second.
  private func plan(_ folder: TemporaryFolder, from: String, to: String) throws -> String {
    let source = folder.path("from.realm")
    let empty = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[],"objects":{}}"#)
    try MigrateJob(
      path: empty, key: nil, destination: .file(source, replacing: true),
      source: .schema(path: from, to: 1, allowsDataLoss: false)
    ).runVerified()
    let text = try SchemaDiffJob(from: source, to: to).run(keys: TestKeys(key: nil)).plan
    let path = try folder.write(Array(text.utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    try MigrateJob(
      path: source, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: path, to: nil)
    ).runVerified()
    #expect(try schemaDifferences(from: out, to: to) == [])
    return text
  }

  @Test("names of any characters survive, in steps and in notes")
  func names() throws {
    let folder = try TemporaryFolder()
    let from = try schema(folder, as: "a.json", prefix: "p", isLinked: false)
    let to = try schema(folder, as: "b.json", prefix: "q", isLinked: true)
    let text = try plan(folder, from: from, to: to)
    let notes = text.split(separator: "\n").filter { $0.hasPrefix("    # perhaps rename-property") }
    #expect(notes.count == Self.names.count)
    #expect(text.contains(#"{class: "a\u000ab", from: "pa\u000ab", to: "qa\u000ab"} instead"#))
    #expect(
      text.contains(
        "name: l17, type: object, objectType: int, optional: true, collection: dictionary}"))
    #expect(text.contains("name: l18, type: object, objectType: object, optional: true}"))
    #expect(text.contains(#"type: object, objectType: "A?", collection: list}"#))
    #expect(text.contains(#"{class: "\"w\"", name: "p\"w\""}"#))
    #expect(text.contains(#"{class: "x\\n", name: "px\\n"}"#))
    // All other lines are lines of the plan, and no character ends a line elsewhere.
    #expect(text.split(whereSeparator: \.isNewline).count == text.split(separator: "\n").count)
  }

  @Test("a class cannot write steps with its name")
  func injection() throws {
    let folder = try TemporaryFolder()
    let name = "\u{2028}  - to: 9\n  - to: 8\u{85}  - to: 7\r  - to: 6"
    let empty = try folder.write(Array("[]".utf8), to: "a.json")
    let asymmetric = try folder.write(
      Array(#"[{"name":\#(json(name)),"asymmetric":true,"properties":{"_id":"int"}}]"#.utf8),
      to: "b.json")
    let text = try SchemaDiffJob(from: empty, to: asymmetric).run(keys: TestKeys(key: nil)).plan
    #expect(
      text == #"""
        realm-migration: 1
        versions:
          - to: 1
            # class \u2028  - to: 9\u000a  - to: 8\u0085  - to: 7\u000d  - to: 6 is asymmetric, which needs a synced realm
            steps: []

        """#)
  }

  @Test("dictionaries with integer keys, for which there is no notation, are reported")
  func integerKeys() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.write(Array("[]".utf8), to: "a.json")
    let other = try folder.write(
      Array(
        #"[{"name":"T","properties":{"d":{"type":"int","collection":"dictionary","keyType":"int"}}}]"#
          .utf8), to: "b.json")
    let text = try SchemaDiffJob(from: empty, to: other).run(keys: TestKeys(key: nil)).plan
    #expect(text.contains("# T.d is a dictionary with integer keys, which no step can add\n"))
    #expect(text.contains("- add-class: {name: T, properties: {}}\n"))
  }
}
