public import ArgumentParser
public import RealmJobs

/// The realm that gets the imported objects.
struct ImportTargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file for the new realm.", valueName: "file"),
    completion: .file(extensions: ["realm"]))
  var destination: String?

  @Option(
    help: ArgumentHelp(
      "The existing realm to import into; no process may have it open.", valueName: "realm"),
    completion: .file(extensions: ["realm"]))
  var into: String?

  @Option(
    help: ArgumentHelp(
      """
      With --into: what happens to an object that the realm already has. insert: an error; upsert: \
      the imported properties are changed; replace: the whole object is replaced.
      """, valueName: "mode"))
  var mode: ImportJob.Mode?

  @Flag(help: "With --into: keep the original beside it as <name>.before-import.realm.")
  var backup = false

  @Flag(
    help: "With --into: allow an upgrade of a realm of format 2 to 11 or 21 to format 24.")
  var upgrade = false

  @Option(
    help: ArgumentHelp(
      "The file format of the new realm: 20, 22, 23 or 24 (default).", valueName: "n"))
  var fileFormat: Int?

  @Flag(help: "Replace the output if it exists and is not in use.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "File with the key of the new realm, which is then encrypted; `realm-cli keygen` makes one.",
      valueName: "file"),
    completion: .file())
  var newKeyFile: String?

  func validate() throws {
    try checkOutputName(destination)
    guard destination == nil || into == nil else {
      throw ValidationError("-o creates a realm, and --into changes one; give only one of them")
    }
    guard destination != "-", into != "-" else {
      throw ValidationError("a realm needs a file; name one with -o")
    }
    guard into != nil || mode == nil && !backup else {
      throw ValidationError("--mode and --backup need --into")
    }
    guard into != nil || !upgrade else { throw ValidationError("--upgrade needs --into") }
    guard into == nil || fileFormat == nil else {
      throw ValidationError("--file-format needs -o: with --into, the realm keeps its format")
    }
    guard into == nil || !force else { throw ValidationError("--force needs -o") }
    guard into == nil || newKeyFile == nil else {
      throw ValidationError("--new-key-file needs -o: with --into, the realm keeps its key")
    }
  }
}

extension ImportJob.Mode: ExpressibleByArgument {}
