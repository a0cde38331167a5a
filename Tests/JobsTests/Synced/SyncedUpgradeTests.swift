import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmSync

@Suite("Upgrade of synced realms")
struct SyncedUpgradeTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  /// A golden realm that claims format 23, which differs only in details that these realms do not have.
  private func old(_ name: String, _ change: (inout EditedRealm) -> Void = { _ in }) throws
    -> String
  {
    var realm = try EditedRealm(golden: "\(name).realm")
    // The header names the format in two bytes, one for each root.
    (realm.bytes[20], realm.bytes[21]) = (23, 23)
    change(&realm)
    return try folder.write(realm.bytes, to: "old.realm")
  }

  private func upgrade(_ path: String) throws {
    _ = try UpgradeJob(path: path, key: nil, destination: .file(out, replacing: true)).runVerified()
  }

  /// The local changesets with their versions.
  private func changesets(_ path: String) throws -> [[UInt8]] {
    let snapshot = try Snapshot(path: path)
    var all: [[UInt8]] = []
    try ClientHistory(snapshot)?.forEachLocalChangeset(of: snapshot) {
      (changeset) throws(RealmFileError) in
      all.append([UInt8(changeset.version), changeset.isPending ? 1 : 0] + (try changeset.bytes()))
    }
    return all
  }

  private func integers(_ path: String) throws -> [Int: Int] {
    try StoredHistory(try Snapshot(path: path)).integers
  }

  @Test(
    "keeps objects, tombstones, keys, identity, cursors and every entry",
    arguments: [
      "tasks-synced", "tasks-synced-uploaded", "people-synced", "people-synced-uploaded",
      "unresolved", "unresolved-uploaded",
    ])
  func keeps(name: String) throws {
    let path = try old(name)
    try upgrade(path)
    let (before, after) = (try Realm(path: path), try Realm(path: out))
    #expect(after.snapshot.format == 24)
    #expect(after.snapshot.top.version == before.snapshot.top.version)
    #expect(after.snapshot.top.fileIdent == before.snapshot.top.fileIdent)
    #expect(after.snapshot.top.historySchemaVersion == 12)
    #expect(try integers(out) == integers(path))
    #expect(try changesets(out) == changesets(path))
    #expect(
      try ClientHistory(after.snapshot)?.entryCount == ClientHistory(before.snapshot)?.entryCount)
    #expect(after.schema.tables.map(\.key) == before.schema.tables.map(\.key))
    #expect(after.schema.tables.map(\.name) == before.schema.tables.map(\.name))
    #expect(
      after.schema.tables.map(\.sequenceNumber) == before.schema.tables.map(\.sequenceNumber))
    #expect(
      after.schema.tables.map { $0.tombstones == 0 }
        == before.schema.tables.map { $0.tombstones == 0 })
    // The export has the keys of the objects and of links to tombstones.
    #expect(try objects(of: out) == objects(of: Golden.path("\(name).realm")))
  }

  /// Chapter 4, section 2.9: each value is wrapped, and the upgrade is a version of its own.
  @Test("a history of schema version 11 becomes one of 12 with an empty entry")
  func schema11() throws {
    // The wrapped changesets serve as raw ones: nothing decodes them.
    let path = try old("tasks-synced-uploaded") { $0.setSlot(9, of: $0.top, to: 11) }
    try upgrade(path)
    let (before, after) = (try Snapshot(path: path), try Snapshot(path: out))
    #expect(after.top.version == before.top.version + 1)
    #expect(after.top.historySchemaVersion == 12)
    #expect(try changesets(out) == changesets(path))
    let (old, new) = (
      try #require(try ClientHistory(before)), try #require(try ClientHistory(after))
    )
    #expect(new.entryCount == old.entryCount + 1)
    #expect(new.baseVersion == old.baseVersion)
    #expect(new.pending.map(\.version) == old.pending.map(\.version))
    let events = try StoredHistory(after).events()
    #expect(events.last?.schemaVersion == 12)
    #expect(events.last?.baseVersion == Int64(before.top.version))
    #expect(events.count == (try StoredHistory(before).events().count) + 1)
  }

  @Test(
    "public files of the reference's tests",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder).appending(path: "realm-core").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      $0.contains("client_schema_version_011") || $0.contains("client_schema_version_012")
        || $0.contains("flx_metadata_tables")
    }
    #expect(names.count == 4)
    for name in names {
      let path = "\(folder)/\(name)"
      try upgrade(path)
      #expect(try changesets(out) == changesets(path))
      #expect(try integers(out) == integers(path))
      let (before, after) = (try Realm(path: path), try Realm(path: out))
      #expect(after.schema.tables.map(\.name) == before.schema.tables.map(\.name))
      #expect(after.schema.tables.map(\.key) == before.schema.tables.map(\.key))
      #expect(
        after.schema.tables.map(\.objectCount) == before.schema.tables.map(\.objectCount))
      #expect(try SyncTables(after).subscriptionSets == SyncTables(before).subscriptionSets)
      #expect(try export(out, as: .json).bytes == export(path, as: .json).bytes)
    }
  }

  @Test("free slots stay free, with the tag for the next table")
  func freeSlots() throws {
    let path = try old("people-synced") { realm in
      // The slot of `metadata` becomes a free one whose next table has tag 5; no other table links to it.
      let names = realm.element(0, of: realm.top)
      let tables = realm.element(1, of: realm.top)
      let width = (1 << Int(realm.bytes[names + 4] & 7)) >> 1
      for i in 0..<width { realm.bytes[names + 8 + i] = 0 }
      realm.bytes[names + 8 + width - 1] = UInt8(width - 1)
      realm.setSlot(0, of: tables, to: 5)
    }
    let before = try Realm(path: path)
    try #require(before.schema.tables.first?.key.slot == 1)
    try upgrade(path)
    let after = try Realm(path: out)
    #expect(after.schema.tables.map(\.key) == before.schema.tables.map(\.key))
    let entries = try after.snapshot.makeReader().lookUp(after.snapshot.top.tables)
    #expect(entries.integer(at: 0) == 5 << 1 | 1)
  }

  @Test("an older or damaged history is refused, and nothing is written")
  func refused() throws {
    let path = try old("tasks-synced") { $0.setSlot(9, of: $0.top, to: 10) }
    #expect(throws: RequestError(.oldSyncHistory(10), path: path)) {
      try upgrade(path)
    }
    // A column with another number of entries than the others.
    let damaged = try old("tasks-synced") { realm in
      realm.setElement(15, of: realm.history, to: realm.element(20, of: realm.history))
    }
    #expect(throws: (any Error).self) { try upgrade(damaged) }
    #expect(!FileManager.default.fileExists(atPath: out))
  }
}
