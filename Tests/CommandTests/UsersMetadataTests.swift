import Foundation
import TestSupport
import Testing

/// Hand-made lists of users of every schema version (chapter 4, section 7.4).
@Suite("realm-cli users: lists of all versions")
struct UsersMetadataTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The properties of a user, and the members of three of them: logged in, logged out, and to be removed.
  private static func users(_ version: Int) -> (schema: [(String, String)], rows: [String]) {
    var properties = [("identity", "string")]
    var members: [[String: String]] = ["frodo", "pippin", "sam"].map { ["identity": "\"\($0)\""] }
    func add(_ name: String, _ type: String, _ values: [String]) {
      properties.append((name, type))
      for i in members.indices { members[i][name] = values[i] }
    }
    if version < 7 { add("marked_for_removal", "bool", ["false", "false", "\(version < 4)"]) }
    let token = ["\"eyJsecret\"", "null", "\"eyJsecret\""]
    if version < 3 {
      add("user_token", "string?", token)
      add(
        "auth_server_url", version == 2 ? "string" : "string?", Array(repeating: "\"h\"", count: 3))
      if version > 0 { add("user_is_admin", "bool", ["true", "false", "false"]) }
    } else {
      add("refresh_token", "string?", token)
      add("access_token", "string?", token)
      add("identities", "UserIdentity[]", [identity(version), "[]", "[]"])
    }
    if (2...6).contains(version) { add("local_uuid", "string", ["\"f-1\"", "\"p-1\"", "\"s-1\""]) }
    if version == 7 { add("legacy_uuids", "string[]", ["[\"f-1\"]", "[]", "[]"]) }
    if version >= 4 { add("state", "int", ["1", "0", "2"]) }
    if version >= 5 { add("profile_data", "string", Array(repeating: "\"{}\"", count: 3)) }
    if version >= 6 {
      add(
        "local_realm_paths", "string<>",
        ["[\"/old/place/mongodb-realm/my-app/elsewhere.realm\"]", "[]", "[]"])
    }
    let rows = members.enumerated().map { i, values in
      let texts = values.map { "\"\($0.key)\":\($0.value)" }
      return
        "{\(([version < 2 ? [] : ["\"_key\":\(i)"], texts].flatMap { $0 }).joined(separator: ","))}"
    }
    return (properties, rows)
  }

  private static func identity(_ version: Int) -> String {
    version == 7 ? #"[{"id":"x1","provider_type":"local-userpass"}]"# : "[0]"
  }

  /// Realm JSON of a list of users.
  private static func text(_ version: Int) -> String {
    let (properties, rows) = users(version)
    let key = version < 2 ? #""primaryKey":"identity""# : #""keyMember":"_key""#
    let types = properties.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",")
    var classes = [#"{"name":"UserMetadata",\#(key),"properties":{\#(types)}}"#]
    var objects = ["\"UserMetadata\":[\(rows.joined(separator: ","))]"]
    let identity = #""properties":{"id":"string","provider_type":"string"}}"#
    if version >= 3 {
      let kind = version == 7 ? #""embedded":true"# : #""keyMember":"_key""#
      classes.append(#"{"name":"UserIdentity",\#(kind),\#(identity)"#)
      if version < 7 {
        objects.append(#""UserIdentity":[{"_key":0,"id":"x1","provider_type":"local-userpass"}]"#)
      }
      classes.append(
        #"{"name":"current_user_identity","keyMember":"_key","properties":{"current_user_identity":"string"}}"#
      )
      objects.append(#""current_user_identity":[{"_key":0,"current_user_identity":"frodo"}]"#)
    }
    classes.append(
      #"{"name":"FileActionMetadata","primaryKey":"original_name","properties":{"original_name":"string","new_name":"string?","action":"int","url":"string","identity":"string"}}"#
    )
    objects.append(
      #""FileActionMetadata":[{"original_name":"/a.realm","new_name":"/b","action":1,"url":"","identity":"sam"},{"original_name":"/c.realm","new_name":null,"action":0,"url":"","identity":"sam"}]"#
    )
    return #"{"realm":{"format":"realm-json","version":1,"schemaVersion":\#(version)},"schema":["#
      + classes.joined(separator: ",") + "],\"objects\":{" + objects.joined(separator: ",") + "}}"
  }

  /// Makes the folder of an app with the list of users, and a realm of Frodo's.
  private func make(_ version: Int, isEncrypted: Bool) throws {
    let isServer = version < 3
    let app = isServer ? "base/realm-object-server" : "base/mongodb-realm/my-app"
    let utility = isServer ? "io.realm.object-server-utility" : "server-utility"
    let list = "\(app)/\(utility)/metadata/sync_metadata.realm"
    _ = try folder.write(Array(Self.text(version).utf8), to: "users.json")
    _ = try folder.write([], to: "\(app)/\(utility)/metadata/x")
    func run(_ arguments: String...) throws {
      let result = try runTool(arguments, folder: folder.url)
      #expect(result.status == 0, "\(arguments): \(result.stderr)")
    }
    if isEncrypted {
      try run("keygen", "-o", "k")
      try run("import", "users.json", "-o", list, "--new-key-file", "k")
    } else {
      try run("import", "users.json", "-o", list)
    }
    // In version 2 the folder has another name than the user.
    let owner = version == 2 ? "f-1" : "frodo"
    let name = isServer ? "realm%3A%2F%2Fhost%3A9080%2F%7E%2Fname" : "%22a%22.realm"
    try folder.write(try Golden.bytes("tasks-synced.realm"), to: "\(app)/\(owner)/\(name)")
    if version >= 6 {
      try folder.write(try Golden.bytes("people.realm"), to: "\(app)/elsewhere.realm")
    }
  }

  @Test(
    "users, states, realms and pending actions come from the list",
    arguments: 0...7, [false, true])
  func list(version: Int, isEncrypted: Bool) throws {
    try make(version, isEncrypted: isEncrypted)
    let base = folder.path("base")
    let key = isEncrypted ? ["--key-file", folder.path("k")] : []
    let result = try runTool(["users", "list", base, "--json"] + key)
    #expect(result.status == 0, "\(result.stderr)")
    let app = try #require(try JSONParser.parse(result.stdout)["apps"]?[0])
    #expect(app["error"] == nil)
    #expect(app["layout"]?.string == (version < 3 ? "objectServer" : "appServices"))
    let users = try #require(app["users"]?.array)
    #expect(users.map { $0["identity"]?.string } == ["frodo", "pippin", "sam"])
    #expect(users.map { $0["state"]?.string } == ["loggedIn", "loggedOut", "removed"])
    #expect(users.map { $0["current"]?.bool } == [true, false, false])
    if version >= 3 {
      #expect(users[0]["identities"]?[0]?["provider"]?.string == "local-userpass")
      #expect(users[0]["identities"]?[0]?["id"]?.string == "x1")
    }
    let names = users[0]["realms"]?.array?.compactMap { $0["name"]?.string }
    let own = version < 3 ? "realm://host:9080/~/name" : "\"a\""
    #expect(names?.sorted() == (version >= 6 ? [own, "elsewhere"] : [own]))
    #expect(app["orphans"]?.array?.isEmpty == true)
    #expect(
      app["fileActions"]?.array?.map { $0["action"]?.string } == ["backUpAndDelete", "delete"])
    let text = try runTool(["users", "list", base] + key)
    for output in [result.text, text.text] {
      #expect(!output.contains("eyJ") && !output.contains("secret"))
    }
  }

  @Test("an encrypted list without its key is reported, and the realms are shown")
  func noKey() throws {
    try make(7, isEncrypted: true)
    let result = try runTool("users", "list", folder.path("base"), "--json")
    let app = try #require(try JSONParser.parse(result.stdout)["apps"]?[0])
    #expect(app["users"]?.array?.isEmpty == true)
    #expect(app["error"]?["code"]?.string != nil)
    #expect(app["orphans"]?.array?.count == 2)
  }

  /// "Realm URLs" of the data model: private, shared and public realms, with and without encryption on the way.
  @Test(
    "the URLs of realms have file names, and ~ is the user",
    arguments: [
      (
        "realms://example.com:9000/~/settings",
        "realms%3A%2F%2Fexample.com%3A9000%2F%7E%2Fsettings",
        "/frodo/settings"
      ),
      (
        "realm://example.com/settings", "realm%3A%2F%2Fexample.com%2Fsettings", "/settings"
      ),
      (
        "realms://server/sam/shopping", "realms%3A%2F%2Fserver%2Fsam%2Fshopping", "/sam/shopping"
      ),
    ])
  func urls(url: String, file: String, server: String) throws {
    try make(1, isEncrypted: false)
    let result = try runTool(
      "users", "path", folder.path("base"), "--user", "frodo", "--url", url, "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["serverPath"]?.string == server)
    let usual = report["candidates"]?.array?.filter { $0["usual"]?.bool == true }
    #expect(
      usual?.compactMap { $0["path"]?.string }
        == [folder.path("base/realm-object-server/frodo/\(file)")])
  }
}
