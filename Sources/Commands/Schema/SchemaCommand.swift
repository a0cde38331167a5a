internal import ArgumentParser

/// `realm-cli schema`: commands about classes and properties.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show and compare the classes and properties of realms.",
    subcommands: [SchemaShowCommand.self, SchemaDiffCommand.self])
}
