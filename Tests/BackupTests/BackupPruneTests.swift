import Foundation
import RealmBackup
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Deleting old backups")
struct BackupPruneTests {
  let folder: TemporaryFolder
  private let realm: String

  init() throws {
    folder = try TemporaryFolder()
    realm = try folder.copyGolden("names-v0.realm", as: "data/a.realm")
    for (name, days) in [("people", 0..<4), ("tasks", 0..<2)] {
      for day in days {
        let time = UTCTime(seconds: 1_700_000_000 + day * 86_400)
        let stem = "\(name)-\(time.compactText)"
        try makeBackup(
          of: [realm], at: folder.path(stem + ".tar.gz"), format: .tarGzip, name: name, time: time)
      }
    }
    // None of these is counted or touched.
    try folder.write([1, 2, 3], to: "people-20200101T000000Z.tar.gz")
    try folder.write([1], to: "notes.txt")
    try makeBackup(of: [realm], at: folder.path("mine.tar"), name: "people")
    try makeBackup(
      of: [realm], at: folder.path("people-20200102T000000Z.tar"), name: "other",
      time: UTCTime(seconds: 1_577_923_200))
  }

  private var names: [String] {
    (try? folder.names()) ?? []
  }

  private func prune(
    _ retention: Retention, verifies: Bool = false, isDryRun: Bool = false
  ) throws -> BackupPruneJob.Report {
    try BackupPruneJob(
      BackupPruneJob.Request(
        folder: folder.url.path, retention: retention, verifies: verifies, isDryRun: isDryRun)
    ).run(keys: TestKeys())
  }

  @Test("backups that no rule keeps are deleted, separately for each name, and nothing else")
  func deletes() throws {
    let before = names
    #expect(
      try prune(Retention(last: 1), isDryRun: true).items.count { $0.action == .deleted } == 4)
    #expect(names == before)
    let report = try prune(Retention(last: 1), verifies: true)
    #expect(report.damaged.isEmpty)
    let gone = Set(before).subtracting(names)
    // 1,700,000,000 is 2023-11-14T22:13:20Z.
    #expect(
      gone == [
        "people-20231114T221320Z.tar.gz", "people-20231115T221320Z.tar.gz",
        "people-20231116T221320Z.tar.gz", "tasks-20231114T221320Z.tar.gz",
      ])
  }

  @Test("an unreadable archive stays, and the report says why")
  func unreadable() throws {
    let report = try prune(Retention(last: 1))
    let archive = folder.path("people-20200101T000000Z.tar.gz")
    let item = try #require(report.items.first { $0.path == archive })
    #expect(item.action == .ignored)
    #expect(item.byteCount == 3)
    let reason = try #require(item.reasons.first)
    #expect(reason.hasPrefix("its manifest cannot be read: ") && reason.contains("archive"))
    #expect(names.contains("people-20200101T000000Z.tar.gz"))
  }

  @Test("nothing is deleted if a backup that is kept is damaged")
  func damaged() throws {
    let newest = folder.path("people-20231119T221320Z.tar")
    try makeBackup(
      of: [realm], at: newest, name: "people",
      time: UTCTime(seconds: 1_700_000_000 + 5 * 86_400))
    var bytes = try Data(contentsOf: URL(filePath: newest))
    // In the realm: the checksum and the end follow, of 1024 bytes each.
    bytes[bytes.count - 3000] ^= 1
    try bytes.write(to: URL(filePath: newest))
    let before = names
    let report = try prune(Retention(last: 1), verifies: true)
    #expect(report.damaged.map(\.path) == [newest])
    #expect(names == before)
  }
}
