import ArgumentParser
import RealmInterchange
import RealmJobs
import RealmQuery
import RealmStorage

/// `realm-cli query`.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Find the objects of a class with the Realm Query Language.",
    discussion: """
      Reads one version of the realm and never changes it. Without a query, all objects are found. A \
      terminal gets a table, a pipe one JSON object per line; docs/query.md describes the language.

      In a shell, put the query into single quotes and the strings in it into double quotes:

      EXAMPLE: realm-cli query people.realm Person 'age > 30 AND name BEGINSWITH "A"'
      EXAMPLE: realm-cli query people.realm Person 'name == $0' --arg "O'Brien"
      EXAMPLE: realm-cli query people.realm Person -c name,dog.name --sort age:desc --limit 10
      EXAMPLE: realm-cli query people.realm Person --group-by address.city --count --avg age

      Exit codes: 1 --exists finds no object, 64 the query is wrong.
      """)

  @OptionGroup var keyOptions: KeyOptions
  @OptionGroup var options: QueryOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var version: VersionOptions
  @OptionGroup var jobs: JobsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var output: OutputOptions

  @Option(
    help:
      "The format: table, json, ndjson, csv, tsv or ids (default: table on a terminal, else ndjson)."
  )
  var format: QueryFormat?

  @Argument(help: "The realm to read.", completion: .file(extensions: ["realm"]))
  var realm: String

  @Argument(help: ArgumentHelp("The class of the objects.", valueName: "class"))
  var className: String

  @Argument(help: "The query.")
  var query: String = ""

  func validate() throws {
    guard format != .ids || !hasColumns else {
      throw ValidationError("ids writes identities only: leave out -c and --group-by")
    }
  }

  /// Whether the result has columns other than the properties of the objects.
  private var hasColumns: Bool {
    switch options.answer(toFile: true) {
    case .nothing: false
    case .objects(let columns): !columns.isEmpty
    case .totals(let totals, let group): group != nil || totals.count > 1
    }
  }

  func run() throws {
    try destination.check(source: realm)
    let keys = try keyOptions.keys(output)
    let isTable = chosenFormat == .table
    let report = try QueryJob(request).run(
      open: { access in
        try keys.snapshot(
          of: realm, version: version.version, access: access, cacheByteCount: memory.byteCount)
      },
      makeOutput: { snapshot in
        let sink = try destination.open(isPrivate: snapshot.isEncrypted)
        guard isTable, hasHeader else { return sink }
        return TableSink(sink, width: terminalWidth, output.palette(for: .output))
      },
      canStartOver: !destination.isStandardOutput)
    try write(report)
  }

  private var request: QueryJob.Request {
    var request = QueryJob.Request(className: className)
    (request.text, request.arguments) = (query, options.arguments.values)
    (request.sort, request.distinct) = (options.sortKeys, options.distinct)
    (request.offset, request.limit) = (options.offset, options.limit)
    request.answer = options.answer(toFile: !destination.isStandardOutput)
    (request.format, request.jobs) = (chosenFormat.text, jobs.count)
    return request
  }

  private var chosenFormat: QueryFormat {
    format ?? (destination.isStandardOutput && StandardStream.output.isTerminal ? .table : .ndjson)
  }

  /// Whether the output begins with a line of column names.
  private var hasHeader: Bool {
    switch request.answer {
    case .nothing: false
    case .objects: true
    case .totals(let totals, let group): group != nil || totals.count > 1
    }
  }

  /// The width of the terminal that a table goes to; nil if it goes elsewhere.
  private var terminalWidth: Int? {
    destination.isStandardOutput ? StandardStream.output.terminalWidth : nil
  }

  /// Prints the answer if the job wrote none, and the report.
  private func write(_ report: QueryJob.Report) throws {
    // A table is for people: it shows what fits.
    for kind in FormatLosses.Kind.allCases
    where chosenFormat != .table && report.losses[kind] > 0 {
      output.warn("\(chosenFormat.rawValue) cannot hold \(kind.words(report.losses[kind]))")
    }
    let json: JSONObject = ["path": realm, "class": className, "found": report.found]
    if options.explain {
      let steps = report.steps.map(\.json)
      return try output.write(json + ["steps": steps]) { _ in QueryStep.text(report.steps) }
    }
    if options.exists {
      try output.write(json) { _ in "" }
      if report.found == 0 { throw ExitStatus.negative }
    } else if case .nothing = request.answer {
      try output.write(json) { _ in "\(report.found)\n" }
    } else {
      let objects = Text.count(report.found, "object")
      try output.write(json, resultIsOnStandardOutput: destination.isStandardOutput) { _ in
        "\(realm.printable): \(objects) of \(className.printable) found\n"
      }
    }
  }
}
