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

  /// The operations that replace the file, in their order.
  private static let steps: [FileOperations.Step] = [
    .createNameless, .write, .setAttributes, .sync, .link, .link, .rename, .syncFolder,
  ]
  /// The same where there are no files without a name.
  private static let namedSteps: [FileOperations.Step] = [
    .create, .write, .setAttributes, .sync, .rename, .syncFolder,
  ]

  /// - Parameter isNamed: whether creating a file without a name fails without being counted.
  private static func steps(isNamed: Bool) -> [FileOperations.Step] {
    if isNamed { return namedSteps }
    return isLinux ? steps : [.createNameless] + namedSteps
  }

  @Test(
    "after any failed operation, the file is the old or the new one, without other files",
    arguments: [false, true])
  func faults(isNamed: Bool) throws {
    var number = 0
    var hasFailed = true
    while hasFailed {
      try folder.write(Array("old".utf8), to: "x")
      let faults = Faults(failing: number, hasNameless: !isNamed)
      do throws(RealmFileError) {
        let file = try OutputFile(path: path, replacing: true, operations: faults.operations)
        try file.write("new")
        try file.publish()
        #expect(!faults.hasFailed)
      } catch {
        #expect(error.path == path)
        #expect(faults.hasFailed)
      }
      let content = try String(contentsOfFile: path, encoding: .utf8)
      #expect(["old", "new"].contains(content))
      #expect(names == ["x"])
      hasFailed = faults.hasFailed
      if !hasFailed {
        #expect(faults.steps == Self.steps(isNamed: isNamed))
        #expect(number == faults.steps.count)
      }
      number += 1
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
  }

  @Test(
    "after any failed operation, a new file is complete or absent", arguments: [false, true])
  func newFile(isNamed: Bool) throws {
    var number = 0
    var hasFailed = true
    while hasFailed {
      let path = folder.path("new")
      try? FileManager.default.removeItem(atPath: path)
      let faults = Faults(failing: number, hasNameless: !isNamed)
      var isDone = false
      do throws(RealmFileError) {
        let file = try OutputFile(path: path, replacing: false, operations: faults.operations)
        try file.write("new")
        try file.publish()
        isDone = true
      } catch {
        #expect(error.path == path)
      }
      let content = try? String(contentsOfFile: path, encoding: .utf8)
      #expect(content == "new" || (content == nil && !isDone))
      #expect(names == (content == nil ? ["x"] : ["new", "x"]))
      hasFailed = faults.hasFailed
      number += 1
    }
    #expect(names == ["new", "x"])
  }
}
