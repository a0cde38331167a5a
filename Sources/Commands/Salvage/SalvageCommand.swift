public import ArgumentParser
import RealmJobs
public import RealmSalvage
import RealmStorage

/// `realm-cli salvage`.
struct SalvageCommand: ParsableCommand {
  /// The format of the result.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case realm, ndjson
  }

  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Recover everything readable from a damaged realm into a new one.",
    discussion: """
      Stop the app and copy the file before anything else. The damaged realm is never changed. The \
      newest version is read wherever its root is, even if the header is lost. What cannot be read, or \
      contradicts itself, is left out and reported: a lost value becomes null, or the default of a \
      required property; a link to a lost object becomes null. Objects that lost their primary key go \
      into a class LostAndFound_<class> without one. All values come from one version, unless \
      --fill-from-previous or --include-freed is given. The result is a local realm of the same file \
      format, or of 24 if the realm has format 2 to 11 or 21; --file-format names another. Realms of \
      formats 2 to 9 have no older values to fill from. docs/salvage.md says what to \
      do first.

      EXAMPLE: realm-cli salvage --list-roots damaged.realm
      EXAMPLE: realm-cli salvage damaged.realm -o saved.realm --report losses.json
      EXAMPLE: realm-cli salvage damaged.realm --root previous -o saved.realm
      EXAMPLE: realm-cli salvage damaged.realm --fill-from-previous -o saved.realm

      Exit codes: 0 nothing was lost, 1 recovered with losses, 65 nothing to recover, 69 the file format \
      is not supported, 75 the realm or the output is in use, 77 wrong key.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var fileFormat: FileFormatOption
  @OptionGroup var output: OutputOptions

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The file for the result; - is standard output, for ndjson.", valueName: "file"),
    completion: .file())
  var destination: String?

  @Flag(help: "Replace the output if it exists and is not in use.")
  var force = false

  @Option(help: "The format: realm, or ndjson for Realm JSON with one object per line.")
  var format: Format = .realm

  @Option(
    help: ArgumentHelp("Write all losses to this file, as JSON.", valueName: "file"),
    completion: .file())
  var report: String?

  @Flag(help: "List the versions whose roots can be found, and write nothing.")
  var listRoots = false

  @Option(
    help: ArgumentHelp(
      "The version to read: newest, previous, or the offset of its root.", valueName: "root"))
  var root: SalvageRequest.Version = .newest

  @Flag(help: "Take lost values and objects from the newest older version that has them.")
  var fillFromPrevious = false

  @Flag(
    help: """
      Leave out values and objects that can be read although bytes near them are damaged. Without this option, the \
      report lists them as doubtful.
      """)
  var dropDoubtful = false

  @Flag(
    help: "Include deleted objects of older versions, in classes LostAndFound_<class>.")
  var includeFreed = false

  @Argument(help: "The damaged realm.", completion: .file(extensions: ["realm"]))
  var realm: String

  func validate() throws {
    try checkOutputName(destination)
    guard listRoots != (destination != nil) else {
      throw ValidationError("give either -o for the result or --list-roots")
    }
    guard !listRoots || report == nil else {
      throw ValidationError("--list-roots finds no losses, so it takes no --report")
    }
    guard fileFormat.fileFormat == nil || !listRoots && format == .realm else {
      throw ValidationError("--file-format is for a realm, written with -o")
    }
    guard !listRoots || !fillFromPrevious && !includeFreed && !dropDoubtful else {
      throw ValidationError("--list-roots only lists versions; it takes no values from them")
    }
    guard let destination else { return }
    guard destination != "-" || format == .ndjson else {
      throw ValidationError("a realm cannot go to standard output here; name a file with -o")
    }
    for target in [destination, report ?? "-"] where target != "-" {
      guard !OutputFile.isSameFile(realm, target) else {
        throw ValidationError("the output is also the realm to read: \(target)")
      }
    }
    guard let report else { return }
    guard report != "-" else {
      throw ValidationError(
        "name a file with --report; --json prints the report to standard output")
    }
    guard destination == "-" || !OutputFile.isSameTarget(destination, report) else {
      throw ValidationError("the report and the result would both be \(destination)")
    }
  }

  func run() throws {
    do {
      try salvage()
    } catch {
      switch error.fileKind {
      case .truncated, .damagedHeader, .damaged, .damagedPage:
        // The usual hint about damage names this command.
        var report = ErrorReport(error)
        report.hint = "look for a backup, or a copy on another device"
        throw report
      case .halfUpgraded:
        // The usual hint names this command, too.
        var report = ErrorReport(error)
        report.hint =
          "use the copy from before the upgrade, or finish the upgrade with the SDK that began it"
        throw report
      default: throw error
      }
    }
  }

  private func salvage() throws {
    let keys = try keyOptions.keys(output)
    if listRoots {
      let report = try keys.open(realm) { key in
        try SalvageJob(request(key)).listRoots()
      }
      return try output.write(report.json(losses: .none)) { palette in
        SalvageText(report, palette).roots(isNewest: root == .newest)
      }
    }
    let path = destination ?? "-"
    let isOnStandardOutput = path == "-"
    let (report, reportFile) = try keys.run(
      "salvaging", on: realm, output, resultIsOnStandardOutput: isOnStandardOutput
    ) { (key, progress) throws -> (SalvageReport, OutputFile?) in
      // The file for the report is opened before any work: without a report, nobody learns what the result lacks.
      let isPrivate = key != nil || OutputFile.isPrivate(realm)
      let file = try openReport(isPrivate: isPrivate)
      let report = try SalvageJob(request(key), formats: fileFormat.choice).run(
        to: target(path, isPrivate: isPrivate), progress: progress)
      return (report, file)
    }
    if let reportFile {
      try reportFile.write(try JSONText.line(report.json(losses: .all)))
      try reportFile.publish()
    }
    try output.write(
      report.json(losses: .first), resultIsOnStandardOutput: isOnStandardOutput
    ) { palette in
      SalvageText(report, palette).text
    }
    if isOnStandardOutput, !output.json, !output.verbose, !report.isComplete {
      output.warn(SalvageText(report, Palette(isOn: false)).verdict)
    }
    if !report.isComplete { throw ExitStatus.negative }
  }

  private func request(_ key: RealmKey?) -> SalvageRequest {
    var request = SalvageRequest(path: realm)
    (request.key, request.version) = (key, root)
    (request.fillsFromPrevious, request.includesFreed) = (fillFromPrevious, includeFreed)
    request.dropsDoubtful = dropDoubtful
    (request.jobs, request.cacheByteCount) = (jobs.count, memory.byteCount)
    return request
  }

  /// Opens the file for all losses, which contain object keys and names from the realm; nil if none was requested.
  private func openReport(isPrivate: Bool) throws(RealmFileError) -> OutputFile? {
    guard let report else { return nil }
    return try OutputFile(path: report, replacing: force, isPrivate: isPrivate)
  }

  private func target(_ path: String, isPrivate: Bool) -> SalvageJob.Destination {
    guard format == .ndjson else { return .realm(path, replacing: force) }
    let replacing = force
    return .lines { () throws(RealmFileError) in
      guard path != "-" else { return StandardStream.output }
      return try OutputFile(path: path, replacing: replacing, isPrivate: isPrivate)
    }
  }
}

extension SalvageRequest.Version: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument {
    case "newest": self = .newest
    case "previous": self = .previous
    default:
      guard let offset = Int(argument), offset >= 0 else { return nil }
      self = .offset(offset)
    }
  }

  public var defaultValueDescription: String { "newest" }
}
