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
}
