import Foundation
import TestSupport
import Testing

@Suite("realm-cli export --unsynced")
struct UnsyncedExportTests {
  /// Frodo's three tasks, written by the reference.
  @Test("every change that is not uploaded is a line of JSON")
  func tasks() throws {
    let result = try runTool("export", "--unsynced", Golden.path("tasks-synced.realm"))
    #expect(result.status == 0)
    let lines = try result.text.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
    #expect(lines.filter { $0["change"]?.string == "create" }.count == 3)
    let owners = lines.filter {
      $0["change"]?.string == "set" && $0["path"]?[0]?.string == "owner"
    }
    #expect(owners.map { $0["value"]?.string } == ["Frodo", "Frodo", "Frodo"])
    #expect(owners[0]["id"]?["$oid"]?.string == "64f0c0de00000000abcdef00")
    #expect(Set(lines.compactMap { $0["version"]?.int }) == [2, 3])
  }

  @Test("values of every type are as in Realm JSON")
  func allTypes() throws {
    let folder = try TemporaryFolder()
    let synced = folder.path("a.realm")
    _ = try runTool("convert", Golden.path("all-types.realm"), "--to", "synced", "-o", synced)
    let result = try runTool("export", "--unsynced", synced)
    #expect(result.status == 0)
    let lines = try result.text.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
    let text = try runTool("export", synced, "--format", "ndjson").text
    // Each value of a single property is in the export of the objects.
    var found = 0
    for line in lines where line["change"]?.string == "set" && line["path"]?.array?.count == 1 {
      guard let value = line["value"]?["$date"]?.string ?? line["value"]?["$oid"]?.string
      else { continue }
      #expect(text.contains(value))
      found += 1
    }
    #expect(found > 5)
  }

  @Test("a completely uploaded realm has no changes; a local one is refused")
  func none() throws {
    let uploaded = try runTool("export", "--unsynced", Golden.path("tasks-synced-uploaded.realm"))
    #expect(uploaded.status == 0)
    #expect(uploaded.text == "")
    let local = try runTool("export", "--unsynced", Golden.path("people.realm"))
    #expect(local.status == 69)
    #expect(local.stderr.contains("the realm is not synced"))
    #expect(
      try runTool("export", "--unsynced", "--format", "csv", Golden.path("people.realm")).status
        == 64)
  }
}
