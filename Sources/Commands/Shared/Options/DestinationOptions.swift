import ArgumentParser
import RealmJobs
import RealmStorage

/// The destination of a result: standard output, or a file that appears whole or not at all.
struct DestinationOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file for the result; - is standard output.", valueName: "file"),
    completion: .file())
  var destination: String = "-"

  @Flag(help: "Replace the output if it exists.")
  var force = false

  init() {}

  func validate() throws {
    try checkOutputName(destination)
  }

  var isStandardOutput: Bool { destination == "-" }

  /// - Throws: `ValidationError` if the output is the realm at `source`, which the command reads.
  func check(source: String) throws {
    guard isStandardOutput || !OutputFile.isSameFile(source, destination) else {
      throw ValidationError("the output is also the realm to read: \(destination)")
    }
  }

  /// A folder with one file for each class.
  ///
  /// - Parameter isPrivate: whether only the owner may read the files.
  func folder(isPrivate: Bool) -> ExportFolder {
    ExportFolder(path: destination, replacing: force, isPrivate: isPrivate)
  }

  /// Opens the output.
  ///
  /// - Parameter isPrivate: whether only the owner may read the result, for example an export of an
  ///   encrypted realm.
  /// - Throws: `inUse`, `outputIsRead`, `outputExists`, `cannotCreate`.
  func open(isPrivate: Bool) throws(RealmFileError) -> any OutputSink {
    isStandardOutput ? StandardStream.output : try file(isPrivate: isPrivate)
  }

  /// Opens the output, which must not be standard output.
  ///
  /// - Parameter isPrivate: see ``open(isPrivate:)``.
  /// - Throws: `inUse`, `outputIsRead`, `outputExists`, `cannotCreate`.
  func file(isPrivate: Bool) throws(RealmFileError) -> OutputFile {
    try OutputFile(path: destination, replacing: force, isPrivate: isPrivate)
  }
}

/// - Throws: `ValidationError` if the name of an output is given and empty.
func checkOutputName(_ name: String?) throws(ValidationError) {
  guard name?.isEmpty != true else { throw ValidationError("the name of the output is empty") }
}
