package import ArgumentParser
internal import RealmMaintenance
internal import RealmStorage

/// Where the realm goes that a command makes of another one.
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
  }
}

extension RealmRewriteOptions {
  /// Where the result for each of `paths` goes.
  ///
  /// - Throws: `ValidationError` as ``RealmTargetOptions/destinations(for:)``.
  func destinations(for paths: [String]) throws -> [String: RealmDestination] {
    guard inPlace else { return try target.destinations(for: paths) }
    return Dictionary(
      paths.map { ($0, RealmDestination.inPlace(backup: backup)) }, uniquingKeysWith: { $1 })
  }
}

extension RealmTargetOptions {
  /// Where the result for each of `paths` goes: several need a folder.
  ///
  /// - Throws: `ValidationError` where there is no output, where it is the realm that is read, or the
  ///   same for two of them.
  func destinations(for paths: [String]) throws -> [String: RealmDestination] {
    guard let output else { throw ValidationError("-o says where the result goes") }
    if output == "-" {
      guard paths.count == 1 else {
        throw ValidationError("several realms do not go to standard output; -o names a folder")
      }
      guard dryRun || !StandardStream.output.isTerminal else {
        throw ValidationError("a realm is no text for a terminal; -o names a file")
      }
      return [paths[0]: .stream(StandardStream.output)]
    }
    let isFolder = OutputFile.isFolder(output)
    guard isFolder || paths.count == 1 else {
      throw ValidationError("several realms need a folder to go to: \(output) is none")
    }
    var sources: [String: String] = [:]
    var destinations: [String: RealmDestination] = [:]
    for path in paths {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let target = isFolder ? "\(output)/\(name)" : output
      guard !OutputFile.isSameFile(path, target) else {
        throw ValidationError("the output is the realm that is read: \(target)")
      }
      if let other = sources.updateValue(path, forKey: target) {
        throw ValidationError("\(other) and \(path) would both become \(target)")
      }
      destinations[path] = .file(target, replacing: force)
    }
    return destinations
  }

  /// Where the result for the one realm at `path` goes.
  func destination(for path: String) throws -> RealmDestination {
    guard let destination = try destinations(for: [path])[path] else {
      preconditionFailure("each path has a destination")
    }
    return destination
  }
}
