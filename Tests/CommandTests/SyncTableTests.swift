import Foundation
import TestSupport
import Testing

/// The output of `info --history` for the internal tables of sync (chapter 4, sections 5.3 and 8). No SDK makes them
/// here: classes are imported under names of the same length, which the file then has replaced.
@Suite("realm-cli info --history: internal tables")
struct SyncTableTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The class that becomes an internal table, by the name of the table.
  private static let stands = [
    "flx_subscription_sets": "class_SubscriptionSet", "flx_subscriptions": "class_Subscriptio",
    "flx_pending_bootstrap": "class_PendingBootstra",
    "client_reset_metadata": "class_ClientResetMeta",
    "flx_migration": "class_Migrati", "schema_migration_metadata": "class_SchemaMigrationMeta",
  ]

  private static let classes = """
    [{"name":"SubscriptionSet","primaryKey":"_id","properties":{"_id":"int","version":"int","state":"int",\
    "error":"string?","subscriptions":"Subscriptio[]"}},\
    {"name":"Subscriptio","embedded":true,"properties":{"name":"string?","object_class":"string",\
    "query":"string"}},\
    {"name":"PendingBootstra","primaryKey":"_id","properties":{"_id":"int","query_version":"int",\
    "changesets":"Download[]"}},\
    {"name":"Download","embedded":true,"properties":{"remote_version":"int"}},\
    {"name":"ClientResetMeta","primaryKey":"_id","properties":{"_id":"int","mode":"int"}},\
    {"name":"Migrati","primaryKey":"_id","properties":{"_id":"int","state":"int"}},\
    {"name":"SchemaMigrationMeta","primaryKey":"_id","properties":{"_id":"int",\
    "previous_schema_version":"int"}},\
    {"name":"Permission","primaryKey":"_id","properties":{"_id":"int","mayRead":"bool","mayWrite":"bool",\
    "mayManage":"bool"}}]
    """

  /// Makes a synced realm with these objects of each class.
  private func make(_ objects: [String: [String]]) throws -> String {
    let members = objects.map { "\"\($0)\":[\($1.joined(separator: ","))]" }
      .joined(separator: ",")
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":"#
      + Self.classes + #","objects":{"# + members + "}}"
    _ = try folder.write(Array(text.utf8), to: "a.json")
    for arguments in [
      ["import", "a.json", "-o", "local.realm"],
      ["convert", "local.realm", "--to", "synced", "-o", "synced.realm"],
    ] {
      let result = try runTool(arguments, folder: folder.url)
      try #require(result.status == 0, "\(arguments): \(result.stderr)")
    }
    var realm = EditedRealm(
      [UInt8](try Data(contentsOf: folder.url.appending(path: "synced.realm"))))
    for (table, stand) in Self.stands {
      let place = try #require(realm.find(Array(stand.utf8) + [0]))
      realm.bytes.replaceSubrange(place..<place + table.utf8.count, with: Array(table.utf8))
    }
    return try folder.write(realm.bytes, to: "synced.realm")
  }

  @Test("subscriptions, downloads, interruptions and permissions")
  func all() throws {
    let path = try make([
      "SubscriptionSet": [
        #"{"_id":1,"version":2,"state":4,"error":"the query is bad","subscriptions":[{"name":null,"object_class":"Cat","query":"TRUEPREDICATE"}]}"#,
        #"{"_id":2,"version":1,"state":6,"error":null,"subscriptions":[{"name":"old","object_class":"Dog","query":"age > 3"},{"name":null,"object_class":"Cat","query":"x == 1"}]}"#,
        #"{"_id":3,"version":3,"state":1,"error":null,"subscriptions":[]}"#,
      ],
      "PendingBootstra": [
        #"{"_id":1,"query_version":3,"changesets":[{"remote_version":7},{"remote_version":8}]}"#,
        #"{"_id":2,"query_version":4,"changesets":[]}"#,
      ],
      "ClientResetMeta": [#"{"_id":1,"mode":1}"#],
      "Migrati": [#"{"_id":1,"state":3}"#, #"{"_id":2,"state":2}"#],
      "SchemaMigrationMeta": [#"{"_id":1,"previous_schema_version":4}"#],
      "Permission": [
        #"{"_id":1,"mayRead":true,"mayWrite":true,"mayManage":true}"#,
        #"{"_id":2,"mayRead":true,"mayWrite":true,"mayManage":false}"#,
        #"{"_id":3,"mayRead":true,"mayWrite":false,"mayManage":false}"#,
        #"{"_id":4,"mayRead":true,"mayWrite":false,"mayManage":false}"#,
        #"{"_id":5,"mayRead":false,"mayWrite":false,"mayManage":false}"#,
      ],
    ])
    let lines = try runTool("info", "--history", path).text.split(separator: "\n").map(String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("  subscriptions ") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("  in use ") })
    #expect(
      lines[first..<end].elementsEqual([
        "  subscriptions     set 1, awaitingMark, active",
        "                    old: Dog, age > 3",
        "                    Cat, x == 1",
        "  subscriptions     set 2, error: the query is bad",
        "                    Cat, TRUEPREDICATE",
        "  subscriptions     set 3, pending",
        "  not applied       a download of 2 changesets for set 3",
        "  not applied       a download of 0 changesets for set 4",
        "  interrupted       a client reset, which keeps local changes",
        "  interrupted       a return from flexible sync",
        "  interrupted       a change of the server's schema; schema version 4 before",
        "  permissions       Permission: 1 manage, 1 write, 2 read, 1 nothing",
      ]), "\(lines[first..<end].joined(separator: "\n"))")
    let report = try JSONParser.parse(runTool("info", "--history", "--json", path).stdout)
    #expect(report["sync"]?["flexible"]?.bool == true)
    let detail = try #require(report["sync"]?["detail"])
    #expect(detail["complete"]?.bool == true)
    #expect(
      detail["subscriptionSets"]?.text
        == #"[{"active":true,"state":"awaitingMark","subscriptions":[{"class":"Dog","name":"old","query":"age > 3"},"#
        + #"{"class":"Cat","query":"x == 1"}],"version":1},"#
        + #"{"active":false,"error":"the query is bad","state":"error","subscriptions":["#
        + #"{"class":"Cat","query":"TRUEPREDICATE"}],"version":2},"#
        + #"{"active":false,"state":"pending","subscriptions":[],"version":3}]"#)
    #expect(
      detail["pendingBootstraps"]?.text
        == #"[{"changesets":2,"subscriptionSet":3},{"changesets":0,"subscriptionSet":4}]"#)
    #expect(
      detail["interrupted"]?.text == #"["clientReset","flexibleMigration","schemaMigration"]"#)
    #expect(
      detail["permissions"]?.text
        == #"[{"class":"Permission","manage":1,"nothing":1,"read":2,"write":1}]"#)
  }

  /// At most 10,000 rows of a table, and as many subscriptions, are listed.
  @Test(
    "a list that is cut says so", arguments: ["SubscriptionSet", "PendingBootstra", "Subscriptio"])
  func cut(name: String) throws {
    var objects: [String: [String]] = [:]
    switch name {
    case "SubscriptionSet":
      objects[name] = (0...10_000).map {
        #"{"_id":\#($0),"version":\#($0),"state":3,"error":null,"subscriptions":[]}"#
      }
    case "PendingBootstra":
      objects[name] = (0...10_000).map { #"{"_id":\#($0),"query_version":\#($0),"changesets":[]}"# }
    default:
      let subscription = #"{"name":null,"object_class":"A","query":"TRUEPREDICATE"}"#
      let many = Array(repeating: subscription, count: 10_001).joined(separator: ",")
      objects["SubscriptionSet"] = [
        #"{"_id":1,"version":1,"state":3,"error":null,"subscriptions":[\#(many)]}"#
      ]
    }
    let path = try make(objects)
    let report = try JSONParser.parse(runTool("info", "--history", "--json", path).stdout)
    let detail = try #require(report["sync"]?["detail"])
    #expect(detail["complete"]?.bool == false)
    let counts = ["subscriptionSets", "pendingBootstraps"].map { detail[$0]?.array?.count }
    #expect(
      counts
        == (name == "SubscriptionSet" ? [10_000, 0] : [0, name == "Subscriptio" ? 0 : 10_000]))
    #expect(
      try runTool("info", "--history", path).text
        .contains("                    and more, not listed\n"))
  }
}
