import Foundation
import TestSupport
import Testing

/// Files that no app opens any more, or opens as empty, although their data is there: each command says what happened, and `salvage`
/// gets it.
@Suite("Files that look lost, and are not")
struct DeadEndTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("a.realm") }
  private var saved: String { folder.path("saved.realm") }

  private func errors(_ path: String) throws -> [String] {
    let result = try runTool("verify", "--json", path)
    let findings = try JSONParser.parse(result.stdout)["findings"]?.array ?? []
    let errors = findings.filter { $0["severity"]?.string == "error" }
    #expect((result.status == 65) == !errors.isEmpty)
    return errors.compactMap { $0["rule"]?.string }
  }

  // MARK: Changed as text

  @Test("a realm with a carriage return before each line feed is saved as it was")
  func textMode() throws {
    var bytes: [UInt8] = []
    for byte in try Golden.bytes("people.realm") { bytes += byte == 0x0A ? [0x0D, 0x0A] : [byte] }
    try folder.write(bytes, to: "a.realm")
    let count = bytes.count { $0 == 0x0A }
    for command in ["info", "export"] {
      let result = try runTool(command, path)
      #expect(result.status == 65)
      #expect(result.stderr.contains("put a carriage return before \(count) line feeds"))
      #expect(result.stderr.contains("\n  hint: `realm-cli salvage` takes them out; "))
    }
    let verified = try runTool("verify", path)
    #expect(verified.status == 65 && verified.text.contains("error file.text-mode: byte 0: "))
    #expect(verified.text.contains("hint: `realm-cli salvage` takes them out; "))
    let result = try runTool("salvage", "--json", path, "-o", saved)
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["complete"]?.bool == true && report["sizeBefore"]?.int == bytes.count)
    #expect(report["carriageReturns"]?["removed"]?.int == count)
    #expect(report["carriageReturns"]?["kept"]?.int == 0)
    #expect(report["carriageReturns"]?["undecided"]?.int == 0)
    #expect(try runTool("diff", Golden.path("people.realm"), saved).status == 0)
    #expect(try readFile(path) == bytes)
    let text = try runTool("salvage", path, "-o", saved, "--force").text
    #expect(text.contains("took out \(count) carriage returns before line feeds\n"))
  }

  @Test("bytes replaced with U+FFFD are lost, and salvage says why")
  func replaced() throws {
    let golden = String(decoding: try Golden.bytes("people.realm"), as: UTF8.self)
    try folder.write(Array(golden.utf8), to: "a.realm")
    for arguments in [["info", path], ["salvage", path, "-o", saved]] {
      let result = try runTool(arguments)
      #expect(result.status == 65)
      #expect(result.stderr.contains("replaced bytes above 127 with U+FFFD (EF BF BD)"))
      #expect(result.stderr.contains("nothing can undo that"))
      #expect(!result.stderr.contains("salvage`"))
    }
    let verified = try runTool("verify", path)
    #expect(verified.status == 65 && !verified.text.contains("salvage"))
  }

  @Test(
    "a realm that a version control program changed has its 36 objects",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func stranger() throws {
    let realm = try #require(corpusFolder).appending(path: "wild/text-mode-copy.realm").path
    #expect(try errors(realm) == ["file.text-mode"])
    let result = try runTool("salvage", "--json", realm, "-o", saved)
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["carriageReturns"]?["removed"]?.int == 22)
    #expect(report["classes"]?[0]?["objects"]?.int == 36)
    #expect(try errors(saved).isEmpty)
  }

  // MARK: The header of a new realm

  /// A golden realm with the header of a new one.
  private func forgotten(_ name: String) throws {
    var bytes = try Golden.bytes(name)
    bytes.replaceSubrange(0..<24, with: [UInt8](repeating: 0, count: 24))
    bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
    try folder.write(bytes, to: "a.realm")
  }

  @Test("versions behind the header of a new realm are told, an error, and salvaged")
  func newHeader() throws {
    try forgotten("people.realm")
    let version = try #require(
      try JSONParser.parse(runTool("info", "--json", Golden.path("people.realm")).stdout)[
        "version"]?
        .int)
    let text = try runTool("info", path)
    #expect(text.status == 0)
    #expect(text.text.contains("  file format     none: the header is that of a new realm\n"))
    #expect(text.text.contains("the newest of which is \(version), at byte "))
    #expect(text.text.contains("`realm-cli salvage` recovers it"))
    #expect(!text.text.contains("nothing was ever committed"))
    let data = try JSONParser.parse(runTool("info", "--json", path).stdout)["dataBehindHeader"]
    #expect(data?["newest"]?.int == version)
    #expect(try errors(path) == ["header.older-data"])
    #expect(try runTool("verify", path).text.contains("`realm-cli salvage`"))
    let result = try runTool("salvage", path, "-o", saved)
    #expect(result.status == 1, "\(result.stderr)")
    #expect(try runTool("diff", Golden.path("people.realm"), saved).status == 0)
  }

  @Test("a new realm without anything behind its header is empty, with no errors")
  func new() throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
    try folder.write(bytes, to: "a.realm")
    #expect(try runTool("info", path).text.contains("none yet: nothing was ever committed"))
    #expect(try errors(path).isEmpty)
  }

  @Test(
    "a stranger's realm that was begun anew still has two versions",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func strangerAnew() throws {
    let realm = try #require(corpusFolder).appending(path: "wild/header-of-a-new-realm.realm").path
    let data = try JSONParser.parse(runTool("info", "--json", realm).stdout)["dataBehindHeader"]
    #expect(data?["versions"]?.int == 2 && data?["newest"]?.int == 3)
    #expect(data?["offset"]?.int == 1336)
    #expect(try errors(realm) == ["header.older-data"])
  }

  // MARK: Histories

  @Test("a local history under the type of a synced one is a warning, and info goes on")
  func localHistory() throws {
    for (type, schema) in [(3, 1), (3, 12), (4, 20)] as [(UInt8, UInt8)] {
      var bytes = try Golden.bytes("tasks-local.realm")
      let slot = Int(bytes[23] & 1) * 8
      let top = bytes[slot..<(slot + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      // Elements of 32 bits, tagged.
      bytes[top + 8 + 7 * 4] = type * 2 + 1
      bytes[top + 8 + 9 * 4] = schema * 2 + 1
      try folder.write(bytes, to: "a.realm")
      let verified = try runTool("verify", path)
      #expect(verified.status == 0, "\(verified.text)")
      #expect(verified.text.contains("warning history.root: "))
      let info = try runTool("info", "--history", path)
      #expect(info.status == 0, "\(info.stderr)")
      #expect(info.text.contains("but its root is that of a local one"))
      #expect(info.text.contains("1 class, 3 objects"))
    }
  }

  // MARK: Results that are there

  @Test("with -o, exit code 0 means that the result is there, even if nothing had to change")
  func copied() throws {
    let realm = Golden.path("people.realm")
    let plan = "realm-migration: 1\nversions:\n  - {to: 7, steps: []}\n"
    try folder.write(Array(plan.utf8), to: "plan.yml")
    try folder.write(try runTool("schema", "show", "--format", "json", realm).stdout, to: "s.json")
    let commands = [
      ["upgrade", realm], ["compact", realm, "--if-size-over", "1GB"],
      ["migrate", realm, "--plan", folder.path("plan.yml")],
      ["migrate", realm, "--schema", folder.path("s.json"), "--to", "7"],
      ["update", realm, "Person", "age > 1000", "--set", "age = 1"],
      ["delete", realm, "Person", "age > 1000"],
    ]
    for (number, command) in commands.enumerated() {
      let out = folder.path("\(number).realm")
      let result = try runTool(command + ["-o", out, "--json"])
      #expect(result.status == 0, "\(command): \(result.stderr)")
      #expect(try runTool("diff", realm, out).status == 0, "\(command)")
      let report = try JSONParser.parse(result.stdout)
      #expect(report["output"]?.string == out, "\(command)")
      guard number < 4 else { continue }
      #expect(report["skipped"]?.bool == true, "\(command)")
      let text = try runTool(command + ["-o", out, "--force"]).text
      #expect(text.contains(": copied, because "), "\(text)")
    }
  }
}
