import Foundation
import TestSupport
import Testing

@Suite("realm-cli upgrade")
struct UpgradeCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let old = Lived.names.filter { $0.contains("-format-") }

  /// Realms with NaN in sets: the reference keeps each NaN and leaves it where it was.
  private static let withNaN: Set<String> = [
    "life-8000-format-22", "life-8004-format-22", "life-8004-format-23", "life-8006-format-23",
  ]

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.url.appending(path: name)))
  }

  private func export(_ path: String, _ format: String) throws -> [UInt8] {
    let result = try runTool("export", "-q", path, "--format", format)
    #expect(result.status == 0, "\(result.stderr)")
    return result.stdout
  }

  @Test("every lived realm of an older format equals the reference's own upgrade", arguments: old)
  func lived(name: String) throws {
    let (path, out) = (Lived.path(name + ".realm"), folder.path("out.realm"))
    let before = try Lived.bytes(name + ".realm")
    let result = try runTool("upgrade", path, "-o", out)
    #expect(result.status == 0, "\(result.stderr)")
    let verified = try JSONParser.parse(runTool("verify", "--json", out).stdout)
    // An app may nest embedded objects of one class; nothing else is reported.
    let rules = verified["findings"]?.array?.compactMap { $0["rule"]?.string } ?? [""]
    #expect(rules.allSatisfy { $0 == "schema.embedded-cycle" }, "\(rules)")
    if !Self.withNaN.contains(name) {
      #expect(
        try export(out, "core-xjson-plus") == Lived.bytes(name + ".core-xjson-plus.json"))
    }
    // The output for people has sets in the order of format 24, for any format of the file.
    #expect(try export(out, "ndjson") == export(path, "ndjson"))
    #expect(
      try runTool("schema", "show", "--json", out).stdout
        == runTool("schema", "show", "--json", path).stdout)
    #expect(try Lived.bytes(name + ".realm") == before)
  }

  @Test("the first run works in place with a backup, the second has nothing to do")
  func inPlace() throws {
    let original = try Lived.bytes("life-8001-format-20.realm")
    let path = try folder.write(original, to: "a.realm")
    let result = try runTool("upgrade", "--in-place", "--backup", "--json", path)
    #expect(result.status == 0)
    let report = try JSONParser.parse(result.stdout)
    #expect(report["formatBefore"]?.int == 20 && report["formatAfter"]?.int == 24)
    #expect(report["skipped"]?.bool == false)
    #expect(try bytes("a.before-upgrade.realm") == original)
    #expect(
      try export(path, "core-xjson-plus")
        == Lived.bytes("life-8001-format-20.core-xjson-plus.json"))
    let upgraded = try bytes("a.realm")
    let again = try runTool("upgrade", "--in-place", path)
    #expect(again.status == 0)
    #expect(again.text == "\(path): skipped, it has format 24 already\n")
    #expect(try bytes("a.realm") == upgraded)
  }

  @Test("a dry run reports the same size, and makes no file")
  func dryRun() throws {
    let path = Lived.path("life-8002-format-11.realm")
    let dry = try JSONParser.parse(
      runTool("upgrade", path, "-o", folder.path("x.realm"), "--dry-run", "--json").stdout)
    #expect(try folder.contents().isEmpty)
    let real = try JSONParser.parse(
      runTool("upgrade", path, "-o", folder.path("x.realm"), "--json").stdout)
    #expect(dry["bytesAfter"]?.int == real["bytesAfter"]?.int)
    #expect(dry["dryRun"]?.bool == true)
  }

  @Test("an encrypted realm keeps its key; a stream gets the form for streams")
  func encrypted() throws {
    let source = Lived.path("life-8003-format-23.realm")
    let key = folder.path("key")
    #expect(try runTool("keygen", "-o", key).status == 0)
    let (locked, out) = (folder.path("locked.realm"), folder.path("out.realm"))
    #expect(try runTool("encrypt", source, "--new-key-file", key, "-o", locked).status == 0)
    #expect(try runTool("upgrade", locked, "--key-file", key, "-o", out).status == 0)
    let text = try runTool("export", "-q", out, "--key-file", key, "--format", "ndjson")
    #expect(try text.stdout == export(source, "ndjson"))
    let stream = try runTool("upgrade", source, "-o", "-").stdout
    let path = try folder.write(stream, to: "stream.realm")
    #expect(try runTool("verify", "--strict", path).status == 0)
    #expect(try export(path, "ndjson") == export(source, "ndjson"))
  }

  @Test("each realm of a folder is reported, and the exit status is the most serious one")
  func folderOfRealms() throws {
    _ = try folder.write(try Lived.bytes("life-8001-format-22.realm"), to: "in/a.realm")
    _ = try folder.write(try Golden.bytes("people.realm"), to: "in/b.realm")
    _ = try folder.write(
      Array(Lived.bytes("life-8002-format-11.realm").prefix(4096)), to: "in/c.realm")
    let result = try runTool("upgrade", "--in-place", folder.path("in"))
    #expect(result.status == 65)
    #expect(result.text.contains("a.realm: upgraded, "))
    #expect(result.text.contains("\n  file format 22 -> 24, opened by "))
    #expect(result.text.contains("b.realm: skipped, it has format 24 already"))
    #expect(result.stderr.contains("c.realm"))
  }

  @Test("a synced realm whose history is too old is refused with a hint")
  func synced() throws {
    // The header names the format in two bytes, one for each root.
    var old = try Golden.bytes("tasks-synced.realm")
    old[20] = 23
    old[21] = 23
    var edited = EditedRealm(old)
    edited.setSlot(9, of: edited.top, to: 10)
    old = edited.bytes
    let path = try folder.write(old, to: "a.realm")
    let result = try runTool("upgrade", "--in-place", path)
    #expect(result.status == 69)
    #expect(result.stderr.contains("the realm is synced"))
    #expect(result.stderr.contains("convert --to local"))
    #expect(try bytes("a.realm") == old)
  }
}
