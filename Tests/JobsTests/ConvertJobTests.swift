import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Conversion to a local realm")
struct ConvertJobTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  private func convert(
    _ name: String, _ request: ConvertJob.Request = ConvertJob.Request()
  ) throws -> ConvertJob.Report {
    try ConvertJob(
      path: Golden.path(name + ".realm"), key: nil, destination: .file(out, replacing: true),
      request: request
    ).runVerified()
  }

  @Test(
    "has the objects of the reference's own conversion, and opens without an upgrade",
    arguments: [
      "tasks-synced", "tasks-synced-uploaded", "people-synced-uploaded", "unresolved-uploaded",
    ])
  func asTheReference(name: String) throws {
    let report = try convert(name)
    #expect(report.wasSynced)
    #expect(
      try objects(of: out) == objects(of: Golden.path(name + "-to-local.realm")))
    let (before, after) = (
      try Snapshot(path: Golden.path(name + ".realm")), try Snapshot(path: out)
    )
    // Chapter 1, section 4.5: what an SDK wants in order not to upgrade.
    #expect(after.top.historyType == 2)
    #expect(after.top.historySchemaVersion == 1)
    #expect(after.top.history == 0)
    #expect(after.top.fileIdent == 0)
    #expect(after.top.version == before.top.version)
    #expect(try Realm(after).schemaVersion() == Realm(before).schemaVersion())
  }

  @Test("changes that were not uploaded stay, and are counted")
  func pending() throws {
    #expect(try convert("tasks-synced").pendingChanges > 0)
    #expect(try convert("tasks-synced-uploaded").pendingChanges == 0)
    #expect(try objects(of: out) == objects(of: Golden.path("tasks-synced-uploaded.realm")))
  }

  @Test("another schema version is stored", arguments: [0, 9, 300, UInt64.max - 1])
  func schemaVersion(version: UInt64) throws {
    let report = try convert("people", ConvertJob.Request(schemaVersion: version))
    #expect(!report.wasSynced)
    #expect(try Realm(try Snapshot(path: out)).schemaVersion() == version)
  }

  @Test("a property is dropped from all classes, and everything else stays")
  func dropProperty() throws {
    let before = try Realm(try Snapshot(path: Golden.path("people.realm"))).schema
    let person = try #require(before.table(named: "class_Person"))
    for column in person.columns where column.key != person.columns[person.primaryKey ?? -1].key {
      let name = column.name.text
      guard column.target.flatMap({ before.table($0) })?.kind != .embedded else { continue }
      let report = try convert("people", ConvertJob.Request(droppedProperties: [name]))
      #expect(report.droppedProperties.contains { $0.class == "Person" && $0.property == name })
      let realm = try Realm(try Snapshot(path: out))
      let after = try #require(realm.schema.table(named: "class_Person"))
      #expect(
        after.columns.map(\.key) == person.columns.map(\.key).filter { $0 != column.key })
      #expect(after.objectCount == person.objectCount)
      #expect(try !objects(of: out).isEmpty)
    }
  }

  /// Mutated realms of 4 kB had results of 134 MB with damage that the realms did not have.
  @Test(
    "a property of a class whose arrays are damaged is not dropped",
    arguments: [
      ("table.opposites", "one array is shorter"), ("table.opposites", "one has 16,777,215 nulls"),
      ("storage.node-overlap", "two are one node"), ("storage.node-overlap", "one is a leaf too"),
      ("spec.enumeration", "the strings are of no column"),
    ])
  func damagedArrays(rule: String, how: String) throws {
    var realm = try EditedRealm(golden: "names-v0.realm")
    let schema = try Realm(try Snapshot(path: Golden.path("names-v0.realm"))).schema
    let slot = try #require(schema.table(named: "class_Person")).key.slot
    // Chapter 3, section 4.1: slots 0 spec, 2 clusters, 7 and 8 opposite tables and columns.
    let table = realm.element(slot, of: realm.element(1, of: realm.top))
    let opposites = realm.element(7, of: table)
    switch how {
    case "one array is shorter": realm.bytes[opposites + 7] -= 1
    case "one has 16,777,215 nulls":
      realm.bytes.replaceSubrange((opposites + 4)..<(opposites + 8), with: [0, 255, 255, 255])
    case "the strings are of no column":
      realm.setElement(4, of: realm.element(0, of: table), to: realm.element(1, of: realm.top))
    case "two are one node": realm.setElement(8, of: table, to: opposites)
    default:
      let types = realm.element(0, of: realm.element(0, of: table))
      realm.setElement(1, of: realm.element(2, of: table), to: types)
    }
    let path = try folder.write(realm.bytes, to: "a.realm")
    #expect {
      _ = try ConvertJob(
        path: path, key: nil, destination: .file(out, replacing: false),
        request: ConvertJob.Request(droppedProperties: ["age"])
      ).run()
    } throws: { error in
      error.fileKind == Rule(rawValue: rule).map { .damaged($0) }
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("properties that cannot be dropped, and properties that no class has, are errors")
  func cannotDrop() throws {
    for (name, property, obstacle) in [
      ("people", "_id", .primaryKey), ("links", "addresses", .embeddedObjects),
      ("unresolved", "b", .unresolvedLinks),
    ] as [(String, String, DropObstacle)] {
      #expect {
        _ = try convert(name, ConvertJob.Request(droppedProperties: [property]))
      } throws: { error in
        guard let error = error as? RequestError else { return false }
        return error.kind == .cannotDrop(obstacle) && error.property == property
          && error.className != nil
      }
    }
    let path = Golden.path("people.realm")
    #expect(throws: RequestError(.noSuchProperty("nothing"), path: path)) {
      _ = try convert("people", ConvertJob.Request(droppedProperties: ["nothing"]))
    }
    #expect(try folder.names() == [])
  }

  /// "Copy a Synced Realm to Use Without Sync": the app opens the copy with schema version 1 and a
  /// class without the property that the server added.
  @Test(
    "a synced realm becomes a local one for classes without the server's property",
    arguments: [
      ("tasks-synced", "QsTask", "status"), ("people-synced-uploaded", "Person", "balance"),
      ("people-synced-uploaded", "Person", "manager"),
    ])
  func serverProperty(name: String, className: String, property: String) throws {
    let source = try Golden.bytes(name + ".realm")
    let before = try Realm(try Snapshot(path: Golden.path(name + ".realm")))
    let table = try #require(before.schema.table(named: "class_" + className))
    // The app drops the column itself, as the version is above the stored one.
    let kept = try convert(name, ConvertJob.Request(schemaVersion: 8))
    #expect(kept.schemaVersion == 8)
    #expect(try Realm(try Snapshot(path: out)).schemaVersion() == 8)
    let original = try values(Golden.path(name + ".realm"), className)
    #expect(try values(out, className) == original)
    // Or the column is gone already, and the stored version is the one that the app has.
    let dropped = try convert(
      name, ConvertJob.Request(droppedProperties: [property, property]))
    #expect(dropped.droppedProperties.map(\.class) == [className])
    let after = try Realm(try Snapshot(path: out))
    #expect(try after.schemaVersion() == before.schemaVersion())
    let rest = try #require(after.schema.table(named: table.name.text))
    #expect(
      rest.columns.map(\.name.text) == table.columns.map(\.name.text).filter { $0 != property })
    #expect(rest.objectCount == table.objectCount)
    let others = try values(Golden.path(name + ".realm"), className, without: property)
    #expect(try values(out, className) == others)
    #expect(others != original)
    #expect(try Golden.bytes(name + ".realm") == source)
  }

  /// The objects of a class without one property.
  private func values(
    _ path: String, _ className: String, without property: String = ""
  ) throws -> NSArray {
    let text = try JSONSerialization.jsonObject(with: Data(objects(of: path)))
    let classes = try #require(text as? [String: Any])
    let objects = try #require(classes[className] as? [[String: Any]])
    return objects.map { $0.filter { $0.key != property } } as NSArray
  }

  /// The file of the reference's own tests, with three tables of flexible sync.
  @Test(
    "sync's own tables are dropped, and the keys of the others stay",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func internalTables() throws {
    let name = "realm-core/test__test_flx_metadata_tables_v1.realm@cc12a2fe"
    let path = try #require(corpusFolder).appending(path: name).path
    let report = try ConvertJob(
      path: path, key: nil, destination: .file(out, replacing: false)
    ).runVerified()
    #expect(
      report.droppedTables == ["flx_metadata", "flx_subscription_sets", "flx_subscriptions"])
    let (before, after) = (
      try Realm(try Snapshot(path: path)).schema, try Realm(try Snapshot(path: out)).schema
    )
    #expect(after.tables.map(\.name.text) == ["metadata", "class_TopLevel"])
    for table in after.tables { #expect(before.table(table.key)?.name == table.name) }
    #expect(try Snapshot(path: out).top.historySchemaVersion == 0)
  }
}
