import Foundation
import TestSupport
import Testing

/// Collections that do not fit into one batch, and sets whose order depends on other objects.
@Suite("Import and export of large collections")
struct LargeCollectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Realm JSON with these classes and objects.
  private func document(_ schema: String, _ objects: String) -> String {
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":["#
      + schema + #"],"objects":{"# + objects + "}}"
  }

  /// Imports `text`, and expects a realm without errors.
  private func importText(_ text: String, _ options: String...) throws {
    _ = try folder.write(Array(text.utf8), to: "a.json")
    let result = try runTool(["import", "a.json"] + options, folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    let verified = try runTool("verify", "--strict", "a.realm", folder: folder.url)
    #expect(verified.status == 0, "\(verified.text)")
  }

  /// The objects of the export, without the `{"class":…` around them.
  private func objects() throws -> [String] {
    let result = try runTool("export", "a.realm", "--format", "ndjson", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    return result.text.split(separator: "\n").dropFirst().dropLast().map { line in
      let start = line.range(of: #""object":"#)?.upperBound ?? line.startIndex
      return String(line[start...].dropLast())
    }
  }

  private func numbers(_ count: Int, _ element: (Int) -> String = { "\($0)" }) -> String {
    "[" + (0..<count).map(element).joined(separator: ",") + "]"
  }

  @Test(
    "a cluster with more elements than a batch is read once",
    arguments: [(300, 512), (40_000, 12)])
  func splitCluster(elements: Int, count: Int) throws {
    let list = numbers(elements)
    let objects = (0..<count).map { #"{"id":\#($0),"l":\#(list)}"# }
    try importText(
      document(
        #"{"name":"P","primaryKey":"id","properties":{"id":"int","l":"int[]"}}"#,
        #""P":["# + objects.joined(separator: ",") + "]"), "-o", "a.realm")
    #expect(try self.objects() == objects)
  }

  /// `importText` verifies only the realm before.
  @Test("large sets and dictionaries have the order of the format after redaction")
  func redaction() throws {
    let strings = numbers(40_000) { "\"s\(100_000 + $0)\"" }
    // Four letters, so that many replacements are equal at first.
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let members = numbers(20_000) { i in
      "\"" + String([1, 26, 676, 17_576].map { letters[i / $0 % 26] }) + "\""
    }
    let entries =
      "{" + (0..<30_000).map { "\"k\($0)\":{\"x\":\($0)}" }.joined(separator: ",") + "}"
    try importText(
      document(
        #"{"name":"P","primaryKey":"id","properties":{"id":"int","s":"string<>","m":"mixed<>","d":"E?{}"}},"#
          + #"{"name":"E","embedded":true,"properties":{"x":"int"}}"#,
        #""P":[{"id":1,"s":\#(strings),"m":\#(members),"d":\#(entries)}]"#), "-o", "a.realm")
    for options in [[], ["--keep", "E.x"]] {
      let result = try runTool(
        ["redact", "a.realm", "-o", "r.realm", "--seed", "1", "--force"] + options,
        folder: folder.url)
      #expect(result.status == 0, "\(result.stderr)")
      let verified = try runTool("verify", "r.realm", folder: folder.url)
      #expect(verified.status == 0, "\(verified.text)")
    }
    for (path, count) in [("s", 40_000), ("m", 20_000), ("d", 30_000)] {
      let found = try runTool(
        "query", "r.realm", "P", "\(path).@count == \(count)", "--count", folder: folder.url)
      #expect(found.text == "1\n", "\(path): \(found.text)\(found.stderr)")
    }
    // The kept values are those of their own entries, although these are in another order now.
    let sum = try runTool(
      "query", "r.realm", "P", "--sum", "d[*].x", folder: folder.url)
    #expect(sum.text == "\(30_000 * 29_999 / 2)\n", "\(sum.stderr)")
  }

  @Test("a patch with several objects of several large collections of embedded objects applies")
  func patch() throws {
    let schema =
      #"{"name":"B","primaryKey":"id","properties":{"id":"int","l":"int[]","e":"E[]","d":"E?{}"}},"#
      + #"{"name":"E","embedded":true,"properties":{"x":"int"}}"#
    let (list, embedded) = (numbers(40_000), numbers(18_000) { #"{"x":\#($0)}"# })
    let entries =
      "{" + (0..<18_000).map { "\"k\($0)\":{\"x\":\($0)}" }.joined(separator: ",") + "}"
    func object(_ id: Int, _ list: String) -> String {
      #"{"id":\#(id),"l":\#(list),"e":\#(embedded),"d":\#(entries)}"#
    }
    let old = #""B":["# + object(1, list) + "]"
    let new = #""B":["# + object(1, "[1]") + "," + object(3, list) + "]"
    try importText(document(schema, new), "-o", "a.realm")
    try FileManager.default.moveItem(
      atPath: folder.path("a.realm"), toPath: folder.path("new.realm"))
    try importText(document(schema, old), "-o", "a.realm")
    let script = """
      realm-cli diff a.realm new.realm --format patch -o p.patch
      realm-cli apply p.patch a.realm -o b.realm && realm-cli diff b.realm new.realm --summary
      """
    let result = try runScript(script, folder: folder.url)
    #expect(result.status == 0, "\(result.text)\(result.stderr)")
  }

  @Test("embedded objects that come in runs survive the import of others")
  func embeddedRuns() throws {
    let many = numbers(70_000) { #"{"n":\#($0),"l":[]}"# }
    let few = numbers(2) { #"{"n":\#($0),"l":\#(numbers(40_000))}"# }
    let objects = [#"{"id":1,"e":\#(many)}"#, #"{"id":2,"e":\#(few)}"#]
    try importText(
      document(
        #"{"name":"P","primaryKey":"id","properties":{"id":"int","e":"E[]"}},"#
          + #"{"name":"E","embedded":true,"properties":{"n":"int","l":"int[]"}},"#
          + #"{"name":"X","primaryKey":"id","properties":{"id":"int"}}"#,
        #""P":["# + objects.joined(separator: ",") + #"],"X":[]"#), "-o", "a.realm")
    try importText(#"{"X":[{"id":5}]}"#, "--into", "a.realm")
    #expect(try self.objects() == objects + [#"{"id":5}"#])
  }

  private static let team =
    #"{"name":"Person","primaryKey":"id","properties":{"id":"int"}},"#
    + #"{"name":"Team","primaryKey":"id","properties":{"id":"int","s":"Person<>"}}"#

  @Test("a large set of links is in the order of the keys that its targets keep")
  func largeSet() throws {
    let count = 70_000
    // The persons get their keys in descending order of their ids.
    let persons = (1...count).reversed().map { #"{"id":\#($0)}"# }.joined(separator: ",")
    try importText(document(Self.team, #""Person":[\#(persons)],"Team":[]"#), "-o", "a.realm")
    let ascending = (1...count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    try importText(
      #"{"Person":[\#(ascending)],"Team":[{"id":1,"s":\#(numbers(count) { "\($0 + 1)" })}]}"#,
      "--into", "a.realm", "--mode", "upsert")
    let team = try #require(try objects().last)
    #expect(team == #"{"id":1,"s":\#(numbers(count) { "\(count - $0)" })}"#)
  }

  @Test("a set is in order after the target of an unresolved link arrived")
  func arrivedTarget() throws {
    try importText(
      document(
        Self.team,
        #""Person":[{"id":1},{"id":2}],"#
          + #""Team":[{"id":1,"s":[1,2,{"$link":{"id":3,"unresolved":true}}]}]"#), "-o", "a.realm")
    try importText(#"{"Person":[{"id":3}]}"#, "--into", "a.realm")
    #expect(try objects().last == #"{"id":1,"s":[1,2,3]}"#)
  }

  @Test("a null primary key and no integer are the same")
  func nullKey() throws {
    let schema = #"{"name":"P","primaryKey":"id","properties":{"id":"int?","n":"string"}}"#
    try importText(document(schema, #""P":[{"id":null,"n":"null"}]"#), "-o", "a.realm")
    // This number once had the hash of null.
    try importText(
      #"{"P":[{"id":-7607213358146402862,"n":"int"}]}"#, "--into", "a.realm", "--mode", "upsert")
    #expect(
      try objects() == [#"{"id":null,"n":"null"}"#, #"{"id":-7607213358146402862,"n":"int"}"#])
  }

  @Test("a link to a key that only the import assigned has no target")
  func madeUpKey() throws {
    try importText(
      document(
        #"{"name":"Dog","properties":{"n":"int"},"keyMember":"_key"},"#
          + #"{"name":"P","primaryKey":"id","properties":{"id":"int","d":"Dog?"}}"#,
        #""Dog":[{"_key":5,"n":1}],"P":[]"#), "-o", "a.realm")
    try importText(
      #"{"Dog":[{"n":2}],"P":[{"id":1,"d":0}]}"#, "--into", "a.realm", "--null-missing-links")
    #expect(
      try objects() == [
        #"{"_key":5,"n":1}"#, #"{"_key":6,"n":2}"#, #"{"id":1,"d":null}"#,
      ])
  }

  @Test("objects that no realm can have are refused, and there is no file")
  func refused() throws {
    let columns = (0..<65_541).map { #""p\#($0)":"int""# }.joined(separator: ",")
    let links = (0..<33_000).map { #""p\#($0)":"A?""# }.joined(separator: ",")
    let cases = [
      (
        document(
          #"{"name":"P","primaryKey":"id","properties":{"id":"int","m":"mixed<>"}}"#,
          #""P":[{"id":1,"m":[[1,2],[3],{"a":1},null]}]"#),
        "a set cannot hold lists and dictionaries"
      ),
      (
        document(
          #"{"name":"P","primaryKey":"id","properties":{"id":"string"}},"#
            + #"{"name":"Q","primaryKey":"id","properties":{"id":"int","l":"P?"}}"#,
          #""P":[],"Q":[{"id":1,"l":{"$link":{"id":null,"unresolved":true}}}]"#),
        "the P null, which does not exist"
      ),
      (
        document(#"{"name":"A","properties":{\#(columns)}}"#, #""A":[]"#),
        "more than 65535 properties"
      ),
      (
        document(#"{"name":"A","properties":{\#(links)}}"#, #""A":[]"#),
        "more than 65535 properties"
      ),
    ]
    for (text, message) in cases {
      _ = try folder.write(Array(text.utf8), to: "a.json")
      let result = try runTool("import", "a.json", "-o", "a.realm", folder: folder.url)
      #expect(result.status == 65)
      #expect(result.stderr.contains(message), "\(result.stderr)")
      #expect(try folder.contents().keys.sorted() == ["a.json"])
    }
  }
}
