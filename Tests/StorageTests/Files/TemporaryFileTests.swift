import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Temporary files of other runs")
struct TemporaryFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var names: [String] { (try? folder.names()) ?? [] }

  private func uses(isLocal: Bool) -> [TemporaryFile.Use] {
    TemporaryFile.list(in: folder.url.path, isLocal: isLocal).map(\.use)
  }

  /// The number of a process that has ended.
  private func deadProcess() throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit 0"]
    try process.run()
    process.waitUntilExit()
    return process.processIdentifier
  }

  /// The number in a name may be that of another program by now: of this one.
  @Test("those that nobody has locked are removed, whatever process has their number")
  func abandoned() throws {
    let (dead, alive) = (try deadProcess(), ProcessInfo.processInfo.processIdentifier)
    try folder.write([1], to: ".realm-cli-\(dead)-abc-x")
    try folder.write([1], to: ".realm-cli-\(alive)-1y2p0ij32e8e7-x.realm")
    let locked = ".realm-cli-\(dead)-def-x"
    let held = HeldLock(folder.path(locked), LOCK_EX)
    try withExtendedLifetime(held) {
      _ = try OutputFile(path: folder.path("x"), replacing: false)
      #expect(names == [locked])
    }
  }

  @Test("only names of exactly the form of ours count")
  func similarNames() throws {
    let similar = [
      ".realm-cli-notes", ".realm-cli-12", ".realm-cli-12-abc", ".realm-cli-12-abc-",
      ".realm-cli-0-abc-x", ".realm-cli-012-abc-x", ".realm-cli--12-abc-x", ".realm-cli-+12-abc-x",
      ".realm-cli-12--x", ".realm-cli-12-aBc-x", ".realm-cli-12-0abc-x", ".realm-cli-12-a_c-x",
      ".realm-cli-99999999999-abc-x", ".realm-cli-12-zzzzzzzzzzzzzz-x", "x.realm-cli-12-abc-x",
      "realm-cli-12-abc-x",
    ]
    for name in similar { try folder.write([1], to: name) }
    try FileManager.default.createDirectory(
      atPath: folder.path(".realm-cli-12-abc-folder"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(".realm-cli-12-abc-link"), withDestinationPath: "x.realm-cli-12-abc-x")
    #expect(unsafe mkfifo(folder.path(".realm-cli-12-abc-pipe"), 0o600) == 0)
    let before = names
    #expect(before.count == similar.count + 3)
    #expect(uses(isLocal: true) == [])
    TemporaryFile.removeAbandoned(in: folder.url.path)
    #expect(names == before)
  }

  /// There, the lock of another machine may be invisible.
  @Test("on a file system of other machines, only those count that are unchanged for a day")
  func shared() throws {
    let path = try folder.write([1], to: ".realm-cli-12-abc-x")
    #expect(uses(isLocal: false) == [.shared])
    for (age, expected) in [(86_000.0, TemporaryFile.Use.shared), (87_000, .abandoned)] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
      #expect(uses(isLocal: false) == [expected])
    }
    #expect(uses(isLocal: true) == [.abandoned])
    let held = HeldLock(path, LOCK_EX)
    withExtendedLifetime(held) { #expect(uses(isLocal: false) == [.inUse]) }
  }

  @Test("one that is in use when it is to be removed stays")
  func inUse() throws {
    let path = try folder.write([1], to: ".realm-cli-12-abc-x")
    let file = try #require(TemporaryFile.list(in: folder.url.path).first)
    do {
      let held = HeldLock(path, LOCK_EX)
      try withExtendedLifetime(held) { try file.remove(.system) }
    }
    #expect(names == [".realm-cli-12-abc-x"])
    let faults = Faults(failing: 0)
    #expect(
      throws: RealmFileError(.inputOutput(SystemError(ENOSPC, "remove the file")), path: path)
    ) {
      try file.remove(faults.operations)
    }
    try file.remove(.system)
    #expect(names == [])
  }
}
