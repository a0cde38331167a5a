import Foundation
import RealmJobs
import RealmStorage
import TestSupport

/// Lists, verifies and restores a backup.
struct Archives {
  private let path: String
  private let folder: TemporaryFolder
  private let choice: Int

  /// - Parameter choice: selects whether the intact realms of a damaged backup are restored.
  init(_ bytes: [UInt8], in folder: TemporaryFolder, choice: Int) throws {
    (self.folder, self.choice) = (folder, choice)
    path = try folder.write(bytes, to: "x.tar")
  }

  /// No realm has a key.
  private struct NoKeys: RealmKeySource {
    func open<Realm>(_ path: String, _ open: (RealmKey?) throws -> Realm) throws -> Realm {
      try open(nil)
    }
  }

  func run() throws {
    try FuzzRun.expecting("backup list") { _ = try BackupListJob(path: path).run() }
    var isGood = false
    try FuzzRun.expecting("backup verify") {
      isGood = try BackupVerifyJob(path: path).run(keys: NoKeys()).isGood
    }
    let target = folder.path("restored")
    try? FileManager.default.removeItem(atPath: target)
    let failure = try FuzzRun.expecting("backup restore") {
      _ = try BackupRestoreJob(
        BackupRestoreJob.Request(
          archive: path, target: .folder(target), isPartial: choice & 1 != 0)
      ).run()
    }
    if let failure, isGood {
      throw FuzzFailure("verify finds the backup good, but it cannot be restored: \(failure)")
    }
    let names = try folder.names()
    guard Set(names).isSubset(of: ["x.tar", "restored"]) else {
      throw FuzzFailure("the backup wrote outside of the folder: \(names)")
    }
  }
}
