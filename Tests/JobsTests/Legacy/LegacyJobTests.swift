import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import RealmSync
import TestJobs
import TestSupport
import Testing

/// Jobs on the realms of formats 2 to 9. Each realm's values are compared with those of the library in
/// ``LegacyTruthTests``; here the export of a job's result must equal that of the realm.
@Suite(
  "Jobs on realms of formats 2 to 9",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct LegacyJobTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Realms in which two objects of a class have the same primary key.
  private static let withDuplicates: Set<String> = [
    "generated/core5-format9-all-columns-2400rows.realm",
    "generated/core5-format9-no-mixed-no-nested-2400rows.realm",
  ]

  private func lines(_ path: String, _ key: RealmKey?) throws -> [UInt8] {
    try export(path, as: .ndjson, key: key).bytes
  }

  @Test("an upgraded realm has no errors and the same objects", arguments: LegacyFile.all)
  func upgrade(file: LegacyFile) throws {
    let path = folder.path("x.realm")
    let job = UpgradeJob(
      path: file.path, key: file.key, destination: .file(path, replacing: false))
    guard !LegacyJobTests.withDuplicates.contains(file.name) else {
      let error = #expect(throws: (any Error).self) { _ = try job.run() }
      #expect("\(try #require(error))".contains("has the same primary key"))
      #expect(!FileManager.default.fileExists(atPath: path))
      return
    }
    let report = try job.run()
    #expect(report.formatBefore < 10)
    #expect(try Snapshot(path: path, key: file.key).format == 24)
    #expect(try errors(of: path, key: file.key) == [])
    #expect(try lines(path, file.key) == lines(file.path, file.key))
  }

  @Test("the realms have no errors, and copies have the same objects", arguments: LegacyFile.all)
  func compact(file: LegacyFile) throws {
    let path = folder.path("x.realm")
    _ = try CompactJob(
      path: file.path, key: file.key, destination: .file(path, replacing: false)
    ).run()
    let expected: Set<Rule> =
      LegacyJobTests.withDuplicates.contains(file.name) ? [.keyDuplicate] : []
    #expect(Set(try errors(of: file.path, key: file.key).map(\.rule)) == expected)
    #expect(Set(try errors(of: path, key: file.key).map(\.rule)) == expected)
    #expect(try lines(path, file.key) == lines(file.path, file.key))
  }

  @Test(
    "synced realms lose sync's columns and their history, and nothing else",
    arguments: [
      // The roots of the histories have 21, 23 and 21 slots: schema versions 2, 1 and 0.
      ("realm-core/test__test_upgrade_database_9_to_10_oid.realm@4c339e86", 2, 2, 1),
      ("realm-core/test__resources__client_file_migration_core6.realm@aa5e93f0", 5, 1, 1),
      ("realm-swift/Realm__ObjectServerTests__sync-1.x.realm@8d4afd3c", 0, 2, 2),
    ])
  func synced(name: String, columns: Int, entries: Int, pending: Int) throws {
    let path = try #require(corpusFolder).appending(path: name).path
    let report = try UpgradeJob(
      path: path, key: nil, destination: .file(folder.path("x.realm"), replacing: false)
    ).run()
    #expect(report.legacy?.syncHistory == .syncClient)
    #expect(report.legacy?.objectIdColumns == columns)
    // All entries are of the client, after the version that the server acknowledged; one is empty.
    #expect(report.legacy?.historyEntries == entries)
    #expect(report.legacy?.pendingChangesets == pending)
    let convert = try ConvertJob(
      path: path, key: nil, destination: .file(folder.path("y.realm"), replacing: false),
      request: ConvertJob.Request(schemaVersion: 77)
    ).run()
    #expect(convert.wasSynced && convert.schemaVersion == 77)
    #expect(convert.legacy == report.legacy)
    #expect(try Realm(path: folder.path("y.realm")).schemaVersion() == 77)
    #expect(try Snapshot(path: folder.path("y.realm")).top.historyType == 2)
  }

  /// Its last version is 4, and the server has acknowledged none.
  private static let unsynced =
    "realm-core/test__resources__history_migration__client_schema_version_001.realm@ac932495"

  @Test("a synced realm with a change that is not uploaded is deleted only on request")
  func deletion() throws {
    let source = try #require(corpusFolder).appending(path: LegacyJobTests.unsynced)
    let path = try folder.write([UInt8](try Data(contentsOf: source)), to: "a.realm")
    let error = #expect(throws: RequestError.self) {
      _ = try DeleteFilesJob(path: path, key: nil, request: .init(withRealm: true)).run()
    }
    #expect(
      error == RequestError(.wouldLose(changes: 1, asymmetricClasses: []), path: path))
    #expect(FileManager.default.fileExists(atPath: path))
    _ = try DeleteFilesJob(
      path: path, key: nil, request: .init(withRealm: true, discardsUnsynced: true)
    ).run()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("info reports all but the state of sync if the history has the wrong form")
  func unknownHistory() throws {
    let source = try #require(corpusFolder).appending(path: LegacyJobTests.unsynced)
    var realm = EditedRealm([UInt8](try Data(contentsOf: source)))
    // The root has 23 slots.
    realm.bytes[realm.history + 7] = 22
    let path = try folder.write(realm.bytes, to: "a.realm")
    let report = try InfoJob(path: path, key: nil, withDetail: true).run()
    #expect(report.historyKind == .syncClient && report.historySchemaVersion == 1)
    #expect(report.sync == nil && report.detail == nil && report.historyEntryCount == nil)
    #expect(report.classes.map(\.objectCount) == [3])
    #expect(throws: (any Error).self) {
      _ = try DeleteFilesJob(path: path, key: nil, request: .init(withRealm: true)).run()
    }
  }

  @Test(
    "a migration has the same result as an upgrade followed by a migration",
    arguments: LegacyFile.all)
  func migrate(file: LegacyFile) throws {
    let (upgraded, out) = (folder.path("upgraded.realm"), folder.path("out.realm"))
    let hasDuplicates = LegacyJobTests.withDuplicates.contains(file.name)
    var version: UInt64 = 0
    var name = ""
    if !hasDuplicates {
      _ = try UpgradeJob(
        path: file.path, key: file.key, destination: .file(upgraded, replacing: false)
      ).run()
      let realm = try Realm(Snapshot(path: upgraded, key: file.key))
      version = try realm.schemaVersion() ?? 0
      name = realm.schema.classes.first?.className.text ?? ""
    }
    let change =
      name.isEmpty
      ? ""
      : """
          - add-property: {class: "\(name)", name: zzz, type: string, value: "'new'"}
          - rename-class: {from: "\(name)", to: Zzz}

      """
    let steps =
      "realm-migration: 1\nversions:\n  - to: \(version + 1)\n    steps:\n"
      + "    - add-class: {name: Added, properties: {n: int}}\n" + change
    let plan = try folder.write(Array(steps.utf8), to: "plan.yml")
    func migrate(_ path: String, to target: String) throws -> MigrateJob.Report {
      try MigrateJob(
        path: path, key: file.key, destination: .file(target, replacing: false),
        source: .plan(path: plan, to: nil)
      ).run()
    }
    guard !hasDuplicates else {
      let error = #expect(throws: (any Error).self) { _ = try migrate(file.path, to: out) }
      #expect("\(try #require(error))".contains("has the same primary key"))
      #expect(!FileManager.default.fileExists(atPath: out))
      return
    }
    let report = try migrate(file.path, to: out)
    #expect(report.legacy != nil)
    #expect(report.versionAfter == version + 1)
    #expect(try errors(of: out, key: file.key) == [])
    let other = folder.path("other.realm")
    let second = try migrate(upgraded, to: other)
    #expect(second.legacy == nil)
    #expect(report.steps.map(\.changedObjects) == second.steps.map(\.changedObjects))
    #expect(try lines(out, file.key) == lines(other, file.key))
  }

  @Test("an upgrade that did not finish is refused with the reason")
  func halfUpgraded() throws {
    let core = try #require(corpusFolder).appending(path: "realm-core").path
    let names = try FileManager.default.contentsOfDirectory(atPath: core).filter {
      $0.contains("upgrade_progress_") || $0.contains("colkey_error")
    }
    #expect(names.count == 8)
    for name in names {
      let error = #expect(throws: (any Error).self) {
        _ = try InfoJob(path: core + "/" + name, key: nil).run()
      }
      guard case .halfUpgraded? = error?.fileKind else {
        Issue.record("\(name): \(String(describing: error))")
        continue
      }
    }
  }

  @Test("a query finds objects of a realm of format 3")
  func query() throws {
    let path = try #require(corpusFolder).appending(
      path: "realm-swift/examples__tvos__objc__PreloadedData__Seed Data__Places.realm@e4a3f66c"
    ).path
    let truth = try LegacyTruth(
      try #require(LegacyFile.all.first { $0.path == path }?.truth))
    let places = try #require(truth.tables.first { $0.name == "class_Place" })
    let name = try #require(places.columns.firstIndex { $0.name == "placeName" })
    let expected = places.rows.filter { $0[name].hasPrefix("s53") }.count
    #expect(expected > 10)
    #expect(try count("placeName BEGINSWITH 'S'", ofClass: "Place", in: path) == expected)
  }
}
