import Foundation
import TestSupport
import Testing

@testable import RealmStorage

/// Whether an unfinished output has a name, and which.
@Suite("Name of an output file")
struct OutputFileNameTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var names: [String] { (try? folder.names()) ?? [] }

  private func text(_ name: String) throws -> String {
    String(decoding: try readFile(folder.path(name)), as: UTF8.self)
  }

  /// The only name, if it is that of a temporary file for `x`.
  private func temporaryName() throws -> String {
    let name = try #require(names.first { $0 != "x" })
    #expect(name.wholeMatch(of: #/\.realm-cli-\d+-[0-9a-z]+-x/#) != nil)
    #expect(name.contains("-\(ProcessInfo.processInfo.processIdentifier)-"))
    return name
  }

  @Test(
    "an unfinished output has no name", .enabled(if: isLinux), arguments: [false, true])
  func nameless(replacing: Bool) throws {
    if replacing { try folder.write(Array("old".utf8), to: "x") }
    let file = try OutputFile(path: folder.path("x"), replacing: replacing)
    try file.write("new")
    #expect(names == (replacing ? ["x"] : []))
    try file.publish()
    #expect(names == ["x"])
    #expect(try text("x") == "new")
  }

  @Test("a library that writes by path gets a temporary name for the same file")
  func path() throws {
    let file = try OutputFile(path: folder.path("x"), replacing: false)
    try file.write("one")
    let path = try #require(try file.unfinishedPath())
    #expect(try file.unfinishedPath() == path)
    #expect(folder.path(try temporaryName()) == path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
    try file.publish()
    #expect(try file.unfinishedPath() == nil)
    #expect(names == ["x"])
  }

  /// On file systems of other machines too, which is why the operation fails on Linux also without REALM_PORTABLE.
  @Test("without nameless files, a locked temporary file is renamed", arguments: [false, true])
  func named(replacing: Bool) throws {
    if replacing { try folder.write(Array("old".utf8), to: "x") }
    let file = try OutputFile(
      path: folder.path("x"), replacing: replacing,
      operations: isPortable ? .system : Faults.withoutNameless)
    try file.write("new")
    let name = try temporaryName()
    #expect(names.count == (replacing ? 2 : 1))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(TemporaryFile.list(in: folder.url.path).map(\.use) == [.inUse])
    try file.publish()
    #expect(names == ["x"])
    #expect(try text("x") == "new")
  }

  @Test("without nameless files, an output that is not published leaves nothing")
  func abandoned() throws {
    do {
      let file = try OutputFile(
        path: folder.path("x"), replacing: false, operations: Faults.withoutNameless)
      try file.write("half")
    }
    #expect(names == [])
  }

  @Test("a file that appears meanwhile is not overwritten", arguments: [false, true])
  func race(isNamed: Bool) throws {
    do {
      let file = try OutputFile(
        path: folder.path("x"), replacing: false,
        operations: isNamed ? Faults.withoutNameless : .system)
      try folder.write(Array("other".utf8), to: "x")
      #expect(throws: RealmFileError(.outputExists, path: folder.path("x"))) {
        try file.publish()
      }
    }
    #expect(names == ["x"])
    #expect(try text("x") == "other")
  }
}
