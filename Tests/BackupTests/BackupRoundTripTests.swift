import Foundation
import RealmBackup
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Backups that are made and restored")
struct BackupRoundTripTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("all golden realms come back with equal exports", arguments: ArchiveFormat.allCases)
  func golden(format: ArchiveFormat) throws {
    let keys = TestKeys(key: try Golden.key("people-encrypted"))
    let (archive, target) = (folder.path("all.\(format.rawValue)"), folder.path("restored"))
    let manifest = try makeBackup(
      of: [Golden.path("")], at: archive, format: format, keys: keys)
    #expect(manifest.realms.map(\.path) == Golden.names.map { "golden/\($0).realm" }.sorted())
    #expect(try BackupListJob(path: archive).run() == manifest)
    #expect(try BackupVerifyJob(path: archive).run(keys: keys).isGood)
    let report = try BackupRestoreJob(
      BackupRestoreJob.Request(archive: archive, target: .folder(target))
    ).runVerified(key: keys.key)
    #expect(report.realms.count == Golden.names.count)
    for realm in report.realms {
      let key = realm.entry.encrypted ? keys.key : nil
      let original = Golden.path(String(realm.entry.path.dropFirst("golden/".count)))
      #expect(try objects(of: realm.output, key: key) == objects(of: original, key: key))
      let (old, new) = (
        try FileManager.default.attributesOfItem(atPath: original),
        try FileManager.default.attributesOfItem(atPath: realm.output)
      )
      #expect(old[.modificationDate] as? Date == new[.modificationDate] as? Date)
      #expect(old[.posixPermissions] as? Int == new[.posixPermissions] as? Int)
      #expect(realm.entry.verified == .done)
    }
    #expect(manifest.realms.filter(\.encrypted).map(\.path) == ["golden/people-encrypted.realm"])
  }

  @Test("the same realms give the same archive", arguments: ArchiveFormat.allCases)
  func deterministic(format: ArchiveFormat) throws {
    let path = try folder.copyGolden("people.realm")
    let (first, second) = (folder.path("a"), folder.path("b"))
    try makeBackup(of: [path], at: first, format: format)
    try makeBackup(of: [path], at: second, format: format)
    #expect(try Data(contentsOf: URL(filePath: first)) == Data(contentsOf: URL(filePath: second)))
  }

  @Test("raw realms stay byte for byte")
  func raw() throws {
    let path = try folder.copyGolden("churned.realm")
    let archive = folder.path("a.tar")
    let manifest = try makeBackup(of: [path], at: archive, isRaw: true)
    #expect(manifest.realms[0].raw)
    let out = folder.path("out.realm")
    try BackupRestoreJob(
      BackupRestoreJob.Request(archive: archive, target: .file(out))
    ).runVerified()
    #expect(try Data(contentsOf: URL(filePath: out)) == Data(Golden.bytes("churned.realm")))
  }

  @Test("an encrypted realm without its key is stored unchanged, but not while it is open")
  func withoutKey() throws {
    let path = try folder.copyGolden("people-encrypted.realm")
    let archive = folder.path("a.tar")
    let manifest = try makeBackup(of: [path], at: archive)
    #expect(manifest.realms[0].verified == .notPossible)
    #expect(manifest.realms[0].raw)
    #expect(manifest.realms[0].size == (try Golden.bytes("people-encrypted.realm").count))
    #expect(
      try BackupVerifyJob(path: archive).run(keys: TestKeys()).realms.map(\.state) == [.bytesGood])
    let held = HeldLock(path + ".lock", LOCK_SH)
    try withExtendedLifetime(held) {
      let job = BackupCreateJob(
        BackupCreateJob.Request(
          sources: try BackupSources(paths: [path]).sources, name: "x", format: .tar,
          toolVersion: "0"))
      var failures: [any Error] = []
      let prepared = try job.prepare(keys: TestKeys()) { _, _ in
      } failed: {
        failures.append($1)
      }
      #expect(prepared.isEmpty)
      #expect(failures.count == 1)
      guard case .inUse? = failures.first?.fileKind else {
        Issue.record("\(failures)")
        return
      }
    }
  }

  @Test("names that are not ASCII survive", arguments: ArchiveFormat.allCases)
  func names(format: ArchiveFormat) throws {
    let name = "Grüße 人 \u{1F600} " + String(repeating: "x", count: 120) + ".realm"
    let path = try folder.copyGolden("names-v0.realm", as: name)
    let archive = folder.path("a")
    try makeBackup(of: [path], at: archive, format: format)
    let report = try BackupRestoreJob(
      BackupRestoreJob.Request(archive: archive, target: .folder(folder.path("out")))
    ).runVerified()
    #expect(report.realms.map(\.output) == [folder.path("out") + "/" + name])
  }

  @Test("an existing realm is replaced only on request, and never while it is open")
  func existing() throws {
    let path = try folder.copyGolden("people.realm")
    let archive = folder.path("a.tar")
    try makeBackup(of: [path], at: archive)
    try folder.write([1], to: "people.realm")
    try folder.write([1, 2], to: "people.realm.lock")
    var request = BackupRestoreJob.Request(archive: archive, target: .folder(folder.url.path))
    #expect(throws: RealmFileError(.outputExists, path: path)) {
      _ = try BackupRestoreJob(request).run()
    }
    request.replaces = true
    do {
      let held = HeldLock(path + ".lock", LOCK_SH)
      withExtendedLifetime(held) {
        _ = #expect {
          _ = try BackupRestoreJob(request).run()
        } throws: { error in
          if case .inUse = error.fileKind { return true }
          return false
        }
      }
    }
    #expect(FileManager.default.contents(atPath: path) == Data([1]))
    try BackupRestoreJob(request).runVerified()
    #expect(try objects(of: path) == objects(of: Golden.path("people.realm")))
    // The next app would trust what a crashed one left in it.
    #expect(FileManager.default.contents(atPath: path + ".lock") == Data())
  }

  @Test("one realm by its name, or the realms of a folder; unknown names are errors")
  func selection() throws {
    try folder.copyGolden("people.realm", as: "data/a/people.realm")
    try folder.copyGolden("links.realm", as: "data/b/links.realm")
    let archive = folder.path("x.tar")
    try makeBackup(of: [folder.path("data")], at: archive)
    func restore(_ names: [String], to target: BackupRestoreJob.Target) throws -> [String] {
      try BackupRestoreJob(
        BackupRestoreJob.Request(archive: archive, target: target, names: names)
      ).runVerified().realms.map(\.output)
    }
    let one = folder.path("one.realm")
    #expect(try restore(["data/b"], to: .file(one)) == [one])
    #expect(try objects(of: one) == objects(of: Golden.path("links.realm")))
    let out = folder.path("out")
    #expect(try restore(["data/a/"], to: .folder(out)) == [out + "/data/a/people.realm"])
    #expect(throws: ArchiveError(.noSuchRealm("data/c"), path: archive)) {
      _ = try restore(["data/c"], to: .folder(out))
    }
    #expect(throws: ArchiveError(.severalRealms(2), path: archive)) {
      _ = try restore([], to: .file(one))
    }
  }

  @Test("two realms of one name are refused")
  func sameNames() throws {
    let a = try folder.copyGolden("people.realm", as: "a/x.realm")
    let b = try folder.copyGolden("people.realm", as: "b/x.realm")
    #expect(throws: ArchiveError(.sameNames("x.realm"), path: b)) {
      _ = try BackupSources(paths: [a, b])
    }
  }

  @Test("no realm appears or changes if any step of a restore fails")
  func faults() throws {
    try folder.copyGolden("people.realm", as: "data/people.realm")
    try folder.copyGolden("links.realm", as: "data/links.realm")
    let archive = folder.path("x.tar")
    try makeBackup(of: [folder.path("data")], at: archive)
    let out = folder.path("out")
    for number in 0..<200 {
      let faults = Faults(failing: number)
      let job = BackupRestoreJob(
        BackupRestoreJob.Request(archive: archive, target: .folder(out)),
        operations: faults.operations)
      do {
        try job.runVerified()
        #expect(!faults.hasFailed)
        #expect(number > 8)
        return
      } catch {
        #expect(faults.hasFailed)
      }
      // The last steps publish one realm after another; each published realm is complete.
      let files = (try? FileManager.default.subpathsOfDirectory(atPath: out)) ?? []
      for file in files where file != "data" {
        #expect(["data/people.realm", "data/links.realm"].contains(file))
        let name = String(file.dropFirst("data/".count))
        try expectNoErrors(out + "/" + file)
        #expect(try objects(of: out + "/" + file) == objects(of: Golden.path(name)))
      }
      try? FileManager.default.removeItem(atPath: out)
    }
    Issue.record("the job never ended")
  }
}
