import Foundation
import TestSupport
import Testing

@Suite("realm-cli export --format sqlite")
struct SQLiteExportCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("the report has counts and losses, and the file is a database")
  func report() throws {
    let result = try runTool(
      "export", "--json", "--format", "sqlite", Golden.path("all-types.realm"), "-o", "x.sqlite",
      folder: folder.url)
    #expect(result.status == 0)
    let report = try JSONParser.parse(result.stdout)
    #expect(report["format"]?.string == "sqlite")
    // Only NaNs: SQLite has infinite numbers.
    #expect(report["losses"]?["notFiniteNumbers"]?.int == 138)
    #expect(report["losses"]?["outlyingDates"]?.int == 185)
    #expect(report["losses"]?["cutDates"] == nil)
    #expect(try SQLiteFile(folder.path("x.sqlite")).rows("PRAGMA user_version") == ["3"])
  }

  @Test("a database cannot go to standard output")
  func standardOutput() throws {
    for output in [[], ["-o", "-"]] {
      let result = try runTool(
        ["export", "--format", "sqlite", Golden.path("links.realm")] + output)
      #expect(result.status == 64)
      #expect(result.stderr.contains("sqlite writes a database: name a file with -o"))
    }
  }

  @Test("an existing database is kept, and with --force replaced unless it has a journal")
  func existing() throws {
    let path = try folder.write(Array("mine".utf8), to: "x.sqlite")
    let arguments = ["export", "--format", "sqlite", Golden.path("links.realm"), "-o", path]
    #expect(try runTool(arguments).status == 73)
    let journal = try folder.write(Array("journal".utf8), to: "x.sqlite-wal")
    let refused = try runTool(arguments + ["--force"])
    #expect(refused.status == 73)
    #expect(
      refused.stderr == """
        realm-cli: \(journal): cannot replace a database that has this journal: \
        Device or resource busy
          hint: close the program that uses it, then try again

        """)
    #expect(
      try folder.contents().mapValues(\.bytes)
        == ["x.sqlite": Data("mine".utf8), "x.sqlite-wal": Data("journal".utf8)])
    try FileManager.default.removeItem(atPath: journal)
    #expect(try runTool(arguments + ["--force"]).status == 0)
    #expect(try SQLiteFile(path).rows("SELECT count(*) FROM Person") == ["28"])
    #expect(try folder.contents().keys.sorted() == ["x.sqlite"])
  }

  @Test("the database of an encrypted realm is for its owner only")
  func encrypted() throws {
    let result = try runTool(
      "export", "--format", "sqlite", "--key-file", Golden.path("people-encrypted.key"),
      Golden.path("people-encrypted.realm"), "-o", "x.sqlite", folder: folder.url)
    #expect(result.status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("x.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("a full disk ends the export with 74 and leaves nothing")
  func fullDisk() throws {
    // No more than 64 KiB a file; the signal that comes with it is ignored, as on a full disk.
    let result = try runScript(
      "trap '' XFSZ; ulimit -f 64; exec realm-cli export --format sqlite \"$1\" -o x.sqlite",
      Golden.path("people.realm"), folder: folder.url)
    #expect(result.status == 74)
    #expect(result.stderr.contains("x.sqlite: cannot write the output: "))
    #expect(try folder.contents().isEmpty)
  }

  @Test(
    "a signal ends the export with its code, and leaves nothing half-done",
    arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGKILL, 137)])
  func signals(signal: Int32, status: Int) throws {
    // An export that is faster than the test has a complete result; then the test tries again.
    for attempt in 0..<30 {
      let tool = try RunningTool(
        "realm-cli",
        [
          "export", "--format", "sqlite", "--jobs", "1", Golden.path("people.realm"), "-o",
          folder.path("x.sqlite"),
        ])
      while tool.isRunning, try folder.contents().isEmpty { usleep(200) }
      tool.send(signal)
      let result = tool.end()
      let names = try folder.contents().keys
      if result.status == 0, attempt < 29 {
        #expect(names.sorted() == ["x.sqlite"])
        try FileManager.default.removeItem(atPath: folder.path("x.sqlite"))
        continue
      }
      #expect(result.status == status)
      // The file of a killed process has a name that is not taken for a result.
      #expect(!names.contains("x.sqlite"))
      #expect(signal == SIGKILL || names.isEmpty)
      return
    }
  }
}
