import TestSupport
import Testing

@Suite("realm-cli")
struct RealmCLITests {
  @Test func tellsItsVersion() throws {
    let result = try runTool("--version")
    #expect(result.status == 0)
    #expect(result.text == "0.1.0\n")
    #expect(result.stderr == "")
  }

  @Test("input that the tool does not read ends neither the tool nor its caller")
  func unreadInput() throws {
    // More than a pipe holds.
    let result = try runTool("--version", stdin: Array(repeating: 0, count: 1 << 20))
    #expect(result.status == 0)
  }

  @Test(
    "tells where the program comes from",
    arguments: [["--version", "-v"], ["-v", "--version"], ["--version", "--verbose"]])
  func details(arguments: [String]) throws {
    let result = try runTool(arguments)
    #expect(result.status == 0)
    let lines = result.text.split(separator: "\n")
    #expect(lines.first == "realm-cli 0.1.0")
    #expect(lines.contains { $0.hasPrefix("commit: ") })
    #expect(lines.last == "file formats: read 2 to 24, written 24")
    #expect(result.stderr == "")
  }

  @Test(
    "help goes to standard output, on request or without a command", arguments: [["--help"], []])
  func help(arguments: [String]) throws {
    let result = try runTool(arguments)
    #expect(result.status == 0)
    #expect(result.text.hasPrefix("OVERVIEW: "))
    #expect(result.text.contains("Exit codes:"))
    #expect(result.stderr == "")
  }

  @Test func wrongUsageHasTwoLinesAnd64() throws {
    let result = try runTool("--bogus")
    #expect(result.status == 64)
    #expect(result.stdout == [])
    #expect(
      result.stderr == "realm-cli: unknown option '--bogus'\n  hint: see `realm-cli --help`\n")
  }

  @Test func wrongUsageIsAnObjectForPrograms() throws {
    let result = try runTool("--bogus", "--json")
    #expect(result.status == 64)
    #expect(
      result.stderr == """
        {"error":{"code":"usage","hint":"see `realm-cli --help`","message":"unknown option \
        '--bogus'"}}

        """)
  }

  @Test(
    "the error for an unknown command names the nearest one and the help",
    arguments: [
      (["expotr"], "'expotr', did you mean 'export'?", "realm-cli"),
      (
        ["expotr", "people.realm", "--format", "json"], "'expotr', did you mean 'export'?",
        "realm-cli"
      ),
      (["help", "expotr"], "'expotr', did you mean 'export'?", "realm-cli"),
      (["delet-files", "x"], "'delet-files', did you mean 'delete-files'?", "realm-cli"),
      (["restore"], "'restore', did you mean 'backup restore'?", "realm-cli"),
      (["people.realm"], "'people.realm'", "realm-cli"),
      (["backup", "creat"], "'backup creat', did you mean 'backup create'?", "realm-cli backup"),
      (
        ["backup", "creat", "-o", "x.tar", "y"],
        "'backup creat', did you mean 'backup create'?", "realm-cli backup"
      ),
      (
        ["backup", "compact", "x"], "'backup compact', did you mean 'compact'?",
        "realm-cli backup"
      ),
      (["schema", "sohw"], "'schema sohw', did you mean 'schema show'?", "realm-cli schema"),
    ] as [([String], String, String)])
  func unknownCommands(arguments: [String], message: String, parent: String) throws {
    let result = try runTool(arguments)
    #expect(result.status == 64)
    #expect(result.stdout == [])
    #expect(
      result.stderr
        == "realm-cli: unknown command \(message)\n  hint: see `\(parent) --help`\n")
  }

  @Test func anUnknownCommandIsAnObjectForPrograms() throws {
    let result = try runTool("backup", "lst", "--json")
    #expect(result.status == 64)
    #expect(
      result.stderr == """
        {"error":{"code":"usage","hint":"see `realm-cli backup --help`","message":"unknown command \
        'backup lst', did you mean 'backup list'?"}}

        """)
  }

  @Test(
    "the parser's other messages have the form of ours",
    arguments: [
      (["export", "--forse", "x"], "unknown option '--forse', did you mean '--force'?", "export"),
      (["export"], "missing expected argument '<realm>'", "export"),
      (["info", "--jobs", "x", "y"], "the value 'x' is invalid for '--jobs <n>'", "info"),
    ] as [([String], String, String)])
  func parserMessages(arguments: [String], message: String, command: String) throws {
    let result = try runTool(arguments)
    #expect(result.status == 64)
    #expect(
      result.stderr == "realm-cli: \(message)\n  hint: see `realm-cli \(command) --help`\n")
  }

  @Test("completions exist for three shells", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let result = try runTool("--generate-completion-script", shell)
    #expect(result.status == 0)
    #expect(result.text.contains("realm-cli"))
  }
}
