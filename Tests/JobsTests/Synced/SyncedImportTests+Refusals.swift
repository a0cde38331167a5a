import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

extension SyncedImportTests {
  /// The kinds of the refusals; there must be at least one.
  private func refusals(_ body: () throws -> Void) throws -> [RequestError.Kind] {
    do {
      try body()
    } catch let error as RequestError {
      return ([error] + error.others).map(\.kind)
    }
    Issue.record("nothing was refused")
    return []
  }

  @Test("classes whose objects no changeset can name are refused, and the realm stays unchanged")
  func noPrimaryKey() throws {
    let path = try folder.copyGolden("people-synced.realm")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(
      try refusals { try add(#"{"Counter":[{"n":1}]}"#, to: path) } == [
        .syncedTarget(
          .schema(SyncObstacle(kind: .noPrimaryKey, className: "Counter", property: nil)))
      ])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    // Another class without a primary key does not matter.
    try add(
      #"{"Company":[{"_id":"new","uuid":{"$uuid":"00000000-0000-0000-0000-000000000001"}}]}"#,
      to: path)
  }

  @Test("objects of asymmetric classes are refused")
  func asymmetric() throws {
    let local = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"#
        + #""schema":[{"name":"Event","asymmetric":true,"primaryKey":"_id","properties":{"_id":"int"}}],"#
        + #""objects":{"Event":[]}}"#)
    let path = folder.path("synced.realm")
    try makeSynced(local, to: path)
    #expect(
      try refusals { try add(#"{"Event":[{"_id":1}]}"#, to: path) } == [.syncedTarget(.asymmetric)])
  }

  @Test("old formats and old histories are refused")
  func old() throws {
    var realm = try EditedRealm(golden: "tasks-synced.realm")
    (realm.bytes[20], realm.bytes[21]) = (20, 20)
    let format = try folder.write(realm.bytes, to: "format.realm")
    #expect(try refusals { try add("{}", to: format) } == [.oldSyncedFormat(20)])
    realm = try EditedRealm(golden: "tasks-synced.realm")
    realm.setSlot(9, of: realm.top, to: 10)
    let history = try folder.write(realm.bytes, to: "history.realm")
    #expect(try refusals { try add("{}", to: history) } == [.oldSyncHistory(10)])
  }

  @Test("an object that is too large for a changeset is named, and the realm stays unchanged")
  func tooLarge() throws {
    let path = try folder.copyGolden("tasks-synced.realm")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let long = String(repeating: "x", count: 9 << 20)
    let object =
      #"{"_id":{"$oid":"64f0c0de00000009abcdef09"},"name":"\#(long)","owner":"\#(long)"}"#
    let kinds = try refusals { try add("[\(object)]", to: path, name: "QsTask.json") }
    #expect(
      kinds == [
        .cannotSync(
          SyncObstacle(
            kind: .tooLarge(key: "64f0c0de00000009abcdef09", limit: 16 << 20 - 256),
            className: "QsTask", property: nil))
      ])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test(
    "in a realm of flexible sync, objects of a class without a subscription are refused, and subscriptions stay",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func flexible() throws {
    let source = try #require(corpusFolder)
      .appending(path: "realm-core/test__test_flx_metadata_tables_v1.realm@cc12a2fe").path
    let upgraded = folder.path("flx.realm")
    _ = try UpgradeJob(path: source, key: nil, destination: .file(upgraded, replacing: false)).run()
    let sets = try SyncTables(try Realm(path: upgraded)).subscriptionSets
    let plan = try folder.write(
      Array(
        migrationPlan(
          "add-class: {name: Other, primary-key: _id, properties: {_id: int}}\n"
            + "add-property: {class: TopLevel, name: more, type: 'int?'}", to: 5
        ).utf8), to: "plan.yml")
    let path = folder.path("changed.realm")
    try MigrateJob(
      path: upgraded, key: nil, destination: .file(path, replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    #expect(try SyncTables(try Realm(path: path)).subscriptionSets == sets)
    #expect(
      try refusals { try add(#"{"Other":[{"_id":1}]}"#, to: path) } == [
        .syncedTarget(.notSubscribed)
      ])
    try add(
      #"{"TopLevel":[{"_id":{"$oid":"64f0c0de00000009abcdef09"},"more":5}]}"#, to: path,
      mode: .replace)
    #expect(try SyncTables(try Realm(path: path)).subscriptionSets == sets)
    let names = try Realm(path: upgraded).schema.tables.map(\.name)
    #expect(try Realm(path: path).schema.tables.map(\.name) == names + [Name("class_Other")])
  }
}
