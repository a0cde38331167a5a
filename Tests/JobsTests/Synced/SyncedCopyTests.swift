import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmSync

@Suite("Copies of synced realms for another user")
struct SyncedCopyTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  private func copy(_ path: String, discarding: Bool = false) throws -> CopyJob.Report {
    try CopyJob(
      path: path, key: nil, destination: .file(out, replacing: true), discardsUnsynced: discarding
    ).runVerified()
  }

  private typealias Slot = ClientHistoryLayout.Slot

  /// Chapter 4, section 6.3.
  @Test(
    "has no identity and no entries, but the position in the history of the server",
    arguments: ["tasks-synced-uploaded", "people-synced-uploaded", "unresolved-uploaded"])
  func identity(name: String) throws {
    let source = try Golden.bytes("\(name).realm")
    let report = try copy(Golden.path("\(name).realm"))
    #expect(report.sync?.discardedChangesets == 0)
    let (before, after) = (
      try Snapshot(path: Golden.path("\(name).realm")), try Snapshot(path: out)
    )
    #expect(before.top.fileIdent > 0)
    #expect(after.top.fileIdent == 0)
    #expect(after.top.version == before.top.version)
    let history = try #require(try ClientHistory(after))
    #expect(history.entryCount == 0)
    let (old, new) = (try StoredHistory(before).integers, try StoredHistory(after).integers)
    for slot in [Slot.identSalt, Slot.downloadClientVersion, Slot.uploadClientVersion] {
      #expect(new[slot] == 0)
    }
    // 3 to 5: the newest version of the server, its salt, and the downloaded version.
    for slot in 3...5 { #expect(new[slot] == old[slot] && old[slot] ?? 0 > 0) }
    #expect(try objects(of: out) == objects(of: Golden.path("\(name)-to-synced.realm")))
    #expect(try Golden.bytes("\(name).realm") == source)
  }

  @Test("changes that are not uploaded are reported by class, and discarded only on request")
  func unsynced() throws {
    let path = Golden.path("tasks-synced.realm")
    #expect(
      throws: RequestError(
        .wouldNotUpload(
          changesets: 2, [UnsyncedChanges.ClassChanges(className: "QsTask", created: 3)]),
        path: path)
    ) { _ = try copy(path) }
    #expect(try folder.contents().isEmpty)
    let report = try copy(path, discarding: true)
    #expect(report.sync?.discardedChangesets == 2)
    let tasks = UnsyncedChanges.ClassChanges(className: "QsTask", created: 3)
    #expect(report.sync?.discarded.classes == [tasks])
    #expect(try ClientHistory(Snapshot(path: out))?.pending.isEmpty == true)
    #expect(try objects(of: out) == objects(of: path))
    // Discarded changes no longer wait for an upload.
    let (before, after) = (
      try StoredHistory(Snapshot(path: path)).integers,
      try StoredHistory(Snapshot(path: out)).integers
    )
    #expect(before[Slot.uploadableBytes] == 311)
    #expect(after[Slot.uploadableBytes] == after[Slot.uploadedBytes])
  }

  @Test("a realm whose history was never stored loses its identity too")
  func noHistory() throws {
    var realm = try EditedRealm(golden: "tasks-synced-uploaded.realm")
    try #require(realm.element(10, of: realm.top) != 0)
    realm.setElement(8, of: realm.top, to: 0)
    let path = try folder.write(realm.bytes, to: "no-history.realm")
    #expect(try Snapshot(path: path).top.fileIdent != 0)
    _ = try copy(path)
    #expect(try Snapshot(path: out).top.fileIdent == 0)
  }

  /// Events that all refer to one node of eight bytes that claims millions of elements took a gigabyte.
  @Test("a record of events that claims too much is refused")
  func events() throws {
    var realm = try EditedRealm(golden: "people-synced-uploaded.realm")
    let library = realm.append(node(flags: 0, count: 0xFF_FFF0))
    func integers(_ values: [Int]) -> [UInt8] {
      node(flags: 7, count: values.count, values.flatMap { littleEndianBytes($0, count: 8) })
    }
    func refs(_ values: [Int]) -> [UInt8] {
      node(flags: 0x47, count: values.count, values.flatMap { littleEndianBytes($0, count: 8) })
    }
    let arrays = [
      realm.append(integers([12])), realm.append(refs([library])), realm.append(integers([1])),
      realm.append(integers([1_700_000_000])),
    ]
    let record = realm.append(refs(arrays))
    realm.setElement(20, of: realm.history, to: record)
    let path = try folder.write(realm.bytes, to: "events.realm")
    let error = #expect(throws: (any Error).self) { _ = try copy(path) }
    #expect(error?.fileKind == .damaged(.historyRoot))
  }

  /// The first changeset has an unknown compression. The objects have no errors, so a copy must be possible.
  @Test("a damaged changeset prevents neither a copy nor a conversion")
  func damagedChangeset() throws {
    var realm = try EditedRealm(golden: "tasks-synced.realm")
    // 66 bytes, uncompressed.
    let place = try #require(realm.find([0x01, 66, 0x3F]))
    realm.bytes[place] = 0x71
    let path = try folder.write(realm.bytes, to: "damaged.realm")
    let report = try copy(path, discarding: true)
    #expect(report.sync?.discardedChangesets == 2)
    #expect(report.sync?.discarded.undecoded.map(\.byteCount) == [nil])
    #expect(try objects(of: out) == objects(of: Golden.path("tasks-synced.realm")))
    let local = try ConvertJob(path: path, key: nil, destination: .file(out, replacing: true))
      .runVerified()
    #expect(local.pendingChanges == 2)
  }

  /// "Open a Synced Realm as a Different Sync User": Sam's copy has Frodo's tasks, and is Sam's own file.
  @Test("Frodo's three tasks are in the copy for Sam")
  func seed() throws {
    _ = try copy(Golden.path("tasks-synced-uploaded.realm"))
    let objects = try #require(try Realm(path: out).objects(ofClass: "QsTask"))
    var owners: [String] = []
    while let task = try objects.next() {
      owners.append(try task.value(of: "owner")?.string ?? "")
    }
    #expect(owners == ["Frodo", "Frodo", "Frodo"])
  }

  @Test("a copy of a copy, and a copy of a realm without a history, are possible")
  func again() throws {
    _ = try copy(Golden.path("people-synced-uploaded.realm"))
    let first = out
    let second = folder.path("second.realm")
    let report = try CopyJob(path: first, key: nil, destination: .file(second, replacing: false))
      .runVerified()
    #expect(report.sync != nil)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: first)).count
        == Data(contentsOf: URL(fileURLWithPath: second)).count)
    #expect(try copy(Golden.path("people.realm")).sync == nil)
  }

  @Test(
    "subscriptions of flexible sync are copied",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func flexible() throws {
    let name = "realm-core/test__test_flx_metadata_tables_v1.realm@cc12a2fe"
    let path = try #require(corpusFolder).appending(path: name).path
    let report = try copy(path)
    #expect(report.sync?.isUnfinished == false)
    let sets = try SyncTables(try Realm(path: out)).subscriptionSets
    #expect(
      sets == [
        SyncTables.SubscriptionSet(
          version: 1, state: .complete, error: nil,
          subscriptions: [
            SyncTables.Subscription(name: nil, className: "TopLevel", query: "TRUEPREDICATE")
          ])
      ])
  }
}
