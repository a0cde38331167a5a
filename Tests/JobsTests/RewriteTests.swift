import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage
import RealmSync
import RealmVerify
import TestJobs
import TestSupport
import Testing

@Suite("Jobs that rewrite a realm")
struct RewriteTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  /// The path and the key of a golden realm.
  private func golden(_ name: String) throws -> (path: String, key: RealmKey?) {
    (Golden.path(name + ".realm"), try Golden.key(name))
  }

  @Test("compaction keeps objects, version, history and identity", arguments: Golden.names)
  func compact(name: String) throws {
    let (path, key) = try golden(name)
    let report = try CompactJob(
      path: path, key: key, destination: .file(out, replacing: false)
    ).runVerified(key: key)
    let rewrite = try #require(report.rewrite)
    let (before, after) = (try Snapshot(path: path, key: key), try Snapshot(path: out, key: key))
    #expect(rewrite.bytesBefore == before.fileByteCount)
    #expect(rewrite.bytesAfter == after.fileByteCount)
    #expect(try objects(of: out, key: key) == objects(of: path, key: key))
    #expect(after.top.version == before.top.version)
    #expect(after.top.fileIdent == before.top.fileIdent)
    #expect(after.format == before.format)
    // A realm without history gets the empty one that keeps SDKs from upgrading it.
    let kind = try HistoryKind(of: before.top)
    #expect(try HistoryKind(of: after.top) == (kind == .none ? .inRealm : kind))
    let (old, new) = (try ClientHistory(before), try ClientHistory(after))
    #expect(old?.entryCount == new?.entryCount)
    #expect(old?.pending.map(\.version) == new?.pending.map(\.version))
    #expect(old?.downloadServerVersion == new?.downloadServerVersion)
  }

  @Test("a node that two others refer to ends a compaction: the two copies would hide the damage")
  func sharedNode() throws {
    let realm = try Realm(path: Golden.path("links.realm"))
    let table = try #require(realm.schema.table(named: "class_Person"))
    let reader = try RealmReader(realm)
    let cluster = try reader.nodes.lookUp(try reader.clusters(of: table)[0].ref)
    let column = try #require(table.column(named: "dogs"))
    let leaf = try cluster.ref(at: column.key.leafIndex + 1)
    var edited = try EditedRealm(golden: "links.realm")
    let lists = (0..<edited.count(of: leaf)).filter { edited.element($0, of: leaf) != 0 }
    try #require(lists.count > 1)
    let shared = edited.element(lists[0], of: leaf)
    edited.setElement(lists[1], of: leaf, to: shared)
    let path = try folder.write(edited.bytes, to: "shared.realm")
    let error = #expect(throws: (any Error).self) {
      try CompactJob(path: path, key: nil, destination: .file(out, replacing: false)).run()
    }
    #expect(error?.fileKind == .damaged(.storageNodeOverlap))
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("every result has only the findings of its source", arguments: Golden.names)
  func findings(name: String) throws {
    let (path, key) = try golden(name)
    let newKey = try RealmKey.random()
    let target = RealmDestination.file(out, replacing: true)
    func counts(_ path: String, _ key: RealmKey?) throws -> [Rule: Int] {
      let report = try VerifyJob(VerifyJob.Request(path: path, key: key, jobs: 2)).run()
      return Dictionary(report.totals.map { ($0.rule, $0.count) }, uniquingKeysWith: +)
    }
    let before = try counts(path, key)
    func check(_ command: String, _ key: RealmKey?) throws {
      for (rule, count) in try counts(out, key) {
        // No SDK has such classes in a local realm; the report of the conversion names them.
        if rule == .schemaAsymmetricLocal, command.hasPrefix("convert") { continue }
        #expect(count <= before[rule, default: 0], "\(command): \(rule.rawValue)")
      }
    }
    try CompactJob(path: path, key: key, destination: target).runVerified(key: key)
    try check("compact", key)
    try ConvertJob(
      path: path, key: key, destination: target,
      request: ConvertJob.Request(discardsUnsynced: true)
    ).runVerified(key: key)
    try check("convert", key)
    let snapshot = try Snapshot(path: path, key: key)
    if try HistoryKind(of: snapshot.top) != .syncClient {
      try CopyJob(path: path, key: key, destination: target).runVerified(key: key)
      try check("copy", key)
    }
    if key == nil {
      try ChangeKeyJob(path: path, key: nil, change: .encrypt(newKey), destination: target)
        .runVerified(key: newKey)
    } else {
      try ChangeKeyJob(path: path, key: key, change: .rekey(newKey), destination: target)
        .runVerified(key: newKey)
    }
    try check("encrypt", newKey)
    try ChangeKeyJob(
      path: out, key: newKey, change: .decrypt, destination: .inPlace(backup: false)
    ).runVerified()
    try check("decrypt", nil)
    for column in try Realm(snapshot).schema.classes.flatMap(\.columns).map(\.name.text) {
      do {
        try ConvertJob(
          path: path, key: key, destination: target,
          request: ConvertJob.Request(droppedProperties: [column], discardsUnsynced: true)
        ).runVerified(key: key)
      } catch let error as RequestError {
        guard case .cannotDrop = error.kind else { throw error }
        continue
      }
      try check("convert without \(column)", key)
    }
  }

  @Test("a realm that is encrypted, rekeyed and decrypted stays the same", arguments: Golden.names)
  func keys(name: String) throws {
    guard name != "people-encrypted" else { return }
    let path = Golden.path(name + ".realm")
    let (first, second) = (try RealmKey.random(), try RealmKey.random())
    try ChangeKeyJob(
      path: path, key: nil, change: .encrypt(first), destination: .file(out, replacing: false)
    ).runVerified(key: first)
    try ChangeKeyJob(
      path: out, key: first, change: .rekey(second), destination: .inPlace(backup: false)
    ).runVerified(key: second)
    #expect(throws: RealmFileError(.wrongKey, path: out)) {
      _ = try Snapshot(path: out, key: first)
    }
    #expect(try objects(of: out, key: second) == objects(of: path))
    try ChangeKeyJob(
      path: out, key: second, change: .decrypt, destination: .inPlace(backup: false)
    ).runVerified()
    #expect(try objects(of: out) == objects(of: path))
    #expect(
      try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int == 0o600)
  }

  @Test("encrypting an encrypted realm, and decrypting a plain one, are errors")
  func wrongState() throws {
    let (path, key) = try golden("people-encrypted")
    let plain = Golden.path("people.realm")
    for (path, key, change, kind) in [
      (path, key, .encrypt(try RealmKey.random()), .alreadyEncrypted),
      (plain, nil, .decrypt, .notEncrypted),
      (plain, nil, .rekey(try RealmKey.random()), .notEncrypted),
    ] as [(String, RealmKey?, ChangeKeyJob.Change, RequestError.Kind)] {
      #expect(throws: RequestError(kind, path: path)) {
        _ = try ChangeKeyJob(
          path: path, key: key, change: change, destination: .file(out, replacing: false)
        ).run()
      }
    }
    #expect(try folder.names() == [])
  }

  @Test("a stream gets streaming form, encrypted or not", arguments: [false, true])
  func stream(isEncrypted: Bool) throws {
    let key = isEncrypted ? try RealmKey.random() : nil
    let path = Golden.path("people.realm")
    let sink = MemorySink()
    if let key {
      _ = try ChangeKeyJob(
        path: path, key: nil, change: .encrypt(key), destination: .stream(sink)
      ).run()
    } else {
      _ = try CopyJob(path: path, key: nil, destination: .stream(sink)).run()
    }
    try folder.write(sink.bytes, to: "out.realm")
    try expectNoErrors(out, key: key)
    #expect(try Snapshot(path: out, key: key).header.isStreaming)
    #expect(try objects(of: out, key: key) == objects(of: path))
  }

  @Test("a realm is compacted only if both conditions hold")
  func conditions() throws {
    let path = Golden.path("churned.realm")
    let size = try Snapshot(path: path).fileByteCount
    for (condition, isMet) in [
      (CompactJob.Condition(), true), (.init(sizeOver: size - 1), true),
      (.init(sizeOver: size), false), (.init(usedBelow: 100), true), (.init(usedBelow: 0), false),
      (.init(sizeOver: size, usedBelow: 100), false),
    ] {
      let report = try CompactJob(
        path: path, key: nil, destination: .file(out, replacing: true), condition: condition
      ).runVerified()
      #expect(report.isConditionMet == isMet && report.rewrite != nil)
      // A realm that does not meet it is copied.
      #expect(try objects(of: out) == objects(of: path))
    }
  }

  @Test("a dry run reports sizes and names, and leaves no files")
  func dryRun() throws {
    let path = try folder.write(try Golden.bytes("churned.realm"), to: "a.realm")
    func run(_ destination: RealmDestination, isDryRun: Bool) throws -> RewriteReport {
      try #require(
        try CompactJob(path: path, key: nil, destination: destination, isDryRun: isDryRun)
          .runVerified().rewrite)
    }
    let predicted = try run(.inPlace(backup: true), isDryRun: true)
    #expect(try folder.names() == ["a.realm"])
    let done = try run(.inPlace(backup: true), isDryRun: false)
    #expect(predicted.bytesAfter == done.bytesAfter)
    #expect(predicted.backup == done.backup)
    #expect(done.backup == folder.path("a.before-compact.realm"))
    #expect(
      [UInt8](try Data(contentsOf: folder.url.appending(path: "a.before-compact.realm")))
        == (try Golden.bytes("churned.realm")))
    // An existing backup is kept, the next is numbered.
    #expect(
      try run(.inPlace(backup: true), isDryRun: false).backup
        == folder.path("a.before-compact-2.realm"))
  }

  @Test("a realm in use is read, but neither changed nor replaced")
  func inUse() throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "a.realm")
    let held = HeldLock(path + ".lock", LOCK_SH)
    try withExtendedLifetime(held) {
      for destination in [RealmDestination.inPlace(backup: true)] {
        #expect {
          _ = try CompactJob(path: path, key: nil, destination: destination).run()
        } throws: { isInUse($0) }
      }
      #expect(
        try readFile(path)
          == (try Golden.bytes("people.realm")))
      try CompactJob(path: path, key: nil, destination: .file(out, replacing: false)).runVerified()
      #expect(try objects(of: out) == objects(of: Golden.path("people.realm")))
      #expect {
        _ = try CompactJob(path: out, key: nil, destination: .file(path, replacing: true)).run()
      } throws: { isInUse($0) }
    }
  }

  private func isInUse(_ error: any Error) -> Bool {
    if case .inUse? = error.fileKind { return true }
    return false
  }

  /// After any fault, the realm is the original, byte for byte, or the complete result. Besides
  /// the lock file no file is new, except the backup of a result.
  @Test(
    "a fault at any operation loses nothing", arguments: [false, true], ["compact", "upgrade"])
  func faults(backup: Bool, command: String) throws {
    // One on each road.
    let source =
      command == "compact"
      ? Golden.path("churned.realm") : Lived.path("life-8001-format-20.realm")
    let original = try readFile(source)
    let expected = try objects(of: source)
    var number = 0
    var hasFailed = true
    var replaced = 0
    while hasFailed {
      let folder = try TemporaryFolder()
      let path = try folder.write(original, to: "a.realm")
      let faults = Faults(failing: number)
      var isDone = true
      do {
        let destination = RealmDestination.inPlace(backup: backup)
        if command == "compact" {
          var job = CompactJob(path: path, key: nil, destination: destination)
          job.rewrite.operations = faults.operations
          _ = try job.run()
        } else {
          var job = UpgradeJob(path: path, key: nil, destination: destination)
          job.rewrite.operations = faults.operations
          _ = try job.run()
        }
      } catch {
        isDone = false
      }
      let bytes = try readFile(path)
      let names = Set(try folder.names())
      #expect(!isDone || !faults.hasFailed, "operation \(number)")
      if bytes == original {
        #expect(names.isSubset(of: ["a.realm", "a.realm.lock"]), "operation \(number)")
      } else {
        replaced += 1
        try expectNoErrors(path)
        #expect(try objects(of: path) == expected, "operation \(number)")
        #expect(
          names
            == (backup
              ? ["a.realm", "a.realm.lock", "a.before-\(command).realm"]
              : ["a.realm", "a.realm.lock"]),
          "operation \(number)")
      }
      hasFailed = faults.hasFailed
      number += 1
    }
    // The complete run, and the run in which only the folder could not be synced.
    #expect(replaced == 2)
    #expect(number > 8)
  }
}
