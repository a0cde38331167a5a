import Foundation
import TestSupport
import Testing

@Suite("realm-cli users")
struct UsersCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let app = "base/mongodb-realm/my-app"

  /// The list of users that the reference's tests have, of one version of its schema.
  private func metadata(_ version: String) throws -> [UInt8] {
    let core = try #require(corpusFolder).appending(path: "realm-core")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: core.path).sorted().first {
        $0.contains("sync-metadata-\(version)")
      })
    return [UInt8](try Data(contentsOf: core.appending(path: name)))
  }

  private func list(_ arguments: String...) throws -> JSONValue {
    let result = try runTool(["users", "list", folder.path("base"), "--json"] + arguments)
    #expect(result.status == 0, "\(result.stderr)")
    return try #require(try JSONParser.parse(result.stdout)["apps"]?[0])
  }

  /// Rows of this file: test/object-store of the reference's tests describes them.
  @Test(
    "users of one identity are one user, and the current user is marked",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func merged() throws {
    try folder.write(
      try metadata("v6"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let users = try #require(try list()["users"]?.array)
    #expect(users.count == 7)
    #expect(users.filter { $0["state"]?.string == "loggedIn" }.count == 6)
    #expect(users.first { $0["state"]?.string == "removed" }?["identity"]?.string == "removed user")
    let current = users.filter { $0["current"]?.bool == true }
    #expect(current.map { $0["identity"]?.string } == ["both logged in, second newer"])
    #expect(current[0]["identities"]?.array?.count == 3)
  }

  @Test(
    "each user has the realms of the folders with its names; tokens are not shown",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"),
    arguments: ["v4", "v5"])
  func realms(version: String) throws {
    try folder.write(
      try metadata(version), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let user = "\(Self.app)/metadata%20migration%20test"
    try folder.write(
      try Golden.bytes("tasks-synced.realm"), to: "\(user)/%22Some%20Value%22.realm")
    try folder.write(
      try Golden.bytes("tasks-synced-uploaded.realm"), to: "\(Self.app)/gone/s_x.realm")
    let app = try list()
    #expect(app["identifier"]?.string == "my-app")
    let first = try #require(app["users"]?[0])
    #expect(first["identity"]?.string == "metadata migration test")
    #expect(first["realms"]?.array?.count == 1)
    #expect(first["realms"]?[0]?["name"]?.string == "\"Some Value\"")
    #expect(first["realms"]?[0]?["unsyncedChanges"]?.int == 2)
    #expect(app["orphans"]?.array?.compactMap { $0["name"]?.string } == ["s_x"])
    #expect(app["orphans"]?[0]?["unsyncedChanges"]?.int == 0)
    let text = try runTool("users", "list", folder.path("base"))
    #expect(!text.text.contains("token") && !text.text.contains("eyJ"))
    #expect(text.text.contains("\"Some Value\""))
  }

  @Test("layouts of several releases side by side are an app each, with their own users and realms")
  func sideBySide() throws {
    try folder.writeApp("base/mongodb-realm", users: ["early"])
    try folder.writeApp("base/mongodb-realm/one-abcde", users: ["a", "b"])
    try folder.writeApp("base/mongodb-realm/two-fghij", users: ["c"])
    try folder.write(try Golden.bytes("people.realm"), to: "base/mongodb-realm/early/x.realm")
    try folder.write(
      try Golden.bytes("people.realm"), to: "base/mongodb-realm/two-fghij/c/y.realm")
    for path in ["base", "base/mongodb-realm"] {
      let result = try runTool("users", "list", folder.path(path), "--json")
      #expect(result.status == 0, "\(result.stderr)")
      let apps = try #require(try JSONParser.parse(result.stdout)["apps"]?.array)
      #expect(apps.map { $0["identifier"]?.string } == [nil, "one-abcde", "two-fghij"])
      #expect(
        apps.map { $0["users"]?.array?.compactMap { $0["identity"]?.string } ?? [] }
          == [["early"], ["a", "b"], ["c"]])
      #expect(apps.allSatisfy { $0["orphans"]?.array?.isEmpty == true })
      let names = apps.map { app in
        (app["users"]?.array ?? []).flatMap { user in
          (user["realms"]?.array ?? []).compactMap { $0["name"]?.string }
        }
      }
      #expect(names == [["x"], [], ["y"]])
    }
    let one = try runTool("users", "list", folder.path("base/mongodb-realm/one-abcde"), "--json")
    #expect(try JSONParser.parse(one.stdout)["apps"]?.array?.count == 1)
  }

  @Test("an app whose list of users is lost still has its realms")
  func noList() throws {
    try folder.write([], to: "\(Self.app)/server-utility/x")
    try folder.write(try Golden.bytes("people.realm"), to: "\(Self.app)/u/flx_sync_default.realm")
    let app = try list()
    #expect(app["users"]?.array?.isEmpty == true)
    #expect(app["error"]?["code"]?.string == "unreadable")
    #expect(app["orphans"]?[0]?["name"]?.string == "flx_sync_default")
    let none = try runTool("users", "list", folder.path("base/mongodb-realm/my-app/u"))
    #expect(none.status == 66)
    #expect(none.stderr.contains("there is no folder with the users of an app"))
  }

  /// Chapter 4, section 7.2.
  @Test(
    "a partition has the file names of the SDKs",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"),
    arguments: [
      ("abc", "%22abc%22.realm", "s_abc.realm"),
      (
        "123", "%7B%22%24numberInt%22%3A%22123%22%7D.realm", "i_123.realm"
      ),
      (
        "5000000000", "%7B%22%24numberLong%22%3A%225000000000%22%7D.realm", "l_5000000000.realm"
      ),
      (
        #"{"$oid":"64f0c0de00000000abcdef00"}"#,
        "%7B%22%24oid%22%3A%2264f0c0de00000000abcdef00%22%7D.realm",
        "o_64f0c0de00000000abcdef00.realm"
      ),
      ("null", "null.realm", "null.realm"),
    ])
  func partitions(value: String, swift: String, core: String) throws {
    try folder.write(
      try metadata("v5"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let user = "\(Self.app)/metadata%20migration%20test"
    try folder.write([1], to: "\(user)/\(core)")
    let result = try runTool(
      "users", "path", folder.path("base"), "--user", "metadata migration test", "--partition",
      value, "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let candidates = try JSONParser.parse(result.stdout)["candidates"]?.array ?? []
    let usual = candidates.filter { $0["usual"]?.bool == true }.compactMap { $0["path"]?.string }
    let names = core == swift ? [core] : [swift, core]
    #expect(usual == names.map { folder.path("\(user)/\($0)") })
    #expect(
      candidates.filter { $0["exists"]?.bool == true }.compactMap { $0["path"]?.string }
        == [folder.path("\(user)/\(core)")])
  }

  /// "URLs of Realms" in the data-model text: a private realm of a user of an object server.
  @Test(
    "a URL has the file name of an object server",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func url() throws {
    // The list of a later version: those of object servers have file formats that are not read.
    let utility = "base/realm-object-server/io.realm.object-server-utility"
    try folder.write(try metadata("v5"), to: "\(utility)/metadata/sync_metadata.realm")
    let result = try runTool(
      "users", "path", folder.path("base"), "--user", "metadata migration test", "--url",
      "realms://example.com:9000/~/settings")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.text.contains("/realms%3A%2F%2Fexample.com%3A9000%2F%7E%2Fsettings"))
    #expect(result.text.contains("on the server: /metadata migration test/settings\n"))
    let wrong = try runTool(
      "users", "path", folder.path("base"), "--user", "x", "--url", "http://example.com/a")
    #expect(wrong.status == 64)
  }

  @Test(
    "a user that no app has, and an invalid partition, are reported",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func errors() throws {
    try folder.write(
      try metadata("v5"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let base = folder.path("base")
    let user = try runTool("users", "path", base, "--user", "nobody", "--flexible", "settings")
    #expect(user.status == 64)
    #expect(user.stderr.contains("no app has a user nobody"))
    let name = try runTool("users", "path", base, "settings", "--user", "u", "--partition", "1")
    #expect(name.status == 64 && name.stderr.contains("the name settings needs --flexible"))
    let value = try runTool("users", "path", base, "--user", "nobody", "--partition", "1.5")
    #expect(value.status == 64)
    #expect(value.stderr.contains("1.5 is not a partition value"))
  }

  /// "Open a Synced Realm as a Different Sync User".
  @Test(
    "a realm of one user is copied to the place where the SDK looks for another user's",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func copyForUser() throws {
    try folder.write(
      try metadata("v6"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let (frodo, sam) = ("first logged in, second removed", "both logged in, first newer")
    let place = "\(Self.app)/first%20logged%20in%2C%20second%20removed/%22a%22.realm"
    try folder.write(try Golden.bytes("tasks-synced-uploaded.realm"), to: place)
    let arguments = ["--app-dir", folder.path("base"), "--from-user", frodo, "--to-user"]
    let result = try runTool(["copy"] + arguments + [sam])
    #expect(result.status == 0, "\(result.stderr)")
    let made = folder.path("\(Self.app)/both%20logged%20in%2C%20first%20newer/%22a%22.realm")
    let info = try JSONParser.parse(runTool("info", "--json", made).stdout)
    #expect(info["sync"]?["clientFileIdent"]?.int == 0)
    #expect(info["classes"]?[0]?["objects"]?.int == 3)
    #expect(try runTool(["copy"] + arguments + [sam]).status == 73)
    #expect(try runTool(["copy"] + arguments + ["gollum"]).status == 64)
    #expect(try runTool(["copy"] + arguments + [sam, "--realm", "b", "--force"]).status == 64)
    #expect(try runTool(["copy", "--app-dir", "x"]).status == 64)
  }

  /// The two users of a list, and an encrypted list that cannot be read.
  @Test("an unreadable list of users is reported, and not a missing user")
  func unreadableList() throws {
    try folder.write(
      Array("no realm".utf8), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let base = folder.path("base")
    for arguments in [
      ["users", "path", base, "--user", "u1", "--flexible"],
      ["copy", "--app-dir", base, "--from-user", "u1", "--to-user", "u2"],
    ] {
      let result = try runTool(arguments)
      #expect(result.status == 65)
      #expect(result.stderr.contains("sync_metadata.realm"))
    }
    let list = try runTool("users", "list", base)
    #expect(list.stderr.contains("the owners of the realms are unknown"))
  }

  @Test("a missing folder, and a file, are reported as such")
  func noFolder() throws {
    let none = try runTool("users", "list", folder.path("none"))
    #expect(none.status == 66)
    #expect(none.stderr.contains("No such file"))
    let file = try folder.write([1], to: "file")
    let wrong = try runTool("users", "list", file)
    #expect(wrong.status == 66)
    #expect(wrong.stderr.contains("Not a directory"))
  }

  @Test(
    "the folder can be the current one",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func currentFolder() throws {
    try folder.write(
      try metadata("v6"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let result = try runTool(
      "users", "list", ".", "--json", folder: folder.url.appending(path: Self.app))
    #expect(
      try JSONParser.parse(result.stdout)["apps"]?[0]?["identifier"]?.string == "my-app")
  }

  /// Names of earlier versions, and a copy that is refused.
  @Test(
    "a copy goes to the place where the SDK looks, also from an earlier place",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func earlierNames() throws {
    try folder.write(
      try metadata("v6"), to: "\(Self.app)/server-utility/metadata/sync_metadata.realm")
    let (frodo, sam) = ("first logged in, second removed", "both logged in, first newer")
    let (own, other) = (
      "first%20logged%20in%2C%20second%20removed", "both%20logged%20in%2C%20first%20newer"
    )
    let arguments = [
      "copy", "--app-dir", folder.path("base"), "--from-user", frodo, "--to-user", sam, "--realm",
    ]
    // Refused because of changes that are not uploaded: no folder stays.
    try folder.write(try Golden.bytes("tasks-synced.realm"), to: "\(Self.app)/\(own)/b.realm")
    #expect(try runTool(arguments + ["b"]).status == 69)
    #expect(!FileManager.default.fileExists(atPath: folder.path("\(Self.app)/\(other)")))
    let doubly = "\(own)%2F%2522abc%2522.realm"
    try folder.write(
      try Golden.bytes("tasks-synced-uploaded.realm"), to: "\(Self.app)/\(own)/\(doubly)")
    let copied = try runTool(arguments + [doubly])
    #expect(copied.status == 0, "\(copied.stderr)")
    let made = folder.path("\(Self.app)/\(other)/\(other)%2F%2522abc%2522.realm")
    #expect(FileManager.default.fileExists(atPath: made))
    let path = try runTool(
      "users", "path", folder.path("base"), "--user", sam, "--partition", "abc")
    #expect(path.text.contains("\(other)%2F%2522abc%2522.realm"))
    // SHA-256 of "abc" in quotes, by sha256sum.
    #expect(
      path.text.contains(
        "\(other)/6CC43F858FBB763301637B5AF970E2A46B46F461F27E5A0F41E009C59B827B25.realm"))
    let url = try runTool(
      "users", "path", folder.path("base"), "--user", sam, "--url", "realms://h/~/a")
    #expect(url.status == 64)
  }
}
