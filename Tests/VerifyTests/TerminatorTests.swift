import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Strings in every place, each without the zero byte at its end (chapter 2, rule L8).
@Suite("Zero bytes at the end of strings")
struct TerminatorTests {
  /// The type of a property, and its value with the string in place of `$`.
  private static let places = [
    ("string", "$"), ("string[]", "[$]"), ("string<>", "[$]"), ("mixed", "$"), ("mixed", "[1,[$]]"),
    ("mixed", #"{"k":$}"#), ("mixed", "{$:1}"), ("mixed[]", "[$]"), ("mixed<>", "[$]"),
    ("int{}", "{$:1}"), ("string{}", #"{"k":$}"#), ("mixed{}", #"{"k":{$:1}}"#),
  ]

  /// Strings of 40 bytes are in one node for the leaf, strings of 100 bytes in nodes of their own (section 3.5).
  @Test(
    "a missing one is found in every place",
    arguments: places.flatMap { place in [40, 100].map { (place.0, place.1, $0) } })
  func missing(type: String, value: String, byteCount: Int) throws {
    let folder = try TemporaryFolder()
    let string = "find me " + String(repeating: "x", count: byteCount - 8)
    let path = try folder.importRealm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"P","keyMember":"_key","properties":{"p":"\(type)"}}],
      "objects":{"P":[{"_key":0,"p":\(value.replacing("$", with: "\"\(string)\""))}]}}
      """)
    #expect(try errors(of: path).isEmpty)
    var bytes = try readFile(path)
    let start = try #require(EditedRealm(bytes).find(Array(string.utf8)))
    #expect(bytes[start + byteCount] == 0)
    bytes[start + byteCount] = 65
    let damaged = try folder.write(bytes, to: "damaged.realm")
    let found = try errors(of: damaged)
    #expect(found.map(\.rule) == [.leafTerminator])
    #expect(found.first?.className == "P")
    #expect(found.first?.property == "p")
  }
}
