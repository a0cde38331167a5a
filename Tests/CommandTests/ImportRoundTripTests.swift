import Foundation
import TestSupport
import Testing

/// What the export of a realm says, and what the import of that makes, is the same.
@Suite("Export, import, export")
struct ImportRoundTripTests {
  /// Exports, imports and exports again. `runTool` verifies the realm that the import writes.
  private func roundTrip(_ path: String, format: String, keys: [String] = []) throws {
    let folder = try TemporaryFolder()
    let first = try runTool(["export", "-q", "--format", format] + keys + [path])
    #expect(first.status == 0, "\(path): \(first.stderr)")
    try Data(first.stdout).write(to: folder.url.appending(path: "text"))
    let made = try runTool("import", "text", "-o", "x.realm", folder: folder.url)
    #expect(made.status == 0, "\(path): \(made.stderr)")
    let second = try runTool(["export", "-q", "--format", format, "x.realm"], folder: folder.url)
    #expect(second.stdout == first.stdout, "\(path) as \(format)")
  }

  @Test("every golden realm", arguments: Golden.names, ["json", "ndjson"])
  func golden(name: String, format: String) throws {
    let key = Golden.path(name + ".key")
    let keys = FileManager.default.fileExists(atPath: key) ? ["--key-file", key] : []
    try roundTrip(Golden.path(name + ".realm"), format: format, keys: keys)
  }

  @Test("every lived realm", arguments: ["json", "ndjson"])
  func lived(format: String) throws {
    for name in Lived.names { try roundTrip(Lived.path(name + ".realm"), format: format) }
  }

  @Test("the number of threads changes nothing")
  func threads() throws {
    let folder = try TemporaryFolder()
    let text = try runTool(
      "export", "--format", "ndjson", Golden.path("people.realm")
    ).stdout
    let realms = try ["1", "3"].map { jobs in
      let result = try runTool(
        "import", "-", "-o", "\(jobs).realm", "--jobs", jobs, stdin: text, folder: folder.url)
      #expect(result.status == 0)
      return try Data(contentsOf: folder.url.appending(path: "\(jobs).realm"))
    }
    #expect(realms[0] == realms[1])
  }
}
