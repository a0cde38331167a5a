package import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// Which version of a realm a command makes another one of, and where that goes.
package struct RealmTargetOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Where the result goes: a file, a folder, or - for standard output.", valueName: "file"),
    completion: .file())
  package var output: String?

  @Flag(help: "Replace the output if it exists and is not in use.")
  package var force = false

  @Flag(help: "Tell what would be done, and do nothing.")
  package var dryRun = false

  @OptionGroup var source: VersionOptions

  package init() {}
}

/// ``RealmTargetOptions`` for commands that can also replace the realm itself.
package struct RealmRewriteOptions: ParsableArguments {
  @Flag(help: "Replace the realm by the result; no process may have it open.")
  package var inPlace = false

  @Flag(help: "With --in-place: keep the original beside it as <name>.before-<command>.realm.")
  package var backup = false

  @OptionGroup package var target: RealmTargetOptions

  package init() {}

  package func validate() throws {
    guard inPlace != (target.output != nil) else {
      throw ValidationError("give either --in-place or -o, for where the result goes")
    }
    guard inPlace || !backup else { throw ValidationError("--backup goes with --in-place") }
    guard !inPlace || !target.force else { throw ValidationError("--force goes with -o") }
    guard !inPlace || !target.source.previous else {
      throw ValidationError(
        "--previous goes with -o: in place, the newest commit would be lost")
    }
  }
}

extension RealmRewriteOptions {
  /// Where the result for the one realm at `path` goes.
  ///
  /// - Throws: `ValidationError` as ``RealmTargetOptions/destination(for:)``.
  func destination(for path: String) throws -> RealmDestination {
    inPlace ? .inPlace(backup: backup) : try target.destination(for: path)
  }

  /// Each of `paths`, and where its result goes.
  ///
  /// - Throws: `ValidationError` as ``RealmTargetOptions/destinations(for:)``.
  func destinations(
    for paths: [String]
  ) throws -> [(path: String, destination: RealmDestination)] {
    inPlace
      ? paths.map { ($0, .inPlace(backup: backup)) } : try target.destinations(for: paths)
  }
}

extension RealmTargetOptions {
  /// Where the result for the one realm at `path` goes.
  ///
  /// - Throws: `ValidationError` where there is no output, and where it is the realm that is read.
  func destination(for path: String) throws -> RealmDestination {
    let output = try namedOutput
    guard output == "-" else {
      return .file(try target(for: path, in: output), replacing: force)
    }
    guard dryRun || !StandardStream.output.isTerminal else {
      throw ValidationError("a realm is no text for a terminal; -o names a file")
    }
    return .stream(StandardStream.output)
  }

  /// Each of `paths`, and where its result goes: several need a folder.
  ///
  /// - Throws: `ValidationError` as ``destination(for:)``, and where two results would be one file.
  func destinations(
    for paths: [String]
  ) throws -> [(path: String, destination: RealmDestination)] {
    guard paths.count != 1 else { return [(paths[0], try destination(for: paths[0]))] }
    let output = try namedOutput
    guard output != "-" else {
      throw ValidationError("several realms do not go to standard output; -o names a folder")
    }
    guard OutputFile.isFolder(output) else {
      throw ValidationError("several realms need a folder to go to: \(output) is none")
    }
    var sources: [ExactText: String] = [:]
    return try paths.map { path in
      let target = try target(for: path, in: output)
      if let other = sources.updateValue(path, forKey: ExactText(target)) {
        throw ValidationError("\(other) and \(path) would both become \(target)")
      }
      return (path, .file(target, replacing: force))
    }
  }

  private var namedOutput: String {
    get throws {
      guard let output else { throw ValidationError("-o says where the result goes") }
      return output
    }
  }

  private func target(for path: String, in output: String) throws -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let target = OutputFile.isFolder(output) ? "\(output)/\(name)" : output
    guard !OutputFile.isSameFile(path, target) else {
      throw ValidationError("the output is the realm that is read: \(target)")
    }
    return target
  }
}
