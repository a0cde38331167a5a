package import ArgumentParser
import RealmStorage

/// Where the key of an encrypted realm comes from. A key is never an argument: other users of the
/// machine can see arguments.
package struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.",
      discussion: "The environment variable REALM_CLI_KEY_FILE does the same.",
      valueName: "file"),
    completion: .file())
  package var keyFile: String?

  @Option(
    help: ArgumentHelp(
      "Shell command that prints the key; REALM_CLI_PATH is the path of the realm.",
      discussion: "The environment variable REALM_CLI_KEY_COMMAND does the same.",
      valueName: "command"))
  package var keyCommand: String?

  package init() {}

  package func validate() throws {
    guard keyFile == nil || keyCommand == nil else {
      throw ValidationError("--key-file and --key-command both give a key; use only one")
    }
  }

  /// The keys for the realms of this command line.
  ///
  /// - Parameters:
  ///   - count: number of realms that the user named or that were found in folders.
  ///   - warn: receives a warning if others can read the key file.
  /// - Throws: `ValidationError` if the environment names two sources.
  package func keys(
    forRealms count: Int, environment: Environment = .process,
    warn: @escaping @Sendable (String) -> Void
  ) throws -> RealmKeys {
    let source: RealmKeys.Source
    if let keyFile {
      source = .file(keyFile)
    } else if let keyCommand {
      source = .command(keyCommand)
    } else {
      switch (environment["REALM_CLI_KEY_FILE"], environment["REALM_CLI_KEY_COMMAND"]) {
      case (let file?, nil): source = .file(file)
      case (nil, let command?): source = .command(command)
      case (nil, nil): source = .none
      case (.some, .some):
        throw ValidationError(
          "REALM_CLI_KEY_FILE and REALM_CLI_KEY_COMMAND both give a key; unset one of them")
      }
      return RealmKeys(source: source, rule: .whereNeeded, warn: warn)
    }
    // A command is asked only for encrypted realms: it may know no key for another one.
    let rule: RealmKeys.Rule =
      keyFile == nil ? .whereNeeded : count == 1 ? .mustFit : .whereFitting
    return RealmKeys(source: source, rule: rule, warn: warn)
  }

  /// The keys for the realms of this command line; warnings go to `output`.
  ///
  /// - Throws: `ValidationError` if the environment names two sources.
  func keys(forRealms count: Int = 1, _ output: OutputOptions) throws -> RealmKeys {
    try keys(forRealms: count) { output.warn($0) }
  }
}

/// The key of the result.
struct NewKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "File with the key of the result; `realm-cli keygen` makes one.",
      valueName: "file"),
    completion: .file())
  var newKeyFile: String

  init() {}

  /// Reads the key.
  func key(_ output: OutputOptions) throws -> RealmKey {
    try NewKeyOption.key(in: newKeyFile) { output.warn($0) }
  }

  /// Reads the key in `file`.
  ///
  /// - Parameter warn: receives a warning if others can read the key file.
  static func key(in file: String, warn: (String) -> Void) throws(KeyError) -> RealmKey {
    let read = try KeyFile.read(file)
    if read.isReadableByOthers {
      warn("\(file): other users can read this key file; `chmod 600` prevents that")
    }
    return read.key
  }
}
