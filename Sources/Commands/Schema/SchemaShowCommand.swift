public import ArgumentParser
public import RealmInterchange
import RealmJobs
import RealmStorage

/// `realm-cli schema show`.
struct SchemaShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the classes of a realm and their properties.",
    discussion: """
      text lists each class with its properties and the properties that link to it; json is the \
      notation of Realm JS; swift, kotlin, javascript, typescript, csharp and dart are model classes \
      for the last SDK of that language; mermaid is a class diagram as text, svg as a picture; core-json \
      is the output of the reference implementation, byte for byte. The realm is never changed.

      EXAMPLE: realm-cli schema show people.realm
      EXAMPLE: realm-cli schema show people.realm --format json | jq -r '.[].name'
      EXAMPLE: realm-cli schema show people.realm --format swift -o Models.swift
      EXAMPLE: realm-cli schema show people.realm --format svg -o classes.svg
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(help: "The format: \(SchemaTextFormat.names).")
  var format: SchemaTextFormat?

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  func run() throws {
    try destination.check(source: realm)
    let keys = try keyOptions.keys(output)
    // `--json` selects the format for programs if there is no `--format`.
    let format = format ?? (output.json ? .json : .text)
    let result = try keys.open(realm) { key in
      try SchemaTextJob(
        path: realm, key: key, version: version.version, cacheByteCount: memory.byteCount,
        format: format
      ).run()
    }
    let sink = try destination.open(isPrivate: result.isEncrypted)
    try sink.write(result.text)
    try sink.publish()
  }
}

extension SchemaTextFormat: ExpressibleByArgument {
  /// For the help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
