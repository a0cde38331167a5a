import Foundation
import RealmJobs
import RealmStorage
import TestSupport
import Testing

@Suite("Deletion of files")
struct DeleteFilesJobTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(try Golden.bytes("people.realm"), to: "a.realm")
    for name in [
      "a.realm.lock", "a.realm.note", "a.realm.management/access_control.write.mx",
      "a.realm.tmp_compaction_space", "a.realm.fresh", "a.realm.backup-log",
      "a.v23.backup.realm", "b.realm", "a.realm.log",
    ] {
      try folder.write([1, 2, 3], to: name)
    }
  }

  private var names: [String] { (try? folder.names()) ?? [] }

  private func run(_ request: DeleteFilesJob.Request) throws -> DeleteFilesJob.Report {
    try DeleteFilesJob(path: path, key: nil, request: request).run()
  }

  @Test("removes the auxiliary files, and empties the lock file")
  func ordinary() throws {
    let report = try run(DeleteFilesJob.Request())
    #expect(names == ["a.realm", "a.realm.lock", "a.v23.backup.realm", "b.realm"])
    #expect(try Data(contentsOf: folder.url.appending(path: "a.realm.lock")).isEmpty)
    #expect(report.items.allSatisfy { !$0.reason.isEmpty })
  }

  @Test("a folder of mutexes with a file of somebody else stays")
  func foreignFile() throws {
    try folder.write([1], to: "a.realm.management/mine.txt")
    let report = try run(DeleteFilesJob.Request())
    let item = try #require(report.items.first { $0.kind == .management })
    #expect(item.action == .kept && item.reason.contains("mine.txt"))
    #expect(try folder.names().contains("a.realm.management"))
  }

  @Test("removes the lock, the backups and the realm on request")
  func everything() throws {
    _ = try run(DeleteFilesJob.Request(withLock: true, withBackups: true))
    #expect(names == ["a.realm", "b.realm"])
    _ = try run(DeleteFilesJob.Request(withRealm: true))
    #expect(names == ["b.realm"])
  }

  @Test("a dry run reports the same and removes nothing")
  func dryRun() throws {
    let before = names
    let predicted = try run(DeleteFilesJob.Request(withRealm: true, isDryRun: true))
    #expect(names == before)
    let done = try run(DeleteFilesJob.Request(withRealm: true))
    #expect(predicted.items.map(\.path) == done.items.map(\.path))
    #expect(names == ["b.realm"])
  }

  @Test("a dry run reports the same if there is no lock file yet", arguments: [false, true])
  func noLock(withRealm: Bool) throws {
    try FileManager.default.removeItem(atPath: path + ".lock")
    let predicted = try run(DeleteFilesJob.Request(withRealm: withRealm, isDryRun: true))
    #expect(!names.contains("a.realm.lock"))
    let done = try run(DeleteFilesJob.Request(withRealm: withRealm))
    #expect(predicted.items.map(\.path) == done.items.map(\.path))
    #expect(names.contains("a.realm.lock") == !withRealm)
  }

  /// Once only the link was deleted, and the data that the user wanted to delete stayed.
  @Test("a symbolic link is followed: the realm, the link and the files of both names are deleted")
  func link() throws {
    let link = folder.path("link.realm")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "a.realm")
    try folder.write([1], to: "link.realm.note")
    func run(_ request: DeleteFilesJob.Request) throws -> [String] {
      try DeleteFilesJob(path: link, key: nil, request: request).run().items.map(\.path)
    }
    _ = try run(DeleteFilesJob.Request())
    #expect(
      names == [
        "a.realm", "a.realm.lock", "a.v23.backup.realm", "b.realm", "link.realm",
        "link.realm.lock",
      ])
    let predicted = try run(DeleteFilesJob.Request(withRealm: true, isDryRun: true))
    #expect(names.contains("a.realm"))
    #expect(try run(DeleteFilesJob.Request(withRealm: true)) == predicted)
    #expect(
      predicted.map { $0.split(separator: "/").last } == [
        "a.realm", "link.realm", "a.v23.backup.realm", "link.realm.lock", "a.realm.lock",
      ])
    #expect(names == ["b.realm"])
  }

  @Test("does nothing while the realm is in use")
  func inUse() throws {
    let before = names
    let held = HeldLock(path + ".lock", LOCK_SH)
    withExtendedLifetime(held) {
      for isDryRun in [true, false] {
        #expect(throws: (any Error).self) {
          _ = try run(DeleteFilesJob.Request(withRealm: true, isDryRun: isDryRun))
        }
      }
    }
    #expect(names == before)
  }

  @Test("a realm with changes that are not uploaded is deleted only if they may be lost")
  func unsynced() throws {
    try folder.write(try Golden.bytes("tasks-synced.realm"), to: "a.realm")
    let refusal = try #require(throws: RequestError.self) {
      _ = try run(DeleteFilesJob.Request(withRealm: true))
    }
    guard case .wouldLose(let changes, asymmetricClasses: []) = refusal.kind else {
      Issue.record("\(refusal)")
      return
    }
    #expect(changes > 0)
    #expect(names.contains("a.realm"))
    _ = try run(DeleteFilesJob.Request(withRealm: true, discardsUnsynced: true))
    #expect(!names.contains("a.realm"))
  }

  @Test("the download of a client reset stays if it is unknown whether the reset is pending")
  func unreadable() throws {
    try folder.write([1, 2, 3], to: "a.realm")
    let report = try run(DeleteFilesJob.Request())
    #expect(names.contains("a.realm.fresh"))
    // The reason is the error, not a reset that nobody saw.
    let download = report.items.first { $0.kind == .fresh }
    #expect(download?.action == .kept)
    #expect(download?.reason.contains("the realm cannot be read, ") == true)
  }

  @Test("of a history that is newer than the known ones, the reason says what was found")
  func unknownHistory() throws {
    var realm = try EditedRealm(golden: "tasks-synced-uploaded.realm")
    realm.setSlot(9, of: realm.top, to: 13)
    try folder.write(realm.bytes, to: "a.realm")
    let download = try run(DeleteFilesJob.Request(isDryRun: true)).items.first { $0.kind == .fresh }
    #expect(download?.action == .kept)
    #expect(
      download?.reason == """
        the download of a client reset, which may be pending: the realm is synced, and its history has schema \
        version 13; known are 0 to 2 and 10 to 12
        """)
    #expect(throws: RequestError(.unknownSyncHistory(13), path: path)) {
      try run(DeleteFilesJob.Request(withRealm: true))
    }
    #expect(names.contains("a.realm"))
    _ = try run(DeleteFilesJob.Request(withRealm: true, discardsUnsynced: true))
    #expect(!names.contains("a.realm"))
  }

  /// Slot 8 of the top array, the history, refers to the top array itself.
  @Test("whether a client reset is pending does not depend on the entries of the history")
  func damagedHistory() throws {
    var realm = try EditedRealm(golden: "tasks-synced-uploaded.realm")
    realm.setElement(8, of: realm.top, to: realm.top)
    try folder.write(realm.bytes, to: "a.realm")
    _ = try run(DeleteFilesJob.Request())
    #expect(!names.contains("a.realm.fresh"))
    let error = #expect(throws: RealmFileError.self) {
      try run(DeleteFilesJob.Request(withRealm: true))
    }
    #expect(
      error?.detail == "the root has 11 refs, expected 21 slots in schema version 12")
  }

  @Test("temporary files of killed runs are deleted, those of others stay")
  func temporaryFiles() throws {
    try folder.write([1], to: ".realm-cli-12-abc-a.realm")
    try folder.write([1], to: ".realm-cli-12-abd-export.json")
    try folder.write([1], to: ".realm-cli-notes")
    let held = HeldLock(folder.path(".realm-cli-12-abe-a.realm"), LOCK_EX)
    defer { withExtendedLifetime(held) {} }
    func found(isDryRun: Bool) throws -> [String] {
      try run(DeleteFilesJob.Request(isDryRun: isDryRun)).items
        .filter { $0.path.contains("/.realm-cli") }
        .map { "\($0.path.split(separator: "/").last ?? ""): \($0.action): \($0.reason)" }
    }
    let why = "unfinished output of a run of realm-cli that was killed"
    let expected = [
      ".realm-cli-12-abc-a.realm: deleted: \(why)",
      ".realm-cli-12-abd-export.json: deleted: \(why)",
      ".realm-cli-12-abe-a.realm: kept: a run of realm-cli is writing it",
    ]
    #expect(try found(isDryRun: true) == expected)
    #expect(names.contains(".realm-cli-12-abc-a.realm"))
    #expect(try found(isDryRun: false) == expected)
    #expect(
      names.filter { $0.hasPrefix(".") } == [".realm-cli-12-abe-a.realm", ".realm-cli-notes"])
  }

  @Test("a file that cannot be removed is reported")
  func faults() throws {
    let faults = Faults(failing: 3)
    #expect {
      var job = DeleteFilesJob(
        path: path, key: nil, request: DeleteFilesJob.Request(withRealm: true))
      job.operations = faults.operations
      _ = try job.run()
    } throws: { error in
      if case .inputOutput? = error.fileKind { return true }
      return false
    }
  }

  @Test("a missing realm is unreadable, and no lock file is made for it")
  func missing() throws {
    let path = folder.path("none.realm")
    #expect(throws: (any Error).self) {
      _ = try DeleteFilesJob(path: path, key: nil, request: DeleteFilesJob.Request()).run()
    }
    #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
  }
}
