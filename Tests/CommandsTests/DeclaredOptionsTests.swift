import Testing

@testable import ArgumentParser
@testable import Commands

@Suite("Declarations of options")
struct DeclaredOptionsTests {
  private static func withSubcommands(
    _ command: any ParsableCommand.Type
  ) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap(withSubcommands)
  }

  /// A debug build of the parser makes this check at every start, which takes most of the time of a short command. Tests
  /// run another build.
  @Test("the parser finds no mistake in any command, such as a name that two options have")
  func commands() throws {
    let commands = Self.withSubcommands(RealmCLI.self)
    #expect(commands.count > 30)
    for command in commands { try command._validate(parent: nil) }
  }

  private struct TwoOptionsOfOneName: ParsableCommand {
    @Option(name: .customLong("key")) var first: String?
    @Option(name: .customLong("key")) var second: String?
  }

  @Test("it finds two options of one name")
  func mistake() {
    #expect(throws: ParsableArgumentsValidationError.self) {
      try TwoOptionsOfOneName._validate(parent: nil)
    }
  }
}
