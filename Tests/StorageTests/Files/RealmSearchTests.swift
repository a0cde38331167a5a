import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Search for realms")
struct RealmSearchTests {
  @Test("folders are searched by content and name and sorted, named files are taken as they are")
  func search() throws {
    let folder = try TemporaryFolder()
    let plain = try Golden.bytes("empty.realm")
    let encrypted = try Golden.bytes("people-encrypted.realm")
    for name in ["b/two", "b/one.realm", "a.realm", "c/deep/er/x.db"] {
      try folder.write(plain, to: name)
    }
    try folder.write(encrypted, to: "b/secret")
    for name in [
      "b/one.v23.backup.realm", "b/one.before-compact.realm", "b/one.realm.fresh",
      "b/.realm-cli-12", "m.realm.management/x.realm",
    ] {
      try folder.write(plain, to: name)
    }
    try folder.write(Array("no realm".utf8), to: "b/text.realm")
    // The header is destroyed; opening the realm shows it.
    try folder.write([UInt8](repeating: 0, count: plain.count), to: "b/zeros.realm")
    try folder.write([UInt8](repeating: 1, count: 8192), to: "b/blob")
    try folder.write(Array(encrypted[..<8000]), to: "b/cut")
    #expect(unsafe symlink(folder.url.path, folder.path("b/loop")) == 0)
    #expect(unsafe symlink(folder.path("a.realm"), folder.path("b/again.realm")) == 0)
    #expect(unsafe mkfifo(folder.path("b/fifo"), 0o600) == 0)

    let search = RealmSearch(paths: [
      folder.path("b/text.realm"), folder.url.path + "/", folder.path("a.realm"), "/missing.realm",
    ])
    #expect(
      search.realms == [
        folder.path("b/text.realm"), folder.path("a.realm"), folder.path("b/one.realm"),
        folder.path("b/secret"), folder.path("b/two"), folder.path("b/zeros.realm"),
        folder.path("c/deep/er/x.db"),
        "/missing.realm",
      ])
    #expect(search.problems.isEmpty)
  }

  /// Root reads everything; then the content of the file decides.
  @Test(
    "a file in a folder that cannot be read is reported",
    .enabled(if: geteuid() != 0, "the superuser may read every file"))
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try Golden.bytes("empty.realm"), to: "x")
    #expect(unsafe chmod(path, 0) == 0)
    let search = RealmSearch(paths: [folder.url.path])
    #expect(search.realms.isEmpty)
    #expect(search.problems.map(\.path) == [path])
  }
}
