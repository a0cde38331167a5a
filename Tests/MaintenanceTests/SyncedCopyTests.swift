import Foundation
import RealmMaintenance
import RealmModel
import RealmStorage
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
    "has no identity and no entries, but the place in the history of the server",
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
    // 3 to 5: the newest version of the server, its salt, and the one that was downloaded.
    for slot in 3...5 { #expect(new[slot] == old[slot] && old[slot] ?? 0 > 0) }
    #expect(try objects(of: out) == objects(of: Golden.path("\(name)-to-synced.realm")))
    #expect(try Golden.bytes("\(name).realm") == source)
  }

  @Test("changes that are not uploaded are told by class, and stay only on request")
  func unsynced() throws {
    let path = Golden.path("tasks-synced.realm")
    #expect(
      throws: JobError.request(
        RequestError(.wouldLose(changes: 2, asymmetricClasses: []), path: path))
    ) { _ = try copy(path) }
    #expect(try folder.contents().isEmpty)
    let report = try copy(path, discarding: true)
    #expect(report.sync?.discardedChangesets == 2)
    let tasks = UnsyncedChanges.ClassChanges(className: "QsTask", created: 3)
    #expect(report.sync?.discarded.classes == [tasks])
    #expect(try ClientHistory(Snapshot(path: out))?.pending.isEmpty == true)
    #expect(try objects(of: out) == objects(of: path))
  }

  /// "Open a Synced Realm as a Different Sync User": Sam's copy has Frodo's tasks, and is Sam's own file.
  @Test("three tasks of Frodo's are in the copy for Sam")
  func seed() throws {
    _ = try copy(Golden.path("tasks-synced-uploaded.realm"))
    let objects = try #require(try Realm(path: out).objects(ofClass: "QsTask"))
    var owners: [String] = []
    while let task = try objects.next() {
      owners.append(try task.value(of: "owner")?.string ?? "")
    }
    #expect(owners == ["Frodo", "Frodo", "Frodo"])
  }

  @Test("a copy of a copy, and of a realm without a history, is possible")
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
    "subscriptions of flexible sync come along",
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
