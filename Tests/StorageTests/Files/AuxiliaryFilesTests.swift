import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Auxiliary files")
struct AuxiliaryFileTests {
  @Test("the auxiliary files of a realm are listed in a fixed order, with their kinds")
  func list() throws {
    let folder = try TemporaryFolder()
    let realm = try folder.write([], to: "x.realm")
    for name in [
      "x.realm.note", "x.realm.lock", "x.v23.backup.realm", "x.v10.backup.realm.part",
      "x.realm.tmp_compaction_space", "x.realm.backup-log", "x.realm.fresh", "x.realm.fresh.lock",
      "x.realm.log_a", "x.realm.management/access_control.write.mx", "y.realm.lock",
    ] {
      try folder.write([], to: name)
    }
    let found = AuxiliaryFiles.list(forRealmAt: realm)
    #expect(
      found.map { $0.path.dropFirst(folder.url.path.count + 1) } == [
        "x.realm.lock", "x.realm.management", "x.realm.note", "x.realm.tmp_compaction_space",
        "x.realm.backup-log", "x.realm.fresh", "x.realm.fresh.lock", "x.realm.log_a",
        "x.v10.backup.realm.part", "x.v23.backup.realm",
      ])
    #expect(
      found.map(\.kind) == [
        .lock, .management, .note, .compactionSpace, .backupLog, .fresh, .fresh, .commitLog,
        .formatBackup, .formatBackup,
      ])
    #expect(found.compactMap(\.fileFormat) == [10, 23])
  }

  @Test("the auxiliary files of the target of a symbolic link are listed, too")
  func symbolicLink() throws {
    let folder = try TemporaryFolder()
    let realm = try folder.write([], to: "target/x.realm")
    for name in ["target/x.realm.lock", "target/x.v9.backup.realm", "y.realm.note"] {
      try folder.write([], to: name)
    }
    let link = folder.path("y.realm")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: realm)
    #expect(
      AuxiliaryFiles.list(forRealmAt: link).map { URL(fileURLWithPath: $0.path).lastPathComponent }
        == ["y.realm.note", "x.realm.lock", "x.v9.backup.realm"])
  }

  @Test("the backup of a name without the extension has a dot")
  func stem() {
    #expect(AuxiliaryFiles.stem(of: "/a/x.realm") == "/a/x.")
    #expect(AuxiliaryFiles.stem(of: "/a/data") == "/a/data.")
    #expect(AuxiliaryFiles.stem(of: "xrealm") == "xrealm.")
  }

  @Test("names of auxiliary files are recognised")
  func names() {
    for name in [
      "x.realm.lock", "x.realm.management", "x.realm.note", "x.realm.log_b", "x.realm.fresh",
      "x.v23.backup.realm", "data.v9.backup.realm.part", "x.before-compact.realm",
      "x.before-compact.2.realm", ".realm-cli-aB3xYz", "x.realm.tmp_compaction_space",
    ] {
      #expect(AuxiliaryFiles.isAuxiliary(name), "\(name)")
    }
    for name in [
      "x.realm", "data", "x.backup.realm", "v23.backup.realm", "x.version.backup.realm",
      "before-compact.realm", "lock", "x.v.backup.realm", "x.before.realm",
    ] {
      #expect(!AuxiliaryFiles.isAuxiliary(name), "\(name)")
    }
  }
}
