internal import ArgumentParser

/// `realm-cli schema`: commands about classes and properties.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show the classes and properties of a realm.",
    subcommands: [SchemaShowCommand.self])
}
