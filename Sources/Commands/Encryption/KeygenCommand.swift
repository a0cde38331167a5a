import ArgumentParser
import RealmStorage

/// `realm-cli keygen`.
struct KeygenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Make a key for an encrypted realm.",
    discussion: """
      A key is 64 random bytes. Only the owner can read the new file. On a terminal, the key is printed \
      as 128 hexadecimal digits, which every command accepts too.

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

  func validate() throws { try checkOutputName(destination) }

  func run() throws {
    let key = try RealmKey.random()
    guard destination != "-" else {
      return try key.write(
        to: StandardStream.output, asDigits: StandardStream.output.isTerminal)
    }
    let file = try OutputFile(path: destination, replacing: force, isPrivate: true)
    try key.write(to: file)
    try file.publish()
    // Keys are never in a report.
    try output.write(
      ["output": destination] as JSONObject, resultIsOnStandardOutput: false
    ) { _ in
      "key written to \(destination)\n"
    }
  }
}
