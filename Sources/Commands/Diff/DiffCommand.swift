import ArgumentParser
import RealmCompare
import RealmJobs
import RealmModel
import RealmStorage

/// `realm-cli diff`.
struct DiffCommand: ParsableCommand {
  /// The form of the result.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, ndjson, patch
  }

  /// How objects of classes without primary keys are matched.
  enum Matching: String, ExpressibleByArgument, CaseIterable {
    case key, content
  }

  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what differs between two realms.",
    discussion: """
      Compares the schemas and all values of two realms of any format, plain or encrypted. A text that `export` wrote \
      in Realm JSON can stand in place of a realm. With --previous and one realm, shows what its last commit changed. \
      Objects are matched by primary key, in classes without one by object key; --match content matches equal objects \
      there instead. ndjson prints an object for each change; patch prints what `apply` takes. Changes nothing. \
      docs/diff.md describes the output.

      EXAMPLE: realm-cli diff before.realm after.realm
      EXAMPLE: realm-cli diff --previous people.realm --summary
      EXAMPLE: realm-cli diff a.realm b.realm --format ndjson | jq 'select(.change == "removed").id'
      EXAMPLE: realm-cli diff a.realm b.realm --format patch -o changes.patch

      Exit codes: 0 the realms are equal, 1 they differ.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(
    name: .customLong("key-file-b"),
    help: ArgumentHelp("File with the key of the second realm, if it differs.", valueName: "file"),
    completion: .file())
  var secondKeyFile: String?

  @Flag(help: "Compare the last two commits of one realm.")
  var previous = false

  @Option(
    name: .customLong("class"), parsing: .singleValue,
    help: ArgumentHelp(
      "Compare only this class; can be given several times.", valueName: "name"))
  var classes: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Do not compare this property; can be given several times.", valueName: "class.property"))
  var ignore: [String] = []

  @Option(help: "How to match objects of classes without a primary key: key or content.")
  var match: Matching = .key

  @Option(help: "The format: text, ndjson or patch.")
  var format: Format = .text

  @Flag(help: "Print only the numbers of each class.")
  var summary = false

  @Option(
    help: ArgumentHelp(
      "Maximum number of objects of a class to list in text; the others are counted.",
      valueName: "n"))
  var max = 100

  @Argument(
    help: "The realm or text before the changes.",
    completion: .file(extensions: ["realm", "json", "ndjson"]))
  var before: String

  @Argument(
    help: "The realm or text after the changes.",
    completion: .file(extensions: ["realm", "json", "ndjson"]))
  var after: String?

  func validate() throws {
    guard previous == (after == nil) else {
      throw ValidationError(
        previous ? "--previous takes one realm" : "give two realms, or one with --previous")
    }
    guard max >= 0 else {
      throw ValidationError("--max takes a number of at least 0, not \(max)")
    }
    guard !summary || format == .text else {
      throw ValidationError("--summary needs --format text")
    }
    guard format == .text || !output.json else {
      throw ValidationError("--format \(format.rawValue) is JSON; leave out --json")
    }
    guard format != .patch || match == .key else {
      throw ValidationError("--format patch names objects by their keys; leave out --match content")
    }
    guard !previous || secondKeyFile == nil else {
      throw ValidationError("--key-file-b needs two realms")
    }
  }

  func run() throws {
    for path in [before, after].compactMap(\.self) { try destination.check(source: path) }
    let report = try output.withProgress(
      "comparing", resultIsOnStandardOutput: destination.isStandardOutput
    ) { bar in
      try run { bar.update($0, of: $1) }
    }
    if !report.isEqual { throw ExitStatus.negative }
  }

  private func run(
    progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> RealmDiff.Report {
    var request = DiffJob.Request(
      after.map { .two(from: before, to: $0) } ?? .previous(before))
    request.memoryByteCount = memory.byteCount
    request.ignored = ignore
    request.diff.classes = classes.isEmpty ? nil : Set(classes)
    request.diff.matchesContent = match == .content
    request.diff.jobs = jobs.count
    if format == .text {
      request.diff.changeLimit = summary || output.json ? 0 : max
      request.diff.includesObjects = false
    }
    let keys = try keyOptions.keys(forRealms: 2, output)
    let second = secondKeyFile.map { file in
      RealmKeys(source: .file(file), rule: .mustFit) { [output] in output.warn($0) }
    }
    let changes = ReceivedChanges()
    let report = try DiffJob(request).run(keys: (keys, second ?? keys)) { diff, isEncrypted in
      // Dropping an earlier output removes its file.
      changes.sink = nil
      changes.sink = try destination.open(isPrivate: isEncrypted)
      let width = destination.isStandardOutput ? StandardStream.output.terminalWidth : nil
      try changes.begin(
        diff, format,
        DiffText(diff, width: width, palette: output.palette(for: .output)))
    } canStartOver: {
      format == .text || !destination.isStandardOutput
    } progress: {
      progress($0, $1)
    } _: { (diff, event) throws(RealmFileError) in
      try changes.receive(diff, event)
    }
    if output.json {
      try changes.sink?.write(JSONText.line(report.json(before, after)))
    } else {
      try changes.finish(report)
    }
    try changes.sink?.publish()
    return report
  }
}

/// Passes events on to the output. Called by one thread at a time.
private final class ReceivedChanges {
  private var lines: ChangeLines?
  private var patch: PatchLines?
  private var text: DiffText?
  /// The output of the current run.
  var sink: (any OutputSink)?

  func begin(_ diff: RealmDiff, _ format: DiffCommand.Format, _ text: DiffText) throws {
    guard let sink else { return }
    switch format {
    case .text: self.text = text
    case .ndjson: lines = try ChangeLines(to: sink, of: diff)
    case .patch: patch = try PatchLines(to: sink, of: diff)
    }
  }

  func receive(_ diff: RealmDiff, _ event: RealmDiff.Event) throws(RealmFileError) {
    text?.add(event)
    try lines?.write(event, of: diff)
    try patch?.write(event, of: diff)
  }

  func finish(_ report: RealmDiff.Report) throws {
    if let text { try sink?.write(text.end(report)) }
    try lines?.finish()
    try patch?.finish()
  }
}
