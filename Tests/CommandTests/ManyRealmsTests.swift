import Foundation
import TestSupport
import Testing

@Suite("Many realms: lists, shares, and going on")
struct ManyRealmsTests {
  /// A folder with 24 realms in two subfolders, one of them damaged.
  private func realms() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let realm = try Golden.bytes("tasks-local.realm")
    for number in 1...24 { try folder.write(realm, to: "r/\(number % 2)/\(number).realm") }
    try folder.write(Array(realm.prefix(realm.count / 2)), to: "r/1/7.realm")
    return folder
  }

  private func paths(_ result: ToolResult) throws -> [String] {
    try result.text.split(separator: "\n").map {
      try #require(try JSONParser.parse(Array($0.utf8))["path"]?.string)
    }
  }

  @Test("a list names realms and folders, also on standard input")
  func list() throws {
    let folder = try realms()
    try folder.write(Array("r/0\nr/1/3.realm\n".utf8), to: "list")
    let result = try runTool("info", "--json", "--files-from", "list", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try paths(result).count == 13)
    #expect(try paths(result).last == "r/1/3.realm")
    let piped = try runTool(
      ["info", "--json", "--files-from", "-"], stdin: Array("r/0\0r/1/3.realm".utf8),
      folder: folder.url)
    #expect(piped.stdout == result.stdout)
  }

  @Test("one realm of a list that fails is a line of the report")
  func oneOfList() throws {
    let folder = try realms()
    try folder.write(Array("r/1/7.realm\n".utf8), to: "list")
    let result = try runTool("verify", "--json", "--files-from", "list", folder: folder.url)
    #expect(result.status == 65)
    let line = try JSONParser.parse(result.stdout)
    #expect(line["path"]?.string == "r/1/7.realm")
    #expect(line["exitCode"]?.int == 65)
  }

  @Test("the shares together do what one run does")
  func shares() throws {
    let folder = try realms()
    let whole = try runTool("verify", "--json", "r", folder: folder.url)
    var lines: [Substring] = []
    for number in 1...3 {
      let share = try runTool("verify", "--json", "--shard", "\(number)/3", "r", folder: folder.url)
      lines += share.text.split(separator: "\n")
    }
    #expect(lines.count == 24)
    #expect(lines.sorted() == whole.text.split(separator: "\n").sorted())
  }

  @Test("a share without realms is done", arguments: ["3/3", "1/3", "2/3"])
  func emptyShare(share: String) throws {
    let folder = try realms()
    let result = try runTool("info", "--shard", share, "r/0/2.realm", folder: folder.url)
    #expect(result.status == 0)
  }

  @Test("realms that are done and have not changed are passed over")
  func goesOn() throws {
    let folder = try realms()
    let first = try runTool("verify", "--json", "r", folder: folder.url)
    #expect(first.status == 65)
    // A run that was killed leaves half of a line.
    let report = first.text.split(separator: "\n").filter { !$0.contains("r/0/2.realm") }
    try folder.write(
      Array((report.joined(separator: "\n") + "\n{\"path\":\"r/0/2.re").utf8), to: "report")
    try folder.write(try Golden.bytes("people.realm"), to: "r/0/4.realm")

    let second = try runTool(
      "verify", "--json", "--skip-done", "report", "r", folder: folder.url)
    #expect(try paths(second).sorted() == ["r/0/2.realm", "r/0/4.realm", "r/1/7.realm"])
    #expect(second.status == 65)
    #expect(second.stderr.contains("report: 1 line skipped: incomplete, or not written by --json"))
  }

  @Test("a realm that was compacted in place is done, one of a dry run is not")
  func inPlace() throws {
    let folder = try realms()
    try FileManager.default.removeItem(atPath: folder.path("r/1/7.realm"))
    let dry = try runTool("compact", "--json", "--in-place", "--dry-run", "r", folder: folder.url)
    try folder.write(dry.stdout, to: "report")
    let first = try runTool(
      "compact", "--json", "--in-place", "--skip-done", "report", "r", folder: folder.url)
    #expect(try paths(first).count == 23)
    try folder.write(first.stdout, to: "report")
    let second = try runTool(
      "compact", "--json", "--in-place", "--skip-done", "report", "r", folder: folder.url)
    #expect(second.status == 0)
    #expect(second.stdout.isEmpty)
  }

  @Test("a backup of a list names its realms by their whole paths")
  func backup() throws {
    let folder = try realms()
    try folder.write(try Golden.bytes("tasks-local.realm"), to: "r/1/2.realm")
    try folder.write(Array("r/0/2.realm\n./r/1/2.realm\n".utf8), to: "list")
    let created = try runTool(
      "backup", "create", "--files-from", "list", "-o", "a.tar.zst", folder: folder.url)
    #expect(created.status == 0, "\(created.stderr)")
    let listed = try runTool("backup", "list", "--json", "a.tar.zst", folder: folder.url)
    for name in ["r/0/2.realm", "r/1/2.realm"] { #expect(listed.text.contains("\"\(name)\"")) }
  }

  @Test(
    "what cannot be is refused",
    arguments: [
      (["info"], "name realms or folders, or a list of them with --files-from"),
      (["info", "--shard", "4/3", "r"], "4/3"),
      (["info", "--shard", "0/3", "r"], "0/3"),
      (
        ["info", "--files-from", "-", "--key-file", "-"],
        "standard input cannot be both the list of realms and the key"
      ),
    ])
  func refused(arguments: [String], message: String) throws {
    let result = try runTool(arguments)
    #expect(result.status == 64)
    #expect(result.stderr.contains(message))
  }

  @Test(
    "a list or a report that is missing is a missing input",
    arguments: ["--files-from", "--skip-done"])
  func missing(option: String) throws {
    let folder = try realms()
    let result = try runTool("info", option, "none", "r/0/2.realm", folder: folder.url)
    #expect(result.status == 66)
    #expect(result.stderr.contains("none"))
  }
}
