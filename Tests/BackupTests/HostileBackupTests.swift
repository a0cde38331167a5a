import Foundation
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// A malicious archive with a name.
struct HostileArchive: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var bytes: [UInt8]

  private static let zeros = (
    size: 64, sha256: "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"
  )

  /// An archive whose manifest names `path`, with `member` for it.
  private static func make(
    _ what: String, _ path: String, _ members: [HandMadeMember], _ format: HandMadeFormat = .tar
  ) -> HostileArchive {
    let manifest = handMadeManifest([(path, zeros.size, zeros.sha256)])
    // An attacker can make a checksum; the walk never gets that far.
    return HostileArchive(
      testDescription: what + " in " + format.rawValue,
      bytes: handMadeArchive(
        [HandMadeMember(name: "manifest.json", bytes: manifest)] + members, format))
  }

  static let all: [HostileArchive] = HandMadeFormat.allCases.flatMap { format in
    let bytes = [UInt8](repeating: 0, count: zeros.size)
    func plain(_ what: String, _ path: String) -> HostileArchive {
      make(what, path, [HandMadeMember(name: path, bytes: bytes)], format)
    }
    var all = [
      plain("traversal", "../evil.realm"), plain("hidden traversal", "a/../../evil.realm"),
      plain("absolute path", "/tmp/realm-cli-evil.realm"), plain("empty part", "a//evil.realm"),
      plain("the manifest itself", "manifest.json"), plain("lock file", "a.realm.lock"),
      plain("management", "a.realm.management/x"),
      make(
        "traversal beside the manifest", "a.realm",
        [
          HandMadeMember(name: "../evil.realm", bytes: bytes),
          HandMadeMember(name: "a.realm", bytes: bytes),
        ], format),
      make(
        "symbolic link", "a.realm",
        [HandMadeMember(name: "a.realm", type: 0o120000, symlink: "/etc/passwd")], format),
      make(
        "link and a file through it", "a/b.realm",
        [
          HandMadeMember(name: "a", type: 0o120000, symlink: "/tmp"),
          HandMadeMember(name: "a/b.realm", bytes: bytes),
        ], format),
      make(
        "folder", "a.realm", [HandMadeMember(name: "a.realm/", type: 0o040000)], format),
      make(
        "more than the manifest says", "a.realm",
        [HandMadeMember(name: "a.realm", bytes: [UInt8](repeating: 0, count: 1 << 20))], format),
      make(
        "less than the manifest says", "a.realm",
        [HandMadeMember(name: "a.realm", bytes: [0])], format),
      make(
        "twice", "a.realm",
        [
          HandMadeMember(name: "a.realm", bytes: bytes),
          HandMadeMember(name: "a.realm", bytes: bytes),
        ], format),
      make(
        "not in the manifest", "a.realm", [HandMadeMember(name: "b.realm", bytes: bytes)], format),
      make("no checksum", "a.realm", [HandMadeMember(name: "a.realm", bytes: bytes)], format),
    ]
    if format == .tar {
      all += [
        make(
          "hard link", "a.realm",
          [HandMadeMember(name: "a.realm", hardlink: "/etc/passwd")], format),
        make(
          "device", "a.realm", [HandMadeMember(name: "a.realm", type: 0o020000)], format),
        make("pipe", "a.realm", [HandMadeMember(name: "a.realm", type: 0o010000)], format),
        make(
          "a size that lies", "a.realm",
          [HandMadeMember(name: "a.realm", bytes: bytes, size: 1 << 40)], format),
      ]
    }
    return all
  }
}

@Suite("Hostile archives")
struct HostileBackupTests {
  @Test("are refused, and nothing appears", arguments: HostileArchive.all, [false, true])
  func refused(archive: HostileArchive, isPartial: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(archive.bytes, to: "x/hostile")
    let target = folder.path("x/target")
    var request = BackupRestoreJob.Request(archive: path, target: .folder(target))
    request.isPartial = isPartial
    do {
      let report = try BackupRestoreJob(request).run()
      #expect(isPartial && report.problem != nil || report.realms.contains { $0.problem != nil })
    } catch {
      #expect(isInvalidData(error), "\(error)")
    }
    // --partial may restore undamaged members; nothing is ever written outside the target.
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    let expected: Set = ["x", "x/hostile"]
    #expect(Set(files).subtracting(isPartial ? ["x/target", "x/target/a.realm"] : []) == expected)
    do {
      let report = try BackupVerifyJob(path: path).run(keys: TestKeys())
      #expect(!report.isGood)
    } catch {
      #expect(isInvalidData(error), "\(error)")
    }
  }

  @Test("a bomb of many zeros is not unpacked")
  func bomb() throws {
    let folder = try TemporaryFolder()
    // 256 MB of zeros in about 1 MB; a gzip of a gzip would be smaller, but is not a tar.
    let manifest = handMadeManifest([("a.realm", 4096, String(repeating: "0", count: 64))])
    try folder.write(manifest, to: "manifest.json")
    _ = try runScript(
      """
      truncate -s 256M a.realm && tar --format=ustar -cf - manifest.json a.realm | gzip -1 > bomb.tar.gz && rm a.realm
      { cat manifest.json; head -c 140000000 /dev/zero | tr '\\0' ' '; } > m && mv m manifest.json
      tar -cf - manifest.json | gzip -1 > bomb2.tar.gz && rm manifest.json
      """, folder: folder.url)
    for name in ["bomb.tar.gz", "bomb2.tar.gz"] {
      let job = BackupRestoreJob(
        BackupRestoreJob.Request(
          archive: folder.path(name), target: .folder(folder.path("out"))))
      #expect { _ = try job.run() } throws: { isInvalidData($0) }
    }
    #expect(
      try folder.names() == [
        "bomb.tar.gz", "bomb2.tar.gz",
      ])
  }

  @Test(
    "an archive larger than the free disk space is refused before anything is written",
    arguments: [false, true])
  func tooMuch(isDryRun: Bool) throws {
    let folder = try TemporaryFolder()
    let manifest = handMadeManifest([("a.realm", 1 << 60, String(repeating: "0", count: 64))])
    let archive = try folder.write(
      handMadeArchive([
        HandMadeMember(name: "manifest.json", bytes: manifest),
        HandMadeMember(name: "a.realm", bytes: [0], size: 1 << 60),
      ]), to: "x.tar")
    for target in [
      BackupRestoreJob.Target.folder(folder.path("none/none")), .file(folder.path("a.realm")),
    ] {
      var request = BackupRestoreJob.Request(archive: archive, target: target)
      request.isDryRun = isDryRun
      #expect {
        _ = try BackupRestoreJob(request).run()
      } throws: { error in
        if case .inputOutput(let reason)? = error.fileKind {
          return reason.number == ENOSPC
        }
        return false
      }
    }
    #expect(try folder.names() == ["x.tar"])
  }

  @Test("a link in the target is not followed")
  func links() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("names-v0.realm", as: "data/sub/a.realm")
    let archive = folder.path("x.tar")
    try makeBackup(of: [folder.path("data")], at: archive)
    try folder.write([], to: "target/x")
    try folder.write([], to: "outside/x")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("target/data"), withDestinationPath: "../outside")
    var request = BackupRestoreJob.Request(
      archive: archive, target: .folder(folder.path("target")))
    request.replaces = true
    #expect(throws: (any Error).self) { _ = try BackupRestoreJob(request).run() }
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: folder.path("outside")) == ["x"])
    try FileManager.default.removeItem(atPath: folder.path("target/data"))
    try folder.write([], to: "target/data/sub/x")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("target/data/sub/a.realm"), withDestinationPath: "../../../outside/x")
    #expect(throws: (any Error).self) { _ = try BackupRestoreJob(request).run() }
    #expect(FileManager.default.contents(atPath: folder.path("outside/x")) == Data())
  }
}
