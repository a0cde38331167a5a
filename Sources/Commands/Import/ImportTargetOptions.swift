public import ArgumentParser
public import RealmMaintenance

/// The realm that the objects of a text go to.
struct ImportTargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where the new realm goes.", valueName: "file"),
    completion: .file(extensions: ["realm"]))
  var destination: String?

  @Option(
    help: ArgumentHelp(
      "The realm that the objects are added to; no process may have it open.", valueName: "realm"),
    completion: .file(extensions: ["realm"]))
  var into: String?

  @Option(
    help: ArgumentHelp(
      """
      With --into: what an object becomes that the realm has already. insert: an error; upsert: its \
      properties replace those of the other; replace: it replaces the other as a whole.
      """, valueName: "mode"))
  var mode: ImportJob.Mode?

  @Flag(help: "With --into: keep the original beside it as <name>.before-import.realm.")
  var backup = false

  @Flag(help: "Replace the output if it exists and is not in use.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "File with the key of the new realm, which is then encrypted; `realm-cli keygen` makes one.",
      valueName: "file"),
    completion: .file())
  var newKeyFile: String?

  func validate() throws {
    guard destination == nil || into == nil else {
      throw ValidationError("-o makes a new realm, and --into changes one; give one of them")
    }
    guard destination != "-", into != "-" else {
      throw ValidationError("a realm is made in a file; name one with -o")
    }
    guard into != nil || mode == nil && !backup else {
      throw ValidationError("--mode and --backup need --into")
    }
    guard into == nil || !force else { throw ValidationError("--force needs -o") }
    guard into == nil || newKeyFile == nil else {
      throw ValidationError("--new-key-file needs -o: with --into, the realm keeps its key")
    }
  }
}

extension ImportJob.Mode: ExpressibleByArgument {}
