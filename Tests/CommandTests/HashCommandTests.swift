import Foundation
import TestSupport
import Testing

@Suite("realm-cli hash")
struct HashCommandTests {
  /// The report on the content, without what it says of the file.
  private static func hash(
    _ arguments: String..., folder: URL? = nil, key: String? = nil
  ) throws -> JSONValue {
    let environment = key.map { ["REALM_CLI_KEY_FILE": $0] } ?? [:]
    let result = try runTool(
      ["hash", "--json"] + arguments, environment: environment, folder: folder)
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    return .object((report.members ?? []).filter { $0.name != "path" })
  }

  /// The interpreter itself: `python3` can be a script that chooses one, which takes longer than the test.
  private static let python: String = {
    let found = try? runScript("python3 -c 'import sys; print(sys.executable, end=\"\")'")
    return found.flatMap { $0.text.isEmpty ? nil : $0.text } ?? "python3"
  }()

  @Test(
    "equals what Scripts/content-hash computes from the export",
    arguments: Golden.names.filter { !$0.hasSuffix("-encrypted") }.map {
      Golden.path("\($0).realm")
    }
      // Python takes its time.
      + Lived.names.enumerated().filter { $0.offset % 3 == 0 }
      .map { Lived.path("\($0.element).realm") })
  func reference(path: String) throws {
    let report = try Self.hash(path)
    let tool = toolURL.path
    let script = packageFolder.appending(path: "Scripts/content-hash").path
    let result = try runScript(
      "'\(tool)' export '\(path)' --format ndjson | '\(Self.python)' '\(script)'")
    #expect(result.status == 0, "\(result.stderr)")
    var expected = ["\(report["schema"]?.string ?? "")    schema"]
    for one in (report["classes"]?.array ?? []).sorted(by: {
      ($0["name"]?.string ?? "").utf8.lexicographicallyPrecedes(($1["name"]?.string ?? "").utf8)
    }) {
      expected.append(
        "\(one["hash"]?.string ?? "")    \(one["name"]?.string ?? ""), \(one["objects"]?.int ?? -1)"
      )
    }
    expected.append("\(report["hash"]?.string ?? "")    all")
    #expect(result.text.split(separator: "\n").map(String.init) == expected)
  }

  @Test(
    "is equal for copies of a realm",
    arguments: ["people", "links", "all-types", "strings", "nested-mixed", "unresolved"])
  func copies(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("\(name).realm")
    let file = "\(name).realm"
    let original = try Self.hash(file, folder: folder.url)
    let key = try runTool("keygen", "-o", "key", folder: folder.url)
    #expect(key.status == 0)
    for (arguments, copy) in [
      (["compact", file, "-o", "compact.realm"], "compact.realm"),
      (["encrypt", file, "-o", "secret.realm", "--new-key-file", "key"], "secret.realm"),
      (["export", file, "--format", "ndjson", "-o", "x.ndjson"], "x.ndjson"),
      (["export", file, "-o", "x.json"], "x.json"),
      (["import", "x.json", "-o", "again.realm"], "again.realm"),
      (
        ["convert", "--to", "local", "--discard-unsynced", file, "-o", "local.realm"], "local.realm"
      ),
    ] {
      let result = try runTool(arguments, folder: folder.url)
      #expect(result.status == 0, "\(arguments): \(result.stderr)")
      #expect(try Self.hash(copy, folder: folder.url, key: "key") == original, "\(copy)")
    }
  }

  @Test("is equal for a realm of an old format and its upgrade")
  func upgraded() throws {
    for name in Lived.names where name.contains("-format-") {
      let folder = try TemporaryFolder()
      let path = Lived.path("\(name).realm")
      let result = try runTool("upgrade", path, "-o", "new.realm", folder: folder.url)
      #expect(result.status == 0, "\(name): \(result.stderr)")
      #expect(try Self.hash(path) == Self.hash("new.realm", folder: folder.url), "\(name)")
    }
  }

  /// A realm of two classes, one without a primary key.
  private static func text(name: String = "Ada", key: Int = 7, age: Int = 3) -> String {
    """
    {"realm":{"format":"realm-json","version":1,"schemaVersion":null},
    "schema":[{"name":"P","primaryKey":"id","properties":{"id":"int","name":"string"}},
    {"name":"D","keyMember":"_key","properties":{"age":"int","owner":"P?"}}],
    "objects":{"P":[{"id":1,"name":"\(name)"},{"id":2,"name":"Bob"}],
    "D":[{"_key":\(key),"age":\(age),"owner":2}]}}
    """
  }

  @Test("differs in the class with another value, and only there")
  func differences() throws {
    let folder = try TemporaryFolder()
    func hash(_ text: String) throws -> (all: String?, classes: [String?]) {
      try folder.write(Array(text.utf8), to: "x.json")
      let report = try Self.hash("x.json", folder: folder.url)
      return (report["hash"]?.string, report["classes"]?.array?.map { $0["hash"]?.string } ?? [])
    }
    let base = try hash(Self.text())
    let renamed = try hash(Self.text(name: "Adb"))
    #expect(base.all != renamed.all)
    #expect(base.classes[0] != renamed.classes[0])
    #expect(base.classes[1] == renamed.classes[1])
    // An object key is the identity of an object without primary key.
    for other in [try hash(Self.text(key: 8)), try hash(Self.text(age: 4))] {
      #expect(base.classes[0] == other.classes[0])
      #expect(base.classes[1] != other.classes[1])
    }
  }

  @Test("objects with primary keys may have any order and any object keys")
  func order() throws {
    let folder = try TemporaryFolder()
    let (one, other) = (#"{"id":1,"name":"Ada"}"#, #"{"id":2,"name":"Bob"}"#)
    let swapped = Self.text().replacingOccurrences(of: "\(one),\(other)", with: "\(other),\(one)")
    #expect(swapped != Self.text())
    try folder.write(Array(Self.text().utf8), to: "a.json")
    try folder.write(Array(swapped.utf8), to: "b.json")
    #expect(
      try Self.hash("a.json", folder: folder.url) == Self.hash("b.json", folder: folder.url))
  }

  @Test("a class alone has no digest for all; an unknown or embedded class is an error")
  func classes() throws {
    let path = Golden.path("links.realm")
    let report = try Self.hash("--class", "Dog", path)
    #expect(report["hash"] == .null)
    #expect(report["classes"]?.array?.compactMap { $0["name"]?.string } == ["Dog"])
    #expect(try runTool("hash", "--class", "Cat", path).status == 64)
  }

  @Test("a text that is cut off has no digest")
  func truncated() throws {
    let folder = try TemporaryFolder()
    let text = try runTool("export", Golden.path("people.realm"), "--format", "ndjson").stdout
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    try folder.write(Array(lines.dropLast(2).joined(separator: [0x0A])) + [0x0A], to: "x.ndjson")
    let result = try runTool("hash", "x.ndjson", folder: folder.url)
    #expect(result.status == 65)
    #expect(result.text == "")
  }
}
