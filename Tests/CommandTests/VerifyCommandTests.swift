import Foundation
import TestSupport
import Testing

@Suite("verify")
struct VerifyCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The members of the JSON object in `text`.
  private func object(_ text: some StringProtocol) throws -> [String: Any] {
    try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("a realm without errors has one line and status 0")
  func valid() throws {
    let result = try runTool("verify", Golden.path("people.realm"))
    #expect(result.status == 0)
    #expect(
      result.text.hasSuffix("people.realm: no errors; 2887 objects, 6733 nodes, 609 kB checked\n"))
    #expect(result.stderr == "")
  }

  @Test("an error ends with 65 and has its rule and place")
  func error() throws {
    var bytes = try Golden.bytes("people.realm")
    bytes.removeLast(bytes.count / 2)
    let path = try folder.write(bytes, to: "cut.realm")
    let result = try runTool("verify", path)
    #expect(result.status == 65)
    #expect(result.text.contains("cut.realm: 1 error\n"))
    #expect(result.text.contains("  error file.truncated: byte "))
  }

  @Test("a warning is 0, with --strict 65")
  func strict() throws {
    var bytes = try Golden.bytes("people.realm")
    bytes[22] = 1
    let path = try folder.write(bytes, to: "odd.realm")
    #expect(try runTool("verify", path).status == 0)
    let result = try runTool("verify", "--strict", "--json", path)
    #expect(result.status == 65)
    let report = try object(result.text)
    #expect(report["sound"] as? Bool == false)
    #expect(report["warnings"] as? Int == 1)
    let finding = try #require((report["findings"] as? [[String: Any]])?.first)
    #expect(finding["rule"] as? String == "header.reserved")
    #expect(finding["severity"] as? String == "warning")
    #expect(finding["offset"] as? Int == 22)
  }

  @Test("many files: a line each in order, the most serious code")
  func many() throws {
    try folder.write(Golden.bytes("people.realm"), to: "a.realm")
    var bytes = try Golden.bytes("people.realm")
    bytes.removeLast(4096)
    bytes.removeLast(bytes.count / 2)
    try folder.write(bytes, to: "b.realm")
    try folder.write(Golden.bytes("people-encrypted.realm"), to: "c.realm")
    let result = try runTool("verify", "--json", folder.url.path)
    #expect(result.status == 65)
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(try object(lines[0])["sound"] as? Bool == true)
    #expect(try object(lines[1])["sound"] as? Bool == false)
    let error = try #require(object(lines[2])["error"] as? [String: Any])
    #expect(error["code"] as? String == "keyMissing")
  }

  @Test("a file that is not a realm, and a missing class")
  func errors() throws {
    let path = try folder.write(Array("hello".utf8), to: "text.realm")
    #expect(try runTool("verify", path).status == 65)
    let result = try runTool("verify", "--class", "Nobody", Golden.path("people.realm"))
    #expect(result.status == 64)
    #expect(try runTool("verify", "--class", "Company", Golden.path("people.realm")).status == 0)
    #expect(try runTool("verify", "--quick", "--class", "X", path).status == 64)
  }

  @Test("the commit before the newest one")
  func previous() throws {
    let result = try runTool("verify", "--previous", Golden.path("churned.realm"))
    #expect(result.status == 0)
    #expect(result.text.contains("no errors"))
  }

  @Test("a running commit is not a defect of the header, an unfinished one is reported")
  func unfinishedCommit() throws {
    let folder = try TemporaryFolder()
    // The bit that makes the other slot the active one is the last that a commit writes.
    var realm = try EditedRealm(golden: "people.realm")
    realm.bytes[23] ^= 1
    try folder.write(realm.bytes, to: "a.realm")
    let path = folder.path("a.realm")
    try withExtendedLifetime(HeldLock(path + ".lock", LOCK_SH)) {
      let result = try runTool("verify", path)
      #expect(result.status == 0, "\(result.text)")
      #expect(!result.text.contains("header.other-slot"), "\(result.text)")
    }
    let left = try runTool("verify", path)
    #expect(left.text.contains("a commit was interrupted, or a bit of the header flipped"))
  }

  @Test("a local history is not that of a sync client, of any schema version", arguments: [1, 2])
  func historyKind(schemaVersion: Int) throws {
    var edited = try EditedRealm(golden: "people.realm")
    // The history kind and its schema version (chapter 1, section 2); 3 is a sync client.
    edited.replaceTop { ($0[7], $0[9]) = (3 << 1 | 1, schemaVersion << 1 | 1) }
    let folder = try TemporaryFolder()
    let path = try folder.write(edited.bytes, to: "x.realm")
    let result = try runTool("verify", path)
    #expect(result.status == 0 && result.text.contains("warning history.root"), "\(result.text)")
  }
}
