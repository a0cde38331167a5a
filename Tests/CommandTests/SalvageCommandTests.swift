import Foundation
import TestSupport
import Testing

@Suite("realm-cli salvage")
struct SalvageCommandTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("damaged.realm") }
  private var saved: String { folder.path("saved.realm") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes a golden realm whose newest root is lost.
  private func writeWithoutRoot() throws {
    var realm = try EditedRealm(golden: "people.realm")
    let root = realm.top
    realm.bytes.replaceSubrange(root..<root + 8, with: Array(repeating: 0, count: 8))
    try folder.write(realm.bytes, to: "damaged.realm")
  }

  @Test("an undamaged realm has the same export, and exit code 0")
  func valid() throws {
    let original = Golden.path("all-types.realm")
    let result = try runTool("salvage", original, "-o", saved, "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["complete"]?.bool == true && report["lossCount"]?.int == 0)
    #expect(
      try runTool("export", saved, "-o", "-").stdout
        == runTool("export", original, "-o", "-").stdout)
    let again = try runTool("salvage", original, "-o", saved)
    #expect(again.status == 73)
  }

  @Test("one version of a realm in use is read, unless its header is damaged")
  func inUse() throws {
    let open = try folder.copyGolden("people.realm")
    var realm = try EditedRealm(golden: "people.realm")
    realm.bytes.replaceSubrange(0..<24, with: [UInt8](repeating: 0x20, count: 24))
    try folder.write(realm.bytes, to: "damaged.realm")
    let held = [open, path].map { HeldLock($0 + ".lock", LOCK_SH) }
    try withExtendedLifetime(held) {
      #expect(try runTool("salvage", open, "-o", saved).status == 0)
      #expect(
        try runTool("export", saved, "-o", "-").stdout
          == runTool("export", Golden.path("people.realm"), "-o", "-").stdout)
      let refused = try runTool("salvage", path, "-o", folder.path("b.realm"))
      #expect(refused.status == 75 && refused.stderr.contains("in use"))
    }
  }

  @Test("doubtful values are kept and marked, or left out")
  func doubtful() throws {
    var realm = try EditedRealm(golden: "people.realm")
    // One sector of a block of 4,096 bytes is left between sectors of noise.
    for i in 4096..<8192 where (i - 4096) / 512 != 3 {
      realm.bytes[i] = UInt8(truncatingIfNeeded: 7 &* i &+ 3)
    }
    try folder.write(realm.bytes, to: "damaged.realm")
    func run(_ options: String...) throws -> (text: String, report: JSONValue) {
      let text = try runTool(["salvage", path, "-o", saved, "--force"] + options)
      let json = try runTool(["salvage", path, "-o", saved, "--force", "--json"] + options)
      #expect(text.status == 1 && json.status == 1)
      return (text.text, try JSONParser.parse(json.stdout))
    }
    func count(_ report: JSONValue, _ member: String) -> Int {
      report["classes"]?.array?.reduce(0) { $0 + ($1[member]?.int ?? 0) } ?? 0
    }
    let (lost, kept) = (try run("--drop-doubtful"), try run())
    #expect(!lost.text.contains("doubtful") && count(lost.report, "doubtful") == 0)
    #expect(kept.text.contains("kept") && kept.text.contains("doubtful"))
    let keptCount = count(kept.report, "doubtful") + count(kept.report, "doubtfulObjects")
    #expect(keptCount > 0)
    #expect(count(kept.report, "lostValues") < count(lost.report, "lostValues"))
    let marked = kept.report["losses"]?.array?.filter { $0["doubtful"]?.bool == true } ?? []
    #expect(!marked.isEmpty)
  }

  @Test("losses have exit code 1, a report of all of them, and a realm without errors")
  func losses() throws {
    try writeWithoutRoot()
    let file = folder.path("losses.json")
    let result = try runTool("salvage", path, "-o", saved, "--report", file)
    #expect(result.status == 1, "\(result.stderr)")
    #expect(result.text.contains("rebuilt from the newest tables found"))
    let report = try JSONParser.parse(try readFile(file))
    #expect(report["rebuilt"]?.bool == true && report["complete"]?.bool == false)
    #expect(try runTool("verify", saved).status == 0)
  }

  @Test("only the owner can read the result from an encrypted realm, and the report")
  func permissions() throws {
    let file = folder.path("losses.json")
    let result = try runTool(
      "salvage", Golden.path("people-encrypted.realm"), "--key-file",
      Golden.path("people-encrypted.key"), "-o", saved, "--report", file)
    #expect(result.status == 0, "\(result.stderr)")
    for path in [saved, file] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    // It is still refused before any work.
    let again = try runTool(
      "salvage", Golden.path("people-encrypted.realm"), "--key-file",
      Golden.path("people-encrypted.key"), "-o", folder.path("b.realm"), "--report", file)
    #expect(again.status == 73 && !FileManager.default.fileExists(atPath: folder.path("b.realm")))
  }

  @Test("only the owner can read the export and the report of a private realm")
  func privateRealm() throws {
    let realm = folder.path("private.realm")
    try FileManager.default.copyItem(atPath: Golden.path("people.realm"), toPath: realm)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: realm)
    let (text, report) = (folder.path("all.ndjson"), folder.path("losses.json"))
    let result = try runTool(
      "salvage", realm, "--format", "ndjson", "-o", text, "--report", report)
    #expect(result.status == 0, "\(result.stderr)")
    for path in [text, report] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test("an impossible number of objects is reported as such, not as a loss")
  func wrongCount() throws {
    // 3 objects in the only cluster of the class become 7: tagged numbers are odd.
    var realm = try EditedRealm(golden: "tasks-local.realm")
    let cluster = try #require(realm.find([0x41, 0x41, 0x41, 0x41, 0x45, 0, 0, 5, 7]))
    realm.setSlot(0, of: cluster, to: 7)
    try folder.write(realm.bytes, to: "damaged.realm")
    let result = try runTool("salvage", path, "-o", saved)
    #expect(result.status == 1, "\(result.stderr)")
    #expect(result.text.contains("recovered 3 objects; 1 class states a wrong number of objects"))
    #expect(!result.text.contains("lost;") && !result.text.contains("objects lost"))
    #expect(result.text.contains("class QsTask states 7 objects; its nodes have room for 3"))
  }

  @Test("the roots are listed with their readable contents, and one can be chosen")
  func roots() throws {
    try writeWithoutRoot()
    let result = try runTool("salvage", "--list-roots", "--json", path)
    #expect(result.status == 0, "\(result.stderr)")
    let roots = try #require(try JSONParser.parse(result.stdout)["roots"]?.array)
    let offset = try #require(
      roots.first { $0["whole"]?.bool == true && $0["foundBy"]?.string != "rebuilt" }?["offset"]?
        .int)
    #expect(
      try runTool("salvage", path, "-o", saved, "--root", "\(offset)").status == 0)
    let other = try runTool("salvage", path, "-o", folder.path("b.realm"), "--root", "17")
    #expect(other.status == 64)
    #expect(other.stderr.contains("no version of the realm has its top array at byte 17"))
    #expect(other.stderr.contains("--list-roots"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("b.realm")))
  }

  @Test("a report to the file of the result is refused for any spelling of its path")
  func reportOverResult() throws {
    let original = Golden.path("links.realm")
    let other =
      (saved as NSString).deletingLastPathComponent + "/./"
      + (saved as NSString).lastPathComponent
    let link = folder.path("link.json")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: saved)
    for report in [saved, other, link, "-"] {
      let result = try runTool("salvage", original, "-o", saved, "--report", report, "--force")
      #expect(result.status == 64, "\(report): \(result.stderr)")
      #expect(!FileManager.default.fileExists(atPath: saved))
    }
  }

  @Test("the list of roots has the one that would be read, even if it is rebuilt from found tables")
  func rebuiltRoot() throws {
    let bytes = try Golden.bytes("people.realm")
    try folder.write(Array(bytes.prefix(700_000)), to: "damaged.realm")
    let result = try runTool("salvage", "--list-roots", "--json", path)
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    let roots = try #require(report["roots"]?.array)
    let chosen = roots.filter { $0["chosen"]?.bool == true }
    #expect(chosen.map { $0["foundBy"]?.string } == ["rebuilt"])
    #expect(report["complete"] == nil && report["cutOffRoot"]?.int ?? 0 > 700_000)
  }

  @Test("ndjson equals an export of the result")
  func lines() throws {
    let original = Golden.path("links.realm")
    let result = try runTool("salvage", original, "--format", "ndjson", "-o", "-")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      try result.stdout == runTool("export", original, "--format", "ndjson", "-o", "-").stdout)
  }

  @Test("a file without parts of a realm is named for what it is, and nothing is written")
  func nothing() throws {
    for (bytes, word) in [
      (Array("<html>not found</html> <!-- and more -->".utf8), "text"),
      (Array(repeating: 0, count: 4096), "zeros"), ([], "empty"),
    ] as [([UInt8], String)] {
      try folder.write(bytes, to: "damaged.realm")
      let result = try runTool("salvage", path, "-o", saved)
      #expect(result.status == 65 && result.stderr.contains(word), "\(result.stderr)")
      #expect(!FileManager.default.fileExists(atPath: saved))
    }
    #expect(
      try runTool("salvage", Golden.path("people-encrypted.realm"), "-o", saved).status == 77)
  }

  @Test("a realm without commits is named for what it is")
  func neverCommitted() throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
    for selected in [0, 1] as [UInt8] {
      bytes[23] = selected
      try folder.write(bytes, to: "damaged.realm")
      for arguments in [["-o", saved], ["--list-roots"]] {
        let result = try runTool(["salvage", path] + arguments)
        #expect(result.status == 65)
        #expect(result.stderr.contains("nothing was ever committed"), "\(result.stderr)")
        #expect(!result.stderr.contains("damaged:"))
        #expect(result.stderr.contains("\n  hint: apps can open it as it is; "))
      }
      #expect(!FileManager.default.fileExists(atPath: saved))
    }
    // Bytes after the header belong to lost data.
    bytes[100] = 1
    try folder.write(bytes, to: "damaged.realm")
    let result = try runTool("salvage", path, "-o", saved)
    #expect(
      result.status == 65 && result.stderr.contains("the tables of no version can be read"),
      "\(result.stderr)")
  }

  @Test("the output is named, is not the input, and a realm does not go to a terminal")
  func usage() throws {
    try writeWithoutRoot()
    #expect(try runTool("salvage", path).status == 64)
    #expect(try runTool("salvage", path, "-o", path).status == 64)
    #expect(try runTool("salvage", path, "-o", "-").status == 64)
    #expect(try runTool("salvage", path, "-o", saved, "--root", "oldest").status == 64)
  }

  @Test("deleted objects are included on request and reported, with exit code 0")
  func freed() throws {
    let original = Golden.path("churned.realm")
    let result = try runTool("salvage", original, "-o", saved, "--include-freed", "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    let classes = try #require(report["classes"]?.array)
    let row = try #require(classes.first { $0["freedOf"]?.string == "Log" })
    let freed = try #require(row["freed"]?.int)
    #expect(row["name"]?.string == "LostAndFound_Log" && freed > 0)
    let count = { (realm: String, name: String) in
      try runTool("query", "--count", realm, name).text.trimmingCharacters(
        in: .whitespacesAndNewlines)
    }
    #expect(try count(saved, "LostAndFound_Log") == "\(freed)")
    #expect(try count(saved, "Log") == count(original, "Log"))
    let text = try runTool("salvage", original, "-o", saved, "--include-freed", "--force").text
    #expect(text.contains("older versions read: 61"))
    #expect(text.contains("freed"))
  }

  @Test("a list of versions reads nothing from older ones")
  func listingAndFilling() throws {
    let original = Golden.path("churned.realm")
    for option in ["--fill-from-previous", "--include-freed"] {
      #expect(try runTool("salvage", original, "--list-roots", option).status == 64)
    }
  }
}
