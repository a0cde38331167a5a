import Foundation
import TestSupport
import Testing

@Suite("realm-cli redact")
struct RedactCommandTests {
  private let folder: TemporaryFolder
  private let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("redacted.realm")
  }

  @Test("the report warns about what remains, and lists what was kept")
  func report() throws {
    let source = Golden.path("people.realm")
    let result = try runTool(
      "redact", source, "-o", out, "--keep", "Person.age", "--keep-class", "Counter", "--json")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stderr.contains("names of classes and properties"))
    let report = try JSONParser.parse(result.stdout)
    #expect(report["kept"]?.array?.compactMap(\.string) == ["Counter.n", "Person.age"])
    #expect(report["wasSynced"]?.bool == false)
    let text = try runTool("redact", source, "-o", out, "--force", "--keep", "Person.age")
    #expect(text.text.hasSuffix("  kept: Person.age\n"))
    #expect(
      try runTool("query", out, "Person", "-c", "age", "--format", "tsv").text
        == runTool("query", source, "Person", "-c", "age", "--format", "tsv").text)
    #expect(try runTool("redact", source, "-o", out).status == 73)
    #expect(
      try runTool("redact", source, "-o", out, "--force", "--keep", "Person.nope").status == 64)
  }

  @Test(
    "the sizes of the classes differ by less than 5 %",
    arguments: Golden.names.filter { !$0.contains("encrypted") })
  func sizes(name: String) throws {
    // Compared with a copy without free space and history.
    let local = folder.path("local.realm")
    let synced = try runTool("convert", Golden.path("\(name).realm"), "--to", "local", "-o", local)
    if synced.status != 0 {
      #expect(try runTool("compact", Golden.path("\(name).realm"), "-o", local).status == 0)
    }
    let result = try runTool("redact", local, "-o", out, "--seed", "3")
    #expect(result.status == 0, "\(result.stderr)")
    let (before, after) = (try sizes(of: local), try sizes(of: out))
    #expect(before.keys.sorted() == after.keys.sorted())
    for (className, size) in before {
      let other = after[className] ?? 0
      #expect(abs(other - size) <= max(size / 20, 256), "\(className): \(size) -> \(other)")
    }
  }

  /// The bytes of each class.
  private func sizes(of path: String) throws -> [String: Int] {
    let report = try JSONParser.parse(try runTool("stats", path, "--json").stdout)
    var sizes: [String: Int] = [:]
    for content in report["classes"]?.array ?? [] {
      sizes[content["name"]?.string ?? ""] = content["bytes"]?.int ?? -1
    }
    return sizes
  }
}
