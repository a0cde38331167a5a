import Foundation
import TestSupport
import Testing

@Suite("realm-cli shell")
struct ShellCommandTests {
  private func shell(
    _ lines: String..., arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> ToolResult {
    try runTool(
      ["shell", Golden.path("people.realm")] + arguments,
      stdin: Array((lines.joined(separator: "\n") + "\n").utf8), environment: environment)
  }

  @Test("a script writes what `query` writes")
  func queries() throws {
    let path = Golden.path("people.realm")
    let sorted = try runTool("query", path, "Person", "age > 60 SORT(lastName ASC) LIMIT(3)")
    for line in [
      "Person where age > 60 sort(lastName asc) limit(3)",
      "Person age > 60 sort(lastName asc) limit(3)",
      "  'Person' WHERE age > 60 SORT(lastName ASC) LIMIT(3)",
    ] {
      let result = try shell(line)
      #expect(result.status == 0, "\(result.stderr)")
      #expect(result.stdout == sorted.stdout, "\(line)")
      #expect(result.stderr == "")
    }
    // Orderings without a condition, and a class alone: all objects.
    #expect(
      try shell("Person sort(age desc) limit(2)").stdout
        == runTool("query", path, "Person", "TRUEPREDICATE SORT(age DESC) LIMIT(2)").stdout)
    #expect(try shell("Person").stdout == runTool("query", path, "Person").stdout)
    #expect(
      try shell(".mode csv", "Company", "# a comment", "", ".mode table", "Counter").text
        == runTool("query", path, "Company", "--format", "csv").text
        + runTool("query", path, "Counter", "--format", "table").text)
  }

  @Test("commands answer from the version that is shown")
  func commands() throws {
    let classes = try shell(".classes").text
    #expect(
      classes.contains("{\"kind\":\"class\",\"name\":\"Company\",\"objects\":30}\n"), "\(classes)")
    let table = try shell(".classes", arguments: ["--mode", "table"]).text
    #expect(table.contains("Company  class    30\n"), "\(table)")
    let schema = try shell(".schema Counter", arguments: ["--mode", "table"]).text
    #expect(schema.hasPrefix("Counter\n"))
    #expect(!schema.contains("Person\n"))
    let all = try runTool("schema", "show", Golden.path("people.realm"))
    #expect(try shell(".schema", arguments: ["--mode", "table"]).text == all.text)
    let count = try runTool("query", Golden.path("people.realm"), "Person", "age > 60", "--count")
    #expect(try shell(".count Person where age > 60").text == count.text)
    #expect(try shell(".explain Person where age == 60").text.contains("index Person.age"))
    #expect(try shell(".mode").text == "ndjson\n")
    #expect(try shell(".timer on", "Counter limit(1)").stderr.hasSuffix(" ms\n"))
    #expect(try shell(".help").text.contains(".explain QUERY"))
    #expect(try shell(".quit", "nonsense").status == 0)
  }

  @Test("stats, verify and export run as commands, with their options and exit codes")
  func otherCommands() throws {
    let path = Golden.path("people.realm")
    #expect(
      try shell(".stats --by kind --top 0").text
        == runTool("stats", path, "--by", "kind", "--top", "0").text)
    #expect(try shell(".verify").text == runTool("verify", path).text)
    let folder = try TemporaryFolder()
    let file = folder.path("a b.json")
    let result = try shell(".export --class Counter -o '\(file)'", ".count Counter")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try readFile(file) == runTool("export", path, "--class", "Counter").stdout)
    #expect(try shell(".export --class Nobody", "Counter").status == 64)
    #expect(try shell(".export --class 'Nobody").status == 64)
  }

  @Test("a script ends at its first error, with its exit code; --keep-going goes on")
  func errors() throws {
    let first = try shell(".count Counter", "Person where agee > 3", ".count Company")
    #expect(first.status == 64)
    #expect(first.text.split(separator: "\n").count == 1)
    #expect(
      first.stderr.contains("  Person where agee > 3\n               ^~~~\n"), "\(first.stderr)")
    #expect(first.stderr.contains("age"))
    let all = try shell(
      "Person where agee > 3", ".nonsense", ".count Company", "Persn", arguments: ["--keep-going"])
    #expect(all.status == 64)
    #expect(all.text == "30\n")
    #expect(all.stderr.contains("  Persn\n  ^~~~~\n"), "\(all.stderr)")
    #expect(all.stderr.contains("there is no command .nonsense"))
    let json = try shell(
      "Person where", "Person where age >", arguments: ["--json", "--keep-going"])
    #expect(json.stderr.contains("\"code\":\"badQuery\""), "\(json.stderr)")
  }

  @Test("options that contradict each other, and realms that do not open, end the shell at once")
  func options() throws {
    #expect(try shell("Counter", arguments: ["--key-file", "-"]).status == 64)
    #expect(try runTool("shell", "/nowhere.realm", stdin: Array("Counter\n".utf8)).status == 66)
    #expect(try runTool("shell", Golden.path("people-encrypted.realm")).status == 77)
    let path = Golden.path("people-encrypted.realm")
    let key = Golden.path("people-encrypted.key")
    let result = try runTool(
      "shell", path, "--key-file", key, stdin: Array(".count Person\n.verify\n".utf8))
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.text.contains("no errors"), "\(result.text)")
  }

  @Test("hostile names are made visible in tables")
  func hostile() throws {
    let folder = try TemporaryFolder()
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"A\\u001b[2J","keyMember":"_key","properties":{"b\\u202e":"string"}}],
      "objects":{"A\\u001b[2J":[{"_key":0,"b\\u202e":"\\u001b]0;x\\u0007"}]}}
      """
    try folder.write(Array(text.utf8), to: "a.json")
    #expect(try runTool("import", "a.json", "-o", "a.realm", folder: folder.url).status == 0)
    let lines = "A\u{1B}[2J\n.classes\n.schema\n.schema A\u{1B}[2J\n"
    let result = try runTool(
      "shell", "a.realm", "--mode", "table", stdin: Array(lines.utf8), folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(!result.stdout.contains(0x1B) && !result.text.contains("\u{202E}"))
    #expect(result.text.contains("A\\u{1b}[2J"))
  }

  @Test(
    "realms of formats 2 to 9 are read as `query` reads them",
    arguments: LegacyFile.all.filter { $0.key == nil }.prefix(3))
  func legacy(file: LegacyFile) throws {
    let classes = try runTool("shell", file.path, stdin: Array(".classes\n".utf8))
    #expect(classes.status == 0, "\(classes.stderr)")
    for line in classes.text.split(separator: "\n") {
      let name = try #require(try JSONParser.parse(Array(line.utf8))["name"]?.string)
      let found = try runTool("shell", file.path, stdin: Array("'\(name)'\n".utf8))
      #expect(try found.stdout == runTool("query", file.path, name).stdout)
    }
  }
}
