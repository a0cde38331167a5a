import Foundation
import TestSupport
import Testing

@Suite("realm-cli export --format postgres")
struct PostgresExportCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("values that PostgreSQL cannot hold are refused, counted, until the user gives them up")
  func losses() throws {
    let arguments = [
      "export", "--format", "postgres", Golden.path("all-types.realm"), "-o", "x.sql",
    ]
    let refused = try runTool(arguments, folder: folder.url)
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("outside its range: null is written"))
    #expect(refused.stderr.contains("hint: --allow-data-loss accepts the loss"))
    #expect(try folder.contents().isEmpty)
    let accepted = try runTool(arguments + ["--allow-data-loss", "--json"], folder: folder.url)
    #expect(accepted.status == 0)
    let losses = try JSONParser.parse(accepted.stdout)["losses"]
    // PostgreSQL has NaN, and the years 10000 to 294276, unlike SQLite's text.
    #expect(losses?["notFiniteNumbers"] == nil)
    #expect((losses?["outlyingDates"]?.int ?? 0) > 0)
    #expect((losses?["outlyingDates"]?.int ?? 185) < 185)
    #expect((losses?["cutDates"]?.int ?? 0) > 0)
  }

  @Test("on standard output the transaction of a refused script has no end")
  func standardOutput() throws {
    let refused = try runTool("export", "--format", "postgres", Golden.path("all-types.realm"))
    #expect(refused.status == 69)
    #expect(refused.text.contains("\nBEGIN;\n"))
    #expect(!refused.text.contains("COMMIT;"))
    let whole = try runTool("export", "--format", "postgres", Golden.path("links.realm"))
    #expect(whole.status == 0)
    #expect(whole.text.hasSuffix("COMMIT;\n"))
  }

  @Test("the same bytes come from any number of threads")
  func threads() throws {
    let scripts = try ["1", "3"].map { jobs in
      try runTool(
        "export", "--format", "postgres", "--allow-data-loss", "--jobs", jobs,
        Golden.path("people.realm")
      ).text
    }
    #expect(scripts[0] == scripts[1])
    #expect(scripts[0].contains("COPY \"realm\".\"Person\""))
  }

  @Test("--schema-name names the schema, and is checked")
  func schemaName() throws {
    let result = try runTool(
      "export", "--format", "postgres", "--schema-name", "a\"b", Golden.path("links.realm"))
    #expect(result.text.contains("CREATE SCHEMA IF NOT EXISTS \"a\"\"b\";"))
    #expect(result.text.contains("CREATE TABLE \"a\"\"b\".\"Dog\""))
    for arguments in [
      ["--schema-name", ""], ["--schema-name", "pg_x"],
      ["--schema-name", String(repeating: "x", count: 64)], ["--dates", "iso"], ["--for", "room"],
    ] {
      let result = try runTool(
        ["export", "--format", "postgres", Golden.path("links.realm")] + arguments)
      #expect(result.status == 64, "\(arguments)")
    }
    #expect(
      try runTool("export", "--allow-data-loss", Golden.path("links.realm")).status == 64)
  }
}
