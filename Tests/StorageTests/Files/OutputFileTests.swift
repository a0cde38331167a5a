import Foundation
import RealmStorage
import TestSupport
import Testing

@Suite("Output file")
struct OutputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.path(name) }

  private func text(_ name: String) -> String? {
    try? String(contentsOfFile: path(name), encoding: .utf8)
  }

  private var names: [String] {
    (try? folder.names()) ?? []
  }

  private func permissions(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: path(name), atomically: false, encoding: .utf8)
  }

  @Test("nothing has the target's name before it is published")
  func appearsWhole() throws {
    let file = try OutputFile(path: path("a.json"), replacing: false)
    try file.write("half")
    #expect(text("a.json") == nil)
    try file.write(" and half")
    try file.publish()
    #expect(names == ["a.json"])
    #expect(text("a.json") == "half and half")
  }

  @Test("an output that is not published leaves nothing")
  func leavesNothing() throws {
    do {
      let file = try OutputFile(path: path("a.json"), replacing: false)
      try file.write("half")
    }
    #expect(names == [])
  }

  @Test("an existing file is refused before any work is done")
  func existing() throws {
    try write("old", to: "a.json")
    #expect(throws: RealmFileError(.outputExists, path: path("a.json"))) {
      try OutputFile(path: self.path("a.json"), replacing: false)
    }
    #expect(text("a.json") == "old")
  }

  @Test("a file that appears while the output is written is not overwritten")
  func race() throws {
    do {
      let file = try OutputFile(path: path("a.json"), replacing: false)
      try file.write("new")
      try write("other", to: "a.json")
      #expect(throws: RealmFileError(.outputExists, path: path("a.json"))) { try file.publish() }
    }
    #expect(text("a.json") == "other")
    #expect(names == ["a.json"])
  }

  @Test("a replaced file stays until then, and its permissions are kept")
  func replacing() throws {
    try write("old", to: "a.json")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: path("a.json"))
    let file = try OutputFile(path: path("a.json"), replacing: true)
    try file.write("new")
    #expect(text("a.json") == "old")
    try file.publish()
    #expect(text("a.json") == "new")
    #expect(try permissions("a.json") == 0o640)
    #expect(names == ["a.json"])
  }

  @Test("a private output is readable by its owner only, even if it replaces a public file")
  func isPrivate() throws {
    try OutputFile(path: path("a.json"), replacing: false, isPrivate: true).publish()
    #expect(try permissions("a.json") == 0o600)
    try write("old", to: "b.json")
    try OutputFile(path: path("b.json"), replacing: true, isPrivate: true).publish()
    #expect(try permissions("b.json") == 0o600)
  }

  @Test("a symbolic link stays one and its target is replaced", arguments: [true, false])
  func symbolicLink(isDangling: Bool) throws {
    try FileManager.default.createDirectory(
      atPath: path("real"), withIntermediateDirectories: false)
    if !isDangling { try write("old", to: "real/a.json") }
    try FileManager.default.createSymbolicLink(
      atPath: path("link.json"), withDestinationPath: "real/a.json")
    let file = try OutputFile(path: path("link.json"), replacing: !isDangling)
    try file.write("new")
    try file.publish()
    #expect(text("real/a.json") == "new")
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: path("link.json")) == "real/a.json")
  }

  @Test("links that lead in a circle are an error")
  func circle() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path("a"), withDestinationPath: path("b"))
    try FileManager.default.createSymbolicLink(
      atPath: path("b"), withDestinationPath: path("a"))
    #expect(throws: RealmFileError.self) { try OutputFile(path: self.path("a"), replacing: true) }
  }

  @Test("a folder is not an output, and a missing folder is not created")
  func folders() throws {
    for target in [folder.url.path, path("missing/a.json")] {
      let error = #expect(throws: RealmFileError.self) {
        try OutputFile(path: target, replacing: true)
      }
      guard case .cannotCreate = error?.kind else {
        Issue.record("\(target): \(String(describing: error))")
        continue
      }
    }
  }

  @Test("a device is written to and stays a device")
  func device() throws {
    let file = try OutputFile(path: "/dev/null", replacing: true)
    try file.write("gone")
    try file.publish()
    #expect(try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")).readToEnd() == nil)
  }

  @Test("a pipe that a shell gives as a path is written to")
  func pipe() throws {
    let pipe = Pipe()
    let path = "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)"
    let file = try OutputFile(path: path, replacing: false)
    try file.write("through")
    try file.publish()
    #expect(pipe.fileHandleForReading.availableData == Data("through".utf8))
  }

  #if os(Linux)
    @Test("a full disk is an input/output error")
    func fullDisk() throws {
      let file = try OutputFile(path: "/dev/full", replacing: false)
      #expect(
        throws: RealmFileError(
          .inputOutput(SystemError(ENOSPC, "write the output")), path: "/dev/full")
      ) {
        try file.write("x")
      }
    }
  #endif

  @Test("a name of 255 bytes has room for no ending, and works")
  func longName() throws {
    let name = String(repeating: "é", count: 127)
    try OutputFile(path: path(name), replacing: false).publish()
    #expect(names == [name])
  }

  @Test("two names of the same file are recognised")
  func sameFile() throws {
    try write("x", to: "a")
    try FileManager.default.createSymbolicLink(atPath: path("b"), withDestinationPath: path("a"))
    #expect(OutputFile.isSameFile(path("a"), path("b")))
    #expect(!OutputFile.isSameFile(path("a"), path("c")))
  }
}
