import CSystem
import Foundation
import TestSupport
import Testing

@testable import RealmStorage

/// What only some systems have, and what is done instead. Those for REALM_PORTABLE run in the second run of `Scripts/test`.
@Suite("What the system has")
struct PlatformTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile(folder.path(name)), as: UTF8.self)
  }

  @Test("REALM_PORTABLE turns the fallbacks on")
  func variable() { #expect((csystem_is_portable() != 0) == isPortable) }

  @Test("only Linux creates files without a name, and they get their name at the end")
  func nameless() throws {
    let number = unsafe csystem_open_nameless(folder.url.path, 0o600)
    #expect((number >= 0) == isLinux)
    guard number >= 0 else {
      #expect(errno == EOPNOTSUPP)
      return
    }
    defer { close(number) }
    #expect(csystem_can_link_nameless(number) == 1)
    #expect(try folder.names() == [])
    #expect(unsafe csystem_link_nameless(number, folder.path("x")) == 0)
    #expect(unsafe csystem_link_nameless(number, folder.path("x")) == -1 && errno == EEXIST)
    #expect(try folder.names() == ["x"])
  }

  @Test("a closed file cannot get a name")
  func closed() {
    #expect(csystem_can_link_nameless(-1) == 0)
    #expect(unsafe csystem_link_nameless(-1, folder.path("x")) == -1 && errno == ENOENT)
  }

  #if os(Linux)
    /// How the system shows a file that had a name, and one that never had.
    @Test("a temporary file has a name only where there are none without")
    func unlinked() throws {
      let file = try UnlinkedFile.make()
      let shown = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(file.number)")
      #expect(shown.contains("/.realm-cli-\(getpid())-") == isPortable, "\(shown)")
      #expect(shown.hasSuffix(" (deleted)"))
    }
  #endif

  @Test("REALM_PORTABLE shares no blocks, so that a live copy is made by reading")
  func blocks() throws {
    let path = try folder.write([1, 2, 3], to: "x")
    guard isPortable else { return }
    #expect(UnlinkedFile.clone(of: try FileDescriptor.openForReading(path), at: path) == nil)
    #expect(try folder.names() == ["x"])
  }

  /// The three ways to rename without replacing: that of the system, a second name, and an empty file first.
  private static let renames: [(name: String, call: @Sendable (String, String) -> Int32)] = [
    ("as the system does", { unsafe csystem_rename_without_replacing($0, $1) }),
    ("over an empty file", { unsafe csystem_rename_over_placeholder($0, $1) }),
  ]

  @Test("a rename without replacing moves a file, or changes nothing", arguments: 0..<renames.count)
  func rename(way: Int) throws {
    let rename = PlatformTests.renames[way].call
    let (a, b) = (try folder.write(Array("new".utf8), to: "a"), folder.path("b"))
    #expect(rename(a, b) == 0)
    #expect(try folder.names() == ["b"])
    #expect(try text("b") == "new")

    try folder.write(Array("other".utf8), to: "a")
    #expect(rename(a, b) == -1 && errno == EEXIST)
    #expect(try text("a") == "other")
    #expect(try text("b") == "new")

    #expect(rename(folder.path("none"), folder.path("c")) == -1 && errno == ENOENT)
    #expect(rename(a, folder.path("none/c")) == -1 && errno == ENOENT)
    #expect(try folder.names() == ["a", "b"])
  }

  /// A file that has a second name for a moment keeps its number.
  @Test("a renamed file is the same file", arguments: 0..<renames.count)
  func identity(way: Int) throws {
    let a = try folder.write([1], to: "a")
    let before = try #require(OutputFile.status(of: a))
    #expect(PlatformTests.renames[way].call(a, folder.path("b")) == 0)
    let after = try #require(OutputFile.status(of: folder.path("b")))
    #expect(before.st_ino == after.st_ino && after.st_nlink == 1)
  }

  @Test("the times of a file are those that were set")
  func times() throws {
    let path = try folder.write([1], to: "x")
    let set = [timespec(tv_sec: 100, tv_nsec: 7), timespec(tv_sec: -200, tv_nsec: 8)]
    #expect(unsafe utimensat(AT_FDCWD, path, set, 0) == 0)
    let status = try #require(OutputFile.status(of: path))
    let (read, changed) = (status.accessed, status.modified)
    #expect(read.seconds == 100 && read.nanoseconds == 7)
    #expect(changed.seconds == -200 && changed.nanoseconds == 8)
    #expect(abs(Int(status.changed.seconds) - time(nil)) < 3600)
  }

  @Test("the program of a process has a name only where the system shows it")
  func program() {
    var name = [CChar](repeating: 1, count: 64)
    unsafe csystem_program_name(getpid(), &name, name.count)
    #if os(Linux)
      #expect(name[0] != 0)
    #else
      #expect(name[0] == 0)
    #endif
    unsafe csystem_program_name(-1, &name, name.count)
    #expect(name[0] == 0)
  }
}
