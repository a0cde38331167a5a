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
      for the last SDK of that language; grdb, room, drift and sqlalchemy are the classes of these \
      libraries for the tables of `realm-cli export --format sqlite`, and sql the tables, with the same \
      --dates, --ids and --for; swiftdata is models and an importer of `export --format ndjson`; mermaid is a class diagram as text, svg as a picture; core-json \
      is the output of the reference implementation, byte for byte. The realm is never changed.

      EXAMPLE: realm-cli schema show people.realm
      EXAMPLE: realm-cli schema show people.realm --format json | jq -r '.[].name'
      EXAMPLE: realm-cli schema show people.realm --format swift -o Models.swift
      EXAMPLE: realm-cli schema show people.realm --format grdb --dates unix-ms -o Records.swift
      EXAMPLE: realm-cli schema show people.realm --format svg -o classes.svg
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var tables: TableArguments

  @Option(help: "The format: \(SchemaTextFormat.names).")
  var format: SchemaTextFormat?

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    guard let format, format.hasTables else {
      guard tables.areGiven else { return }
      throw ValidationError(
        "--dates, --ids and --for are for --format grdb, room, drift, sqlalchemy and sql")
    }
    guard format.reader(tables.reader) != nil else {
      throw ValidationError("--format \(format.rawValue) is for other tables than --for names")
    }
  }

  func run() throws {
    try destination.check(source: realm)
    let keys = try keyOptions.keys(output)
    // `--json` selects the format for programs if there is no `--format`.
    let format = format ?? (output.json ? .json : .text)
    let result = try keys.open(realm) { key in
      try SchemaTextJob(
        path: realm, key: key, version: version.version, cacheByteCount: memory.byteCount,
        format: format, tables: tableOptions(format)
      ).run()
    }
    let sink = try destination.open(isPrivate: result.isEncrypted)
    try sink.write(result.text)
    try sink.publish()
  }

  private func tableOptions(_ format: SchemaTextFormat) -> TableOptions {
    var options = tables.options
    options.reader = format.reader(tables.reader) ?? options.reader
    return options
  }
}

extension SchemaTextFormat: ExpressibleByArgument {
  /// For the help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
