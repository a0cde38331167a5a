package import ArgumentParser
package import RealmMaintenance
package import RealmStorage

/// The destination of a result: standard output, or a file that appears whole or not at all.
package struct DestinationOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file for the result; - is standard output.", valueName: "file"),
    completion: .file())
  package var destination: String = "-"

  @Flag(help: "Replace the output if it exists.")
  package var force = false

  package init() {}

  package var isStandardOutput: Bool { destination == "-" }

  /// - Throws: `ValidationError` if the output is the realm at `source`, which the command reads.
  package func check(source: String) throws {
    guard isStandardOutput || !OutputFile.isSameFile(source, destination) else {
      throw ValidationError("the output is also the realm to read: \(destination)")
    }
  }

  /// A folder for files of a class each.
  ///
  /// - Parameter isPrivate: whether the files must be readable by their owner only.
  package func folder(isPrivate: Bool) -> ExportFolder {
    ExportFolder(path: destination, replacing: force, isPrivate: isPrivate)
  }

  /// Opens the output.
  ///
  /// - Parameter isPrivate: whether only the owner may read the result, for example text from an
  ///   encrypted realm.
  /// - Throws: `inUse`, `outputExists`, `cannotCreate`.
  package func open(isPrivate: Bool) throws(RealmFileError) -> any OutputSink {
    isStandardOutput ? StandardStream.output : try file(isPrivate: isPrivate)
  }

  /// Opens the output, which must not be standard output.
  ///
  /// - Parameter isPrivate: see ``open(isPrivate:)``.
  /// - Throws: `inUse`, `outputExists`, `cannotCreate`.
  package func file(isPrivate: Bool) throws(RealmFileError) -> OutputFile {
    // The existing file may be a realm.
    try RealmUse.checkIsFree(destination)
    return try OutputFile(path: destination, replacing: force, isPrivate: isPrivate)
  }
}
