import RealmInterchange
import RealmJobs
import RealmModel
import TestJobs
import TestSupport
import Testing

@Suite("Values in Realm JSON")
struct RealmJSONValueTests {
  /// The minimum number of compared values of the realm, so that no test passes without comparing any.
  static let realms: [(name: String, leastValues: Int)] = [
    ("all-types", 11_500), ("links", 3_600), ("nested-mixed", 3_300), ("primary-keys", 4_200),
    ("unresolved", 160), ("names-v0", 12), ("churned", 2_700), ("tasks-local", 12),
    ("strings", 5_600), ("people", 48_000), ("people-encrypted", 24_000),
    ("people-synced-uploaded", 13_000),
  ]

  private func compare(_ document: JSONValue, _ name: String) throws -> ReferenceComparison {
    ReferenceComparison(
      document,
      reference: try JSONParser.parse(
        try Golden.bytes("\(name).core-xjson-plus.json"), as: .reference),
      plain: try (try? Golden.bytes("\(name).core-json.json")).map {
        try JSONParser.parse($0, as: .reference)
      })
  }

  @Test("json has every value that the reference shows", arguments: realms)
  func json(name: String, leastValues: Int) throws {
    let exported = try exportGolden(name, as: .json)
    let comparison = try compare(try JSONParser.parse(exported.bytes), name)
    #expect(comparison.differences == [])
    #expect(comparison.valueCount >= leastValues, "\(comparison.counts)")
    #expect(comparison.droppedMembers == exported.report.duplicateMembers)
  }

  @Test("ndjson has every value that the reference shows", arguments: realms)
  func ndjson(name: String, leastValues: Int) throws {
    let exported = try exportGolden(name, as: .ndjson)
    let lines = RealmJSONLines(try JSONParser.parseLines(exported.bytes))
    let comparison = try compare(try #require(lines?.document), name)
    #expect(comparison.differences == [])
    #expect(comparison.valueCount >= leastValues, "\(comparison.counts)")
  }

  @Test("values of every kind are among those compared")
  func kinds() throws {
    var kinds: Set<String> = []
    for name in ["all-types", "links", "nested-mixed", "primary-keys", "unresolved"] {
      let document = try JSONParser.parse(try exportGolden(name, as: .json).bytes)
      kinds.formUnion(try compare(document, name).counts.keys)
    }
    #expect(
      kinds == [
        "null", "bool", "int", "float", "double", "not finite", "decimal", "string", "binary",
        "date", "nanoseconds", "objectId", "uuid", "list", "set", "dictionary", "embedded object",
        "link", "mixed link", "link key", "key", "unresolved link", "unresolved link as null",
      ])
  }

  /// The reference prints such links as if their target existed, or as null.
  @Test("links to deleted objects differ from other links and from null")
  func unresolved() throws {
    let document = try JSONParser.parse(try exportGolden("unresolved", as: .json).bytes)
    let object = try #require(document["objects"]?["A"]?[2])
    let expected = try JSONParser.parse(
      #"{"$link":{"class":"B","id":2,"unresolved":true}}"#)
    #expect(object["b"] == expected)
    #expect(object["bs"]?[0] == expected)
    #expect(object["bs"]?[1] == .number("3"))
  }

  @Test("the comparison finds a value that was changed")
  func findsDifference() throws {
    let text = String(decoding: try exportGolden("links", as: .json).bytes, as: UTF8.self)
    let changed = try JSONParser.parse(text.replacing("\"age\":7,", with: "\"age\":8,"))
    #expect(try compare(changed, "links").differences.count == 1)
  }
}
