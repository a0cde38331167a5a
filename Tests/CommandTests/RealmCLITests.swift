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

  @Test(
    "help goes to standard output, asked for or without a command", arguments: [["--help"], []])
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
      result.stderr == "realm-cli: Unknown option '--bogus'\n  hint: see `realm-cli --help`\n")
  }

  @Test func wrongUsageIsAnObjectForPrograms() throws {
    let result = try runTool("--bogus", "--json")
    #expect(result.status == 64)
    #expect(
      result.stderr == """
        {"error":{"code":"usage","hint":"see `realm-cli --help`","message":"Unknown option \
        '--bogus'"}}

        """)
  }

  @Test("completions exist for three shells", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let result = try runTool("--generate-completion-script", shell)
    #expect(result.status == 0)
    #expect(result.text.contains("realm-cli"))
  }
}
