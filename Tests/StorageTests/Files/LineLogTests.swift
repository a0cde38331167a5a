import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Log of lines")
struct LineLogTests {
  @Test("lines are appended and read in order, in a file and folders that only the owner can read")
  func order() throws {
    let folder = try TemporaryFolder()
    let log = LineLog(path: folder.path("a/b/history"), limit: 10)
    #expect(try log.lines() == [])
    for line in ["first", "zweite: é", ""] { try log.append(line) }
    #expect(try log.lines() == ["first", "zweite: é", ""])
    for (name, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/history", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(name)")
    }
  }

  @Test("only the newest lines are read, and the file is cut when it has twice as many")
  func limit() throws {
    let folder = try TemporaryFolder()
    let log = LineLog(path: folder.path("history"), limit: 3)
    for i in 1...6 { try log.append("\(i)") }
    #expect(try log.lines() == ["4", "5", "6"])
    #expect(try readFile(log.path) == Array("1\n2\n3\n4\n5\n6\n".utf8))
    try log.append("7")
    #expect(try log.lines() == ["5", "6", "7"])
    #expect(try readFile(log.path) == Array("5\n6\n7\n".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: log.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("a folder in the place of the file, and a file in the place of a folder, are errors")
  func errors() throws {
    let folder = try TemporaryFolder()
    let log = LineLog(path: folder.url.path, limit: 3)
    #expect(throws: RealmFileError.self) { try log.append("x") }
    try folder.write([], to: "file")
    let inside = LineLog(path: folder.path("file/history"), limit: 3)
    #expect(throws: RealmFileError.self) { try inside.append("x") }
    #expect(throws: RealmFileError.self) { try inside.lines() }
  }
}
