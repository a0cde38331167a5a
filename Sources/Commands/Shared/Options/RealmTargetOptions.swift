import ArgumentParser
import RealmJobs
import RealmStorage

/// The version of a realm that a command reads, and the destination of the result.
struct RealmTargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The file or folder for the result; - is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Replace the output if it exists and is not in use.")
  var force = false

  @Flag(help: "Show what would be done, and do nothing.")
  var dryRun = false

  @OptionGroup var source: VersionOptions

  init() {}

  func validate() throws {
    try checkOutputName(output)
  }

  var isStandardOutput: Bool { output == "-" }
}

/// ``RealmTargetOptions`` for commands that can also replace the realm itself.
struct RealmRewriteOptions: ParsableArguments {
  @Flag(help: "Replace the realm with the result; no process may have it open.")
  var inPlace = false

  @Flag(help: "With --in-place: keep the original beside it as <name>.before-<command>.realm.")
  var backup = false

  @OptionGroup var target: RealmTargetOptions

  init() {}

  func validate() throws {
    guard inPlace != (target.output != nil) else {
      throw ValidationError("give either --in-place or -o")
    }
    guard inPlace || !backup else { throw ValidationError("--backup needs --in-place") }
    guard !inPlace || !target.force else { throw ValidationError("--force needs -o") }
    guard !inPlace || !target.source.previous else {
      throw ValidationError(
        "--previous needs -o: in place, the newest commit would be lost")
    }
  }
}

extension RealmRewriteOptions {
  /// The destination of the result for the realm at `path`.
  ///
  /// - Throws: `ValidationError`, same as ``RealmTargetOptions/destination(for:)``.
  func destination(for path: String) throws -> RealmDestination {
    inPlace ? .inPlace(backup: backup) : try target.destination(for: path)
  }

  /// The destinations of the results for the realms at `paths`.
  ///
  /// - Throws: `ValidationError`, same as ``RealmTargetOptions/destinations(for:)``.
  func destinations(for paths: [String]) throws -> [RealmDestination] {
    inPlace ? paths.map { _ in .inPlace(backup: backup) } : try target.destinations(for: paths)
  }
}

extension RealmTargetOptions {
  /// The destination of the result for the realm at `path`.
  ///
  /// - Throws: `ValidationError` if there is no output, or if it is the source realm.
  func destination(for path: String) throws -> RealmDestination {
    let output = try namedOutput
    guard isStandardOutput else {
      return .file(try target(for: path, in: output), replacing: force)
    }
    guard dryRun || !StandardStream.output.isTerminal else {
      throw ValidationError("a realm cannot go to a terminal; name a file with -o")
    }
    return .stream(StandardStream.output)
  }

  /// The destinations of the results for the realms at `paths`; several paths need a folder.
  ///
  /// - Throws: `ValidationError`, same as ``destination(for:)``, and if two results would be the
  ///   same file.
  func destinations(for paths: [String]) throws -> [RealmDestination] {
    guard paths.count != 1 else { return [try destination(for: paths[0])] }
    let output = try namedOutput
    guard !isStandardOutput else {
      throw ValidationError("several realms cannot go to standard output; name a folder with -o")
    }
    guard OutputFile.isFolder(output) else {
      throw ValidationError(
        "several realms need a folder for their results, and \(output) is not a folder")
    }
    var sources: [ExactText: String] = [:]
    return try paths.map { path in
      let target = try target(for: path, in: output)
      if let other = sources.updateValue(path, forKey: ExactText(target)) {
        throw ValidationError("the results of \(other) and \(path) would both be \(target)")
      }
      return .file(target, replacing: force)
    }
  }

  private var namedOutput: String {
    get throws {
      guard let output else { throw ValidationError("give -o for the result") }
      return output
    }
  }

  private func target(for path: String, in output: String) throws -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let target = OutputFile.isFolder(output) ? "\(output)/\(name)" : output
    guard !OutputFile.isSameFile(path, target) else {
      throw ValidationError("the output is also the realm to read: \(target)")
    }
    return target
  }
}
