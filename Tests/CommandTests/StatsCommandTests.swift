import Foundation
import TestSupport
import Testing

@Suite("realm-cli stats")
struct StatsCommandTests {
  @Test("text ends its table with the size of the file")
  func text() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("links.realm")
    let result = try runTool("stats", "links.realm", "--top", "1", folder: folder.url)
    #expect(result.status == 0)
    #expect(result.stderr == "")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "links.realm")
    #expect(lines.contains { $0.hasPrefix("  file   ") && $0.hasSuffix(" 65.5 kB") })
    #expect(lines.contains { $0.hasPrefix("  Dog  ") })
    #expect(lines.last == "    Person.dogs  64f0c0de0000000cabcdef0c  1275 elements")
  }

  @Test("by property lists the types; by kind lists no class")
  func divisions() throws {
    let path = Golden.path("people.realm")
    let properties = try runTool("stats", path, "--by", "property", "--class", "Company")
    #expect(properties.status == 0)
    #expect(properties.text.contains("  Company     30 objects "))
    #expect(properties.text.contains("    ratings   int{} "))
    #expect(!properties.text.contains("  Person "))
    let wide = try runTool("stats", path, "--by", "property", "--class", "Person")
    #expect(wide.text.contains("    firstName  string "))
    #expect(wide.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let kinds = try runTool("stats", path, "--by", "kind", "--top", "0")
    #expect(!kinds.text.contains("Company"))
  }

  @Test("json has the members of the contract")
  func json() throws {
    let result = try runTool("stats", "--json", Golden.path("people.realm"))
    let report = try JSONParser.parse(result.stdout)
    #expect(
      report.names == [
        "classes", "concerns", "encrypted", "fileFormat", "largestCollections", "largestObjects",
        "largestValues", "parts", "path", "size", "sizeAfterCompact", "version",
      ])
    let parts = report["parts"]?.array ?? []
    #expect(parts.reduce(0) { $0 + ($1["bytes"]?.int ?? 0) } == report["size"]?.int)
    let concern = report["concerns"]?.array?.first
    #expect(concern?["level"]?.string == "note")
    #expect(concern?["message"]?.string == "compact makes the file 442 kB smaller")
    let property = report["classes"]?.array?.last?["properties"]?.array?.first
    #expect(
      property?.names == [
        "bytes", "distinct", "distinctIsExact", "elements", "name", "nulls", "objects", "parts",
        "type", "valueBytes",
      ])
  }

  @Test("several realms come one after another, a damaged one as an error")
  func several() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("links.realm")
    try folder.write(Array(try Golden.bytes("people.realm").dropLast(100_000)), to: "bad.realm")
    let result = try runTool("stats", ".", folder: folder.url)
    #expect(result.status == 65)
    #expect(result.text.contains("links.realm"))
    #expect(result.stderr.contains("bad.realm"))
  }
}
