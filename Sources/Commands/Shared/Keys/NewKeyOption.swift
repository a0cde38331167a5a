internal import ArgumentParser
internal import RealmStorage

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
  ///
  /// - Parameter warn: receives a warning if others can read the key file.
  func key(warn: (String) -> Void) throws -> RealmKey {
    let read = try KeyFile.read(newKeyFile)
    if read.isReadableByOthers {
      warn("\(newKeyFile): other users can read this key file; `chmod 600` prevents that")
    }
    return read.key
  }
}
