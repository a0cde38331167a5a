import Foundation
import RealmBackup
import RealmJobs
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

@Suite("Damaged archives")
struct DamagedBackupTests {
  /// The distance of the changed bytes; `REALM_BACKUP_STRIDE=1` changes all.
  static let step = ProcessInfo.processInfo.environment["REALM_BACKUP_STRIDE"].flatMap(Int.init)

  private let folder: TemporaryFolder
  private let archive: String

  init() throws {
    folder = try TemporaryFolder()
    archive = folder.path("x")
  }

  /// Restores of an archive of two small realms.
  private struct Restored: Equatable {
    var manifest: BackupManifest
    var files: [String: TemporaryFolder.FileState]
    var modes: [String: Int]

    init(_ archive: String, to target: TemporaryFolder) throws {
      manifest = try BackupListJob(path: archive).run()
      // Folders have the time of the restore.
      files = try target.contents().filter { $0.key.hasSuffix(".realm") }
      modes = try Dictionary(
        uniqueKeysWithValues: files.keys.map { name in
          let attributes = try FileManager.default.attributesOfItem(atPath: target.path(name))
          return (name, attributes[.posixPermissions] as? Int ?? -1)
        })
    }
  }

  private func make(_ format: ArchiveFormat) throws -> (bytes: [UInt8], restored: Restored) {
    for (golden, name, mode) in [
      ("names-v0", "d/a.realm", 0o640), ("tasks-local", "d/b.realm", 0o604),
    ] {
      let path = try folder.copyGolden("\(golden).realm", as: name)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    try makeBackup(of: [folder.path("d")], at: archive, format: format)
    let bytes = try readFile(archive)
    let target = try TemporaryFolder()
    #expect(try outcome(bytes, target) == nil)
    let restored = try Restored(archive, to: target)
    #expect(restored.modes == ["d/a.realm": 0o640, "d/b.realm": 0o604])
    return (bytes, restored)
  }

  /// - Returns: the error that `verify` finds; nil if there is none, with the realms restored to `target`.
  private func outcome(_ bytes: [UInt8], _ target: TemporaryFolder) throws -> (any Error)? {
    try Data(bytes).write(to: URL(filePath: archive))
    do {
      let report = try BackupVerifyJob(path: archive).run(keys: TestKeys())
      guard report.isGood else { return report.problem ?? ArchiveError(.damaged("")) }
    } catch {
      return error
    }
    _ = try BackupRestoreJob(
      BackupRestoreJob.Request(archive: archive, target: .folder(target.url.path))
    ).run()
    return nil
  }

  private func check(
    _ bytes: [UInt8], _ restored: Restored, _ what: String
  ) throws {
    let target = try TemporaryFolder()
    if let error = try outcome(bytes, target) {
      #expect(isInvalidData(error), "\(what): \(error)")
    } else {
      #expect(try Restored(archive, to: target) == restored, "\(what)")
    }
  }

  @Test("every changed byte is found, or changes nothing", arguments: ArchiveFormat.allCases)
  func bytes(format: ArchiveFormat) throws {
    let (bytes, restored) = try make(format)
    var random = SplitMix64(seed: 5)
    for offset in stride(from: 0, to: bytes.count, by: Self.step ?? max(1, bytes.count / 400)) {
      var changed = bytes
      let change = UInt8.random(in: 1...255, using: &random)
      changed[offset] ^= change
      try check(changed, restored, "\(format) byte \(offset) ^ \(change)")
    }
  }

  @Test("every missing end is found, or changes nothing", arguments: ArchiveFormat.allCases)
  func truncations(format: ArchiveFormat) throws {
    let (bytes, restored) = try make(format)
    for count in stride(from: 0, to: bytes.count, by: Self.step ?? max(1, bytes.count / 200)) {
      try check(Array(bytes[..<count]), restored, "\(format) cut to \(count)")
    }
  }

  @Test("the undamaged realms of an archive are restored on request")
  func partial() throws {
    let (bytes, _) = try make(.tar)
    // Inside the second realm, before the checksum of 1024 bytes and the end of 1024 bytes.
    var changed = bytes
    changed[bytes.count - 3000] ^= 1
    try Data(changed).write(to: URL(filePath: archive))
    let out = folder.path("out")
    var request = BackupRestoreJob.Request(archive: archive, target: .folder(out))
    #expect { _ = try BackupRestoreJob(request).run() } throws: { isInvalidData($0) }
    #expect(!FileManager.default.fileExists(atPath: out))
    request.isPartial = true
    let report = try BackupRestoreJob(request).runVerified()
    #expect(report.realms.map { $0.problem == nil } == [true, false])
    #expect(try FileManager.default.contentsOfDirectory(atPath: out + "/d") == ["a.realm"])
    let verified = try BackupVerifyJob(path: archive).run(keys: TestKeys())
    #expect(verified.realms.map(\.state) == [.good, .damaged])
    #expect(verified.problem == nil)
  }
}
