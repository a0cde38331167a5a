import Foundation
import TestSupport
import Testing

/// What `copy --app-dir` refuses, with hand-made folders of apps (chapter 4, section 7.1).
@Suite("realm-cli copy: users and apps that do not match")
struct UserCopyRefusalTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeApp(_ name: String, users: [String]) throws {
    try folder.writeApp("base/mongodb-realm/\(name)", users: users)
  }

  private func addRealm(_ place: String) throws {
    try folder.write(
      try Golden.bytes("tasks-synced-uploaded.realm"), to: "base/mongodb-realm/\(place)")
  }

  private func copy(_ arguments: String...) throws -> ToolResult {
    try runTool(
      ["copy", "--app-dir", "base", "--from-user", "frodo", "--to-user", "sam"] + arguments,
      folder: folder.url)
  }

  private func files() throws -> Set<String> { Set(try folder.contents().keys) }

  @Test("two users without a common app")
  func noCommonApp() throws {
    try makeApp("a", users: ["frodo"])
    try makeApp("b", users: ["sam"])
    try addRealm("a/frodo/x.realm")
    let before = try files()
    let result = try copy()
    #expect(result.status == 64)
    #expect(result.stderr.contains("no app has both users, frodo and sam"))
    #expect(result.stderr.contains("`realm-cli users list` shows the users of each app"))
    #expect(try files() == before)
  }

  @Test("a realm of two apps is copied if one of them is named")
  func severalApps() throws {
    for app in ["a", "b"] {
      try makeApp(app, users: ["frodo", "sam"])
      try addRealm("\(app)/frodo/x.realm")
    }
    let before = try files()
    let result = try copy("--json")
    #expect(result.status == 64)
    let error = try JSONParser.parse(Array(result.stderr.utf8))["error"]
    #expect(error?["code"]?.string == "severalApps")
    for app in ["a", "b"] {
      #expect(error?["message"]?.string?.contains("base/mongodb-realm/\(app)") == true)
    }
    #expect(error?["hint"]?.string == "name the folder of one of them with --app-dir")
    #expect(try files() == before)
    let named = try runTool(
      "copy", "--app-dir", "base/mongodb-realm/b", "--from-user", "frodo", "--to-user", "sam",
      folder: folder.url)
    #expect(named.status == 0, "\(named.stderr)")
    #expect(
      try files().subtracting(before) == [
        "base/mongodb-realm/b/sam", "base/mongodb-realm/b/sam/x.realm",
      ])
  }

  /// Section 7.3: the name is the SHA-256 of the absolute path of the realm of that user, which another user's
  /// realm does not have. Which user it belongs to is in the list.
  @Test("a realm with the hash of its path as its name")
  func hashedName() throws {
    let name = String(repeating: "0123456789ABCDEF", count: 4) + ".realm"
    let metadata = "base/mongodb-realm/a/server-utility/metadata"
    try makeApp("a", users: ["frodo", "sam"])
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":7},"schema":[{"name":"UserMetadata","#
      + #""keyMember":"_key","properties":{"identity":"string","state":"int","#
      + #""local_realm_paths":"string<>"}}],"objects":{"UserMetadata":["#
      + #"{"_key":0,"identity":"frodo","state":1,"local_realm_paths":["/old/mongodb-realm/a/\#(name)"]},"#
      + #"{"_key":1,"identity":"sam","state":1,"local_realm_paths":[]}]}}"#
    _ = try folder.write(Array(text.utf8), to: "users.json")
    let list = try runTool(
      "import", "users.json", "-o", "\(metadata)/sync_metadata.realm", "--force",
      folder: folder.url)
    try #require(list.status == 0, "\(list.stderr)")
    try addRealm("a/\(name)")
    let before = try files()
    let result = try copy("--json")
    #expect(result.status == 69)
    let error = try JSONParser.parse(Array(result.stderr.utf8))["error"]
    #expect(error?["code"]?.string == "hashedName")
    #expect(error?["message"]?.string?.contains(name) == true)
    #expect(try files() == before)
  }

  /// Type 1 of section 1.1: log files next to the realm, which no library of format 24 reads.
  @Test(
    "a realm whose history is in other files",
    arguments: [
      ["convert", "x.realm", "--to", "local", "-o", "y.realm"],
      ["convert", "x.realm", "--to", "synced", "-o", "y.realm"],
      ["copy", "x.realm", "-o", "y.realm"], ["upgrade", "older.realm", "-o", "y.realm"],
      ["migrate", "x.realm", "--schema", "schema.json", "--to", "9", "-o", "y.realm"],
      ["import", "x.ndjson", "--into", "x.realm"],
    ])
  func outOfRealmHistory(arguments: [String]) throws {
    for (name, bytes) in [
      ("x.realm", try Golden.bytes("tasks-local.realm")),
      ("older.realm", try Lived.bytes("life-8006-format-23.realm")),
    ] {
      var realm = EditedRealm(bytes)
      realm.setSlot(7, of: realm.top, to: 1)
      realm.setElement(8, of: realm.top, to: 0)
      try folder.write(realm.bytes, to: name)
    }
    let schema = try runTool(
      "schema", "show", "--format", "json", Golden.path("tasks-local.realm"))
    try folder.write(schema.stdout, to: "schema.json")
    let objects = try runTool(
      "export", "--format", "ndjson", Golden.path("tasks-local.realm"))
    try folder.write(objects.stdout, to: "x.ndjson")
    let before = try folder.contents()
    let result = try runTool(arguments + ["--json"], folder: folder.url)
    #expect(result.status == 69, "\(result.stderr)")
    let error = try JSONParser.parse(Array(result.stderr.utf8))["error"]
    #expect(error?["code"]?.string == "unsupported")
    #expect(error?["message"]?.string?.contains("log files") == true, "\(result.stderr)")
    #expect(try folder.contents().filter { !$0.key.hasSuffix(".lock") } == before)
  }
}
