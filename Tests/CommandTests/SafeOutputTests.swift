import Foundation
import TestSupport
import Testing

/// What an output must not replace, and what must not get into it.
@Suite("Outputs that spare inputs and realms in use")
struct SafeOutputTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> ToolResult {
    try runTool(arguments, folder: folder.url)
  }

  @Test(
    "an empty name of an output is a usage error",
    arguments: [
      ["export", "a.realm"], ["query", "a.realm", "Person"], ["compact", "a.realm"],
      ["import", "a.json"], ["salvage", "a.realm"], ["keygen"], ["backup", "create", "a.realm"],
    ])
  func emptyName(arguments: [String]) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    try folder.write(Array("{}".utf8), to: "a.json")
    let result = try run(arguments + ["-o", ""])
    #expect(result.status == 64)
    #expect(result.stderr.contains("the name of the output is empty"), "\(result.stderr)")
  }

  private static let plan = """
    {"realm-migration": 1, "versions": [{"to": 9, "steps": []}]}
    """

  @Test(
    "no output replaces a file that the command reads",
    arguments: [
      (["encrypt", "a.realm", "--new-key-file", "key", "-o", "key"], "key"),
      (["rekey", "s.realm", "--key-file", "key", "--new-key-file", "new", "-o", "new"], "new"),
      (["export", "s.realm", "--key-file", "key", "-o", "key"], "key"),
      (["compact", "s.realm", "--key-file", "key", "-o", "key"], "key"),
      (["backup", "create", "s.realm", "--key-file", "key", "-o", "key"], "key"),
      (["salvage", "s.realm", "--key-file", "key", "-o", "x.realm", "--report", "key"], "key"),
      (["query", "s.realm", "Person", "--key-file", "key", "-o", "key"], "key"),
      (["import", "a.json", "--new-key-file", "key", "-o", "key"], "key"),
      (["import", "csv", "--schema", "schema.json", "-o", "csv/Person.csv"], "csv/Person.csv"),
      (["import", "csv", "--schema", "schema.json", "-o", "schema.json"], "schema.json"),
      (["migrate", "a.realm", "--plan", "plan.json", "-o", "plan.json"], "plan.json"),
      (["apply", "a.patch", "a.realm", "-o", "a.patch"], "a.patch"),
      (["backup", "create", "--files-from", "list", "-o", "list"], "list"),
      // Another name of the same file.
      (["export", "s.realm", "--key-file", "key", "-o", "link"], "key"),
    ])
  func inputs(arguments: [String], input: String) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    for name in ["key", "new"] {
      try folder.write(Array(String(repeating: "5a", count: 64).utf8), to: name)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: "key")
    try #require(
      run(["encrypt", "a.realm", "--new-key-file", "key", "-o", "s.realm"]).status == 0)
    try #require(run(["export", "a.realm", "-o", "a.json"]).status == 0)
    try #require(run(["export", "a.realm", "--format", "csv", "-o", "csv", "-q"]).status == 0)
    let schema = try run(["schema", "show", "a.realm", "--format", "json"])
    try folder.write(schema.stdout, to: "schema.json")
    try folder.write(Array(Self.plan.utf8), to: "plan.json")
    try folder.write(Array("a.realm\n".utf8), to: "list")
    try #require(
      run(["diff", "a.realm", "a.realm", "--format", "patch", "-o", "a.patch"]).status == 0)
    let before = try readFile(folder.path(input))
    let result = try run(arguments + ["--force"])
    #expect(result.status == 64, "\(result.stderr)")
    #expect(try readFile(folder.path(input)) == before)
  }

  @Test("a backup replaces the one before in the folder that it backs up")
  func backupInFolder() throws {
    try folder.copyGolden("people.realm", as: "data/a.realm")
    for _ in 0..<2 {
      let result = try run(["backup", "create", "data", "-o", "data/x.tar.zst", "--force"])
      #expect(result.status == 0, "\(result.stderr)")
    }
  }

  @Test(
    "no output replaces a realm that a process has open",
    arguments: [
      ["keygen", "-o", "a.realm"],
      ["backup", "create", "b.realm", "--format", "tar", "-o", "a.realm"],
      ["salvage", "b.realm", "-o", "z.realm", "--report", "a.realm"],
    ])
  func inUse(arguments: [String]) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    try folder.copyGolden("links.realm", as: "b.realm")
    let before = try readFile(folder.path("a.realm"))
    let lock = HeldLock(folder.path("a.realm.lock"), LOCK_SH)
    let result = try run(arguments + ["--force"])
    withExtendedLifetime(lock) {}
    #expect(result.status == 75, "\(result.stderr)")
    #expect(try readFile(folder.path("a.realm")) == before)
  }

  @Test("what is meant for a closed stream is in no file")
  func closedStreams() throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    let archive = try runScript(
      "realm-cli backup create a.realm -o a.tar.zst >&-; realm-cli backup verify a.tar.zst",
      folder: folder.url)
    #expect(archive.status == 0, "\(archive.stderr)")
    let key = try runScript("realm-cli keygen -o key >&- 2>&-; wc -c < key", folder: folder.url)
    #expect(key.text.trimmingCharacters(in: .whitespacesAndNewlines) == "64")
    // The realm is not read as commands.
    let shell = try runScript("realm-cli shell a.realm <&-", folder: folder.url)
    #expect(shell.status == 0 && shell.stdout == [], "\(shell.stderr)")
    // Writing to a closed stream is an error, as before.
    #expect(try runScript("realm-cli info a.realm >&-", folder: folder.url).status == 74)
  }

  @Test("an argument that is not UTF-8 is refused, and no other file is written in its place")
  func foreignNames() throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    let result = try runScript(
      "realm-cli export a.realm -o $'o\\xff.json'", folder: folder.url)
    #expect(result.status == 64)
    #expect(
      result.stderr.hasPrefix("realm-cli: an argument is not UTF-8: o\u{FFFD}.json\n  hint: "))
    #expect(try folder.names() == ["a.realm"])
  }

  @Test("standard input gives only one of two keys")
  func oneInput() throws {
    try folder.copyGolden("people-encrypted.realm", as: "a.realm")
    let result = try run([
      "rekey", "a.realm", "--key-file", "-", "--new-key-file", "-", "-o", "b.realm",
    ])
    #expect(result.status == 64 && result.stderr.contains("both be standard input"))
  }

  @Test(
    "the first report has no empty line before it, even if an earlier realm has none",
    arguments: ["info", "stats"])
  func firstReport(command: String) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    try folder.copyGolden("links.realm", as: "b.realm")
    let lines = try run([command, "missing.realm", "a.realm", "b.realm"]).text
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix("a.realm") == true, "\(lines.prefix(2))")
    let second = try #require(lines.firstIndex { $0.hasPrefix("b.realm") })
    #expect(lines[second - 1].isEmpty)
  }

  @Test("an empty output name is a usage error", arguments: ["export", "compact", "copy"])
  func emptyName(command: String) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    let result = try run([command, "a.realm", "-o", ""])
    #expect(result.status == 64, "\(result.stderr)")
  }
}
