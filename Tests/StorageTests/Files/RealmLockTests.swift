import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Exclusive access")
struct RealmLockTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(try Golden.bytes("empty.realm"), to: "x.realm")
  }

  @Test("makes the lock file, and leaves it behind")
  func makes() throws {
    do { _ = try RealmLock(realm: path) }
    #expect(FileManager.default.fileExists(atPath: path + ".lock"))
    #expect(RealmUse.state(ofRealmAt: path) == .free)
  }

  /// A process that is being started has all open files until it runs its program, so `SyncedApplyTests` found realms in
  /// use that an earlier job of the test had released. A duplicate of the descriptor acts like such a process.
  @Test("ends with the lock, even if another process has the lock file open")
  func inherited() throws {
    var duplicates: [Int32] = []
    defer { for number in duplicates { close(number) } }
    do {
      let lock = try RealmLock(realm: path)
      try withExtendedLifetime(lock) {
        let file = try #require(OutputFile.status(of: path + ".lock"))
        for number in 0..<Int32(1024) {
          var status = stat()
          guard unsafe fstat(number, &status) == 0, status.st_ino == file.st_ino,
            status.st_dev == file.st_dev
          else { continue }
          duplicates.append(dup(number))
        }
      }
    }
    #expect(!duplicates.isEmpty)
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    _ = try RealmLock(realm: path)
  }

  /// Chapter 1, section 6.5: an app would trust what a crashed one left in it.
  @Test("empties the lock file of a crashed app")
  func empties() throws {
    try folder.write([1, 2, 3], to: "x.realm.lock")
    let lock = try RealmLock(realm: path)
    withExtendedLifetime(lock) {
      #expect(try! Data(contentsOf: URL(fileURLWithPath: path + ".lock")).isEmpty)
      #expect(RealmUse.state(ofRealmAt: path) == .inUse)
    }
  }

  @Test("is refused while a process has the realm open, and the lock file stays unchanged")
  func refused() throws {
    try folder.write([1, 2, 3], to: "x.realm.lock")
    let held = HeldLock(path + ".lock", LOCK_SH)
    withExtendedLifetime(held) {
      do throws(RealmFileError) {
        _ = try RealmLock(realm: path)
        Issue.record("got the lock")
      } catch {
        guard case .inUse(let holders) = error.kind else {
          Issue.record("\(error)")
          return
        }
        #expect(error.path == path)
        #expect(holders.map(\.processID) == (isLinux ? [getpid()] : []))
        #expect(error.description.contains("(\(getpid()))") == isLinux)
      }
    }
    #expect(try readFile(path + ".lock") == [1, 2, 3])
  }

  @Test("applies to both names of a realm behind a link")
  func links() throws {
    let link = folder.path("link.realm")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let lock = try RealmLock(realm: link)
    withExtendedLifetime(lock) {
      #expect(throws: RealmFileError.self) { _ = try RealmLock(realm: path) }
      #expect(RealmUse.state(ofRealmAt: path) == .inUse)
    }
  }

  /// Another process may remove the lock file between its opening and its locking.
  @Test("holds the lock file that the next process finds")
  func removed() throws {
    let removals = Atomic(0)
    let lockPath = path + ".lock"
    let operations = FileOperations { step in
      if case .lock = step, removals.add(1, ordering: .relaxed).oldValue < 3 {
        try? FileManager.default.removeItem(atPath: lockPath)
      }
      return nil
    }
    let lock = try RealmLock(realm: path, operations: operations)
    #expect(removals.load(ordering: .relaxed) == 4)
    withExtendedLifetime(lock) { #expect(RealmUse.state(ofRealmAt: path) == .inUse) }
  }

  @Test("is refused if other processes keep removing the lock file")
  func neverStays() throws {
    let lockPath = path + ".lock"
    let operations = FileOperations { step in
      if case .lock = step { try? FileManager.default.removeItem(atPath: lockPath) }
      return nil
    }
    #expect(throws: RealmFileError(.inUse([]), path: path)) {
      _ = try RealmLock(realm: path, operations: operations)
    }
  }

  @Test("a folder in place of the lock file is an error")
  func folderAsLock() throws {
    try FileManager.default.createDirectory(
      atPath: path + ".lock", withIntermediateDirectories: false)
    #expect(throws: RealmFileError.self) { _ = try RealmLock(realm: path) }
  }
}
