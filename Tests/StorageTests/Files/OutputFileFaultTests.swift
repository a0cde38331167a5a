import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Output file when things fail")
struct OutputFileFaultTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.write(Array("old".utf8), to: "x")
  }

  private var names: [String] {
    (try? folder.names()) ?? []
  }

  @Test("after any failed operation, the file is the old or the new one, without other files")
  func faults() throws {
    var number = 0
    var hasFailed = true
    while hasFailed {
      try folder.write(Array("old".utf8), to: "x")
      let faults = Faults(failing: number)
      do throws(RealmFileError) {
        let file = try OutputFile(path: path, replacing: true, operations: faults.operations)
        try file.write("new")
        try file.publish()
      } catch {
        #expect(error.path == path)
      }
      let content = try String(contentsOfFile: path, encoding: .utf8)
      #expect(["old", "new"].contains(content))
      #expect(names == ["x"])
      hasFailed = faults.hasFailed
      number += 1
    }
    // Creating, writing, attributes, syncing, renaming and syncing the folder; the last run is complete.
    #expect(number == 7)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
  }

  @Test("files of a killed process are removed, files that are being written are not")
  func abandoned() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit 0"]
    try process.run()
    process.waitUntilExit()
    let dead = "\(AuxiliaryFiles.temporaryPrefix)\(process.processIdentifier)-abc-x"
    try folder.write([1], to: dead)
    let locked = "\(AuxiliaryFiles.temporaryPrefix)\(process.processIdentifier)-def-x"
    let held = HeldLock(folder.path(locked), LOCK_EX)
    let other = ".realm-cli-notes"
    try folder.write([1], to: other)
    try withExtendedLifetime(held) {
      _ = try OutputFile(path: path, replacing: true)
      #expect(names == [locked, other, "x"].sorted())
    }
  }
}
