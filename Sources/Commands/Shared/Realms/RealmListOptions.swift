public import ArgumentParser
public import RealmStorage

/// The realms of a command that takes many.
struct RealmListOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "File with more realms and folders, one path a line or separated by NUL; - is standard input.",
      valueName: "list"),
    completion: .file())
  var filesFrom: String?

  @Option(
    help: ArgumentHelp(
      "Take only share I of N of the realms, such as 3/8; a path is always in the same share.",
      valueName: "i/n"))
  var shard: RealmShare?

  @Argument(help: "Realms, or folders with realms.", completion: .file(extensions: ["realm"]))
  var realms: [String] = []

  init() {}

  /// Whether the user named one file, and nothing else.
  var isOneFile: Bool {
    filesFrom == nil && shard == nil && realms.count == 1 && !OutputFile.isFolder(realms[0])
  }

  /// The paths in the list; none without `--files-from`.
  ///
  /// - Throws: `ValidationError` if the key is to be read from the same standard input;
  ///   the errors of ``PathList/read(_:)``.
  func listed(_ keyOptions: KeyOptions) throws -> [String] {
    guard let filesFrom else { return [] }
    guard filesFrom != InputFile.standardInput || keyOptions.keyFile != filesFrom else {
      throw ValidationError("standard input cannot be both the list of realms and the key")
    }
    return try PathList.read(filesFrom)
  }
}

extension RealmShare: ExpressibleByArgument {
  /// `3/8`.
  public init?(argument: String) {
    let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1] else { return nil }
    self.init(number, of: count)
  }
}

/// The realms that need no further work.
struct SkipDoneOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Skip realms that succeeded in this --json report of an earlier run and have not changed since.",
      valueName: "report"),
    completion: .file())
  var skipDone: String?

  init() {}
}
