import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Use of a realm")
struct RealmUseTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(try Golden.bytes("empty.realm"), to: "x.realm")
  }

  @Test("without a lock file the realm is free, and no lock file is created")
  func missing() throws {
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    #expect(RealmUse.state(ofRealmAt: folder.path("none/x.realm")) == .free)
    #expect(try folder.names() == ["x.realm"])
  }

  @Test("a lock file alone does not mean use, and stays unchanged")
  func stale() throws {
    try folder.write([1, 2, 3], to: "x.realm.lock")
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    #expect([UInt8](try Data(contentsOf: folder.url.appending(path: "x.realm.lock"))) == [1, 2, 3])
    #expect(try Snapshot(path: path).isCopy == false)
  }

  @Test("a realm is in use if a process holds a lock", arguments: [LOCK_SH, LOCK_EX])
  func held(operation: Int32) throws {
    do {
      let lock = HeldLock(path + ".lock", operation)
      try withExtendedLifetime(lock) {
        #expect(RealmUse.state(ofRealmAt: path) == .inUse)
        let holders = RealmUse.holders(ofRealmAt: path)
        #expect(holders.map(\.processID) == (isLinux ? [getpid()] : []))
        if isLinux {
          let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
          #expect(holders.map { $0.name + "\n" } == [name])
        }
        #expect(unsafe symlink(path, folder.path("link.realm")) == 0)
        #expect(RealmUse.state(ofRealmAt: folder.path("link.realm")) == .inUse)
      }
    }
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    #expect(RealmUse.holders(ofRealmAt: path).isEmpty)
  }

  @Test("a lock file that cannot be examined leaves it unknown, and the realm is copied")
  func unknown() throws {
    try FileManager.default.createDirectory(
      atPath: path + ".lock", withIntermediateDirectories: false)
    #expect(RealmUse.state(ofRealmAt: path) == .unknown)
    let snapshot = try Snapshot(path: path)
    #expect(snapshot.isInUse && snapshot.isCopy)
  }

  @Test("locks of other files, of other kinds and of waiting processes do not count")
  func table() throws {
    var status = stat()
    status.st_ino = 77
    status.st_dev = 0xFD01
    let table = """
      1: FLOCK  ADVISORY  READ 10 fd:01:77 0 EOF
      1: -> FLOCK  ADVISORY  WRITE 11 fd:01:77 0 EOF
      2: POSIX  ADVISORY  WRITE 12 fd:01:77 0 EOF
      3: FLOCK  ADVISORY  READ 13 fd:01:78 0 EOF
      4: FLOCK  ADVISORY  READ 14 00:2a:77 0 EOF
      5: FLOCK  ADVISORY  READ -1 fd:01:77 0 EOF
      6: FLOCK
      7: FLOCK  ADVISORY  READ 9 fd:01:77 0 EOF
      """
    #expect(RealmUse.processes(locking: status, table: table) == [9, 10])
    status.st_dev = 0x99
    #expect(RealmUse.processes(locking: status, table: table) == [9, 10, 14])
  }

  /// Chapter 1, section 6.4: iOS apps on a Mac hold a FIFO open instead of a lock.
  @Test("a realm is in use if a process reads the FIFO of an iOS app, which no other file is")
  func fifo() throws {
    try FileManager.default.createDirectory(
      atPath: path + ".management", withIntermediateDirectories: false)
    try folder.write([], to: "x.realm.lock")
    let fifo = try folder.write([1], to: "x.realm.management/lock.fifo")
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    #expect(unsafe unlink(fifo) == 0)
    #expect(unsafe mkfifo(fifo, 0o666) == 0)
    #expect(RealmUse.state(ofRealmAt: path) == .free)
    let reader = unsafe open(fifo, O_RDWR | O_NONBLOCK)
    #expect(RealmUse.state(ofRealmAt: path) == .inUse)
    #expect(throws: RealmFileError(.inUse([]), path: path)) { _ = try RealmLock(realm: path) }
    close(reader)
    #expect(RealmUse.state(ofRealmAt: path) == .free)
  }
}
