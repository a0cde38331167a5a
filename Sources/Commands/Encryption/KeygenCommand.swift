internal import ArgumentParser
internal import RealmStorage

/// `realm-cli keygen`.
struct KeygenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Make a key for an encrypted realm.",
    discussion: """
      A key is 64 random bytes. Only the owner can read the new file. A terminal shows 128 \
      hexadecimal digits, which every command accepts as a key too.

      EXAMPLE: realm-cli keygen -o people.key
      EXAMPLE: realm-cli keygen | base64

      Exit codes: 73 the output exists.
      """)

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file for the key; - is standard output.", valueName: "file"),
    completion: .file())
  var destination = "-"

  @Flag(
    help: "Replace the output if it exists; a realm with the old key can then no longer be opened.")
  var force = false

  @OptionGroup var output: OutputOptions

  /// The JSON report. Keys are never in a report.
  private struct Summary: Encodable {
    var output: String
  }

  func run() throws {
    let key = try RealmKey.random()
    guard destination != "-" else {
      return try key.write(
        to: StandardStream.output, asDigits: StandardStream.output.isTerminal)
    }
    let file = try OutputFile(path: destination, replacing: force, isPrivate: true)
    try key.write(to: file)
    try file.publish()
    try output.write(Summary(output: destination), resultIsOnStandardOutput: false) { _ in
      "key written to \(destination)\n"
    }
  }
}
