import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RealmStorage

/// A writer that commits to a small realm repeatedly without a lock, the way the format
/// requires: data into space that the live version does not use, then the inactive slot, then
/// the selector. Even versions have their nodes in the lower half of the file, odd ones in the upper
/// half, and the only table slot of version v has many times the value v.
final class BusyRealm: Sendable {
  static let elementCount = 20_000
  private static let half = 256 * 1024
  static let byteCount = 2 * half

  let path: String
  /// Encrypts the output; nil for a plain realm.
  let encryptor: PageEncryptor?
  private let descriptor: Int32
  private let isStopped = Mutex(false)

  /// Creates the realm at `path` with version 2.
  init(path: String, key: [UInt8]? = nil) throws {
    self.path = path
    encryptor = key.map(PageEncryptor.init(key:))
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    precondition(descriptor >= 0)
    var image = realmBytes(top: 24 + 16, body: BusyRealm.nodes(2))
    image += [UInt8](repeating: 0, count: BusyRealm.byteCount - image.count)
    write(image, 0)
    commit(2)
  }

  deinit { close(descriptor) }

  /// The table node of version `version`, its names and its top array, which ends the nodes.
  static func nodes(_ version: Int) -> [UInt8] {
    let start = start(version)
    let elements = unsafe [Int](repeating: version.littleEndian, count: elementCount)
      .withUnsafeBytes { unsafe Array($0) }
    let values = node(flags: 7, count: elementCount, elements)
    let names = node(flags: 8, count: 0)
    let slots = [
      start + values.count, start, byteCount * 2 + 1, 0, 0, 0, version * 2 + 1,
    ]
    let top = node(flags: 0x47, count: 7, slots.flatMap { littleEndianBytes($0, count: 8) })
    return values + names + top
  }

  private static func start(_ version: Int) -> Int { version % 2 == 0 ? 4096 : half }

  private static func topRef(_ version: Int) -> Int {
    start(version) + 8 + elementCount * 8 + 8
  }

  /// Writes version `version` and selects it.
  func commit(_ version: Int) {
    write(BusyRealm.nodes(version), BusyRealm.start(version))
    let tops = [BusyRealm.topRef(version), version > 2 ? BusyRealm.topRef(version - 1) : 0]
    let selected = UInt8(version % 2)
    // The slot first, then the selector.
    write(header(tops, selected: 1 - selected), 0)
    write(header(tops, selected: selected), 0)
  }

  private func header(_ tops: [Int], selected: UInt8) -> [UInt8] {
    let isNew = selected == UInt8(tops[0] >= BusyRealm.half ? 1 : 0)
    return isNew
      ? realmBytes(top: tops[0], other: tops[1], selected: selected)
      : realmBytes(top: tops[1], other: tops[0], selected: selected)
  }

  /// Runs `body` while another thread commits, with a pause in microseconds after each commit.
  func whileCommitting(pause: UInt32, _ body: () throws -> Void) rethrows {
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      var version = 3
      while !self.isStopped.withLock({ $0 }) {
        self.commit(version)
        version += 1
        usleep(pause)
      }
      ended.signal()
    }
    thread.start()
    defer {
      isStopped.withLock { $0 = true }
      ended.wait()
    }
    try body()
  }

  /// Writes plain bytes, or their pages: entry first, then ciphertext.
  private func write(_ bytes: [UInt8], _ offset: Int) {
    guard let encryptor else {
      precondition(unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
      return
    }
    let padded = bytes + [UInt8](repeating: 0, count: -bytes.count & 4095)
    for start in stride(from: 0, to: padded.count, by: 4096) {
      let page = (offset + start) / 4096
      let place = off_t(EncryptedLayout.entryOffset(ofPage: page))
      var entry = [UInt8](repeating: 0, count: 64)
      _ = unsafe pread(descriptor, &entry, 64, place)
      let counter = Int(entry[0]) | Int(entry[1]) << 8 | Int(entry[2]) << 16
      let plain = Array(padded[start..<(start + 4096)])
      let hidden = encryptor.ciphertext(plain, counter: counter + 1, offset: page * 4096)
      let now = littleEndianBytes(counter + 1, count: 4) + encryptor.code(hidden) + entry[..<32]
      precondition(unsafe pwrite(descriptor, now, 64, place) == 64)
      let target = off_t(EncryptedLayout.ciphertextOffset(ofPage: page))
      precondition(unsafe pwrite(descriptor, hidden, 4096, target) == 4096)
    }
  }
}

@Suite("Reading a realm that changes", .serialized)
struct LiveReadingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The values of the only table, and whether they belong to the version.
  private func isConsistent(_ snapshot: Snapshot) throws(RealmFileError) -> Bool {
    let reader = try snapshot.makeReader()
    let values = try reader.node(at: snapshot.top.tables).integers()
    return withExtendedLifetime(reader) {
      values.count == BusyRealm.elementCount
        && values.allSatisfy { $0 == Int64(snapshot.top.version) }
    }
  }

  @Test(
    "a proven copy has one version despite a writer without locks",
    arguments: [false, true])
  func copies(isEncrypted: Bool) throws {
    let bytes = isEncrypted ? [UInt8](repeating: 5, count: 64) : nil
    let key = try bytes.map { bytes throws(KeyError) in try RealmKey(bytes: bytes) }
    let realm = try BusyRealm(path: folder.path("busy.realm"), key: bytes)
    var versions: Set<Int> = []
    try realm.whileCommitting(pause: isEncrypted ? 40_000 : 5_000) {
      let deadline = ContinuousClock.now + .seconds(30)
      while versions.count < 5, ContinuousClock.now < deadline {
        do {
          let snapshot = try Snapshot(path: realm.path, key: key, access: .copied)
          #expect(snapshot.isCopy)
          #expect(try isConsistent(snapshot))
          try snapshot.prove()
          versions.insert(snapshot.top.version)
        } catch let error as RealmFileError {
          // A writer that never pauses can win, but the copy must not be wrong.
          #expect(error.kind == .changedWhileReading)
        }
      }
    }
    #expect(versions.count == 5)
  }

  @Test("a short read has one version if it is proven, and is repeated otherwise")
  func brief() throws {
    let realm = try BusyRealm(path: folder.path("busy.realm"))
    var versions: Set<Int> = []
    try realm.whileCommitting(pause: 5_000) {
      let deadline = ContinuousClock.now + .seconds(30)
      while versions.count < 5, ContinuousClock.now < deadline {
        do {
          let (isRight, version) = try Snapshot.withBriefSnapshot(path: realm.path) {
            (snapshot) throws(RealmFileError) in (try isConsistent(snapshot), snapshot.top.version)
          }
          #expect(isRight)
          versions.insert(version)
        } catch let error as RealmFileError {
          #expect(error.kind == .changedWhileReading)
        }
      }
    }
    #expect(versions.count == 5)
  }

  @Test(
    "a commit after the snapshot was opened shows, and the copy of a realm in use does not mind")
  func proof() throws {
    let realm = try BusyRealm(path: folder.path("busy.realm"))
    let mapped = try Snapshot(path: realm.path)
    #expect(!mapped.isCopy && !mapped.isInUse)
    try mapped.prove()

    let lock = HeldLock(realm.path + ".lock", LOCK_SH)
    try withExtendedLifetime(lock) { () throws in
      let copy = try Snapshot(path: realm.path)
      #expect(copy.isCopy && copy.isInUse)
      let brief = try Snapshot(path: realm.path, access: .brief)
      #expect(!brief.isCopy && brief.isInUse)
      for version in 3...4 {
        realm.commit(version)
        for snapshot in [mapped, brief] {
          let error = #expect(throws: RealmFileError.self) { try snapshot.prove() }
          #expect(error?.kind == .changedWhileReading)
          #expect(error?.path == realm.path)
        }
      }
      // Version 4 is where version 2 was.
      #expect(try !isConsistent(mapped))
      try copy.prove()
      #expect(try isConsistent(copy))
      #expect(copy.top.version == 2)
    }
  }

  @Test("an equal header with another top array is another version")
  func sameHeader() throws {
    let realm = try BusyRealm(path: folder.path("busy.realm"))
    realm.commit(3)
    realm.commit(4)
    let snapshot = try Snapshot(path: realm.path)
    realm.commit(5)
    realm.commit(6)
    #expect(try Snapshot(path: realm.path).header == snapshot.header)
    let error = #expect(throws: RealmFileError.self) { try snapshot.prove() }
    #expect(error?.kind == .changedWhileReading)
  }

  @Test("no file stays behind for a copy")
  func noTraces() throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "x.realm")
    let snapshot = try Snapshot(path: path, access: .copied)
    #expect(snapshot.isCopy)
    #expect(snapshot.fileByteCount == (try Golden.bytes("people.realm")).count)
    #expect(try folder.names() == ["x.realm"])
  }

  @Test("a file that is truncated while it is mapped ends in an error, not in a signal")
  func cut() throws {
    try FaultGuard.turnOn()
    let golden = try Golden.bytes("people.realm")
    let path = try folder.write(golden, to: "x.realm")
    let snapshot = try Snapshot(path: path)
    #expect(snapshot.readFault == nil)
    #expect(unsafe truncate(path, 4096) == 0)
    let reader = try snapshot.makeReader()
    // Any result is fine, but reading the zeros must not crash.
    _ = try? reader.source.copy(at: golden.count - 4096, count: 4096)
    _ = try? reader.node(at: snapshot.top.tables)
    #expect(snapshot.readFault == RealmFileError(.shrankWhileReading, path: path))
    let error = #expect(throws: RealmFileError.self) { try snapshot.prove() }
    #expect(error?.kind == .shrankWhileReading)
  }

  @Test("without the guard, reading behind the end has the system's behaviour")
  func cutUnguarded() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      let folder = try TemporaryFolder()
      let golden = try Golden.bytes("people.realm")
      let path = try folder.write(golden, to: "x.realm")
      let reader = try Snapshot(path: path).makeReader()
      precondition(unsafe truncate(path, 4096) == 0)
      _ = try reader.source.copy(at: golden.count - 4096, count: 4096)
    }
  }

  @Test("a truncation is noticed although no page was missing, and although the file grew again")
  func cutUnseen() throws {
    try FaultGuard.turnOn()
    let golden = try Golden.bytes("people.realm")
    let path = try folder.write(golden, to: "x.realm")
    let unread = try Snapshot(path: path)
    let read = try Snapshot(path: path)
    let reader = try read.makeReader()
    #expect(unsafe truncate(path, off_t(golden.count - 1)) == 0)
    #expect((unread.readFault != nil) == (unread.top.logicalSize == golden.count))
    #expect(unsafe truncate(path, 4096) == 0)
    #expect(unread.readFault?.kind == .shrankWhileReading)
    #expect(try reader.source.copy(at: 8192, count: 8) == [UInt8](repeating: 0, count: 8))
    try folder.write(golden, to: "y.realm")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data(golden))
    try file.close()
    #expect(unread.readFault == nil)
    #expect(read.readFault?.kind == .shrankWhileReading)
  }

  @Test("bytes behind the logical size may disappear")
  func trimmed() throws {
    let golden = try Golden.bytes("empty.realm")
    let path = try folder.write(golden + [UInt8](repeating: 0, count: 8192), to: "x.realm")
    let snapshot = try Snapshot(path: path)
    #expect(unsafe truncate(path, off_t(golden.count)) == 0)
    #expect(snapshot.readFault == nil)
    try snapshot.prove()
  }

  @Test("opening a damaged realm fails in the same way in place and from a copy")
  func refusals() throws {
    for access in [Snapshot.Access.whole, .brief, .copied] {
      for (bytes, kind) in [
        ([], .empty), (Array("hello, world, this is text".utf8), .notARealm),
        (try Golden.bytes("people-encrypted.realm"), .keyMissing),
        (Array(try Golden.bytes("people.realm")[..<8192]), nil),
      ] as [([UInt8], RealmFileError.Kind?)] {
        let path = try folder.write(bytes, to: "x.realm")
        let error = #expect(throws: RealmFileError.self) {
          try Snapshot(path: path, access: access)
        }
        if let kind {
          #expect(error?.kind == kind)
        } else if case .truncated = error?.kind {
        } else {
          Issue.record("\(String(describing: error))")
        }
      }
    }
  }
}
