import RealmBrowse
import RealmInterchange
import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// Runs the lines of a shell.
final class ShellSession {
  let realm: ShellRealm
  let isInteractive: Bool
  let output: OutputOptions
  /// Options of the shell that also hold for the commands that it runs.
  let passedOn: [String]
  var mode: QueryFormat
  var showsTime = false
  /// Whether the user has ended the shell.
  var isEnded = false
  private let jobs: Int
  /// The changes that are not saved; nil if the shell only shows.
  let draft: ShellDraft?

  /// The most objects of a class that are shown without a query at a prompt.
  static let usualLimit = 100

  init(
    _ realm: ShellRealm, isInteractive: Bool, mode: QueryFormat, draft: ShellDraft? = nil,
    passedOn: [String], _ output: OutputOptions
  ) {
    (self.realm, self.isInteractive, self.mode, self.draft) = (realm, isInteractive, mode, draft)
    (self.passedOn, self.output, jobs) = (passedOn, output, realm.jobs)
  }

  /// What the shell says at its start.
  var greeting: String {
    let count = Text.count(realm.readable.schema.appClasses.count, "class", "classes")
    return "\(realm.path.printable): version \(realm.number), \(count); .help lists the commands"
  }

  var prompt: String {
    let name = realm.path.split(separator: "/").last.map(String.init) ?? realm.path
    let version = realm.version == .previous ? " (previous)" : ""
    let changes = draft.map { $0.isEmpty ? "" : " (\($0.count) changed)" } ?? ""
    return Text.cut(name.printable, to: 30) + version + changes + "> "
  }

  /// Runs a line, and prints its result and errors.
  func run(_ line: String) -> ExitStatus {
    guard let parsed = ShellLine(line) else { return .done }
    let clock = ContinuousClock()
    let start = clock.now
    let status: ExitStatus
    do {
      switch parsed {
      case .command(let name, let argument): status = try run(name, argument)
      case .statement(let kind): status = try run(try ShellStatement(kind, line))
      case .query(let query): status = try run(query)
      }
    } catch {
      return report(error)
    }
    if showsTime {
      let tenths = Int(((clock.now - start) / .microseconds(100)).rounded())
      output.remark("\(tenths / 10).\(tenths % 10) ms")
    }
    return status
  }

  func report(_ error: any Error) -> ExitStatus {
    var report = ErrorReport(error)
    // Nobody reads the results of a script any more.
    if error.fileKind == .brokenPipe, !isInteractive { isEnded = true }
    if error.fileKind == .changedWhileReading {
      report.hint = "`.refresh` shows the newest version"
    }
    if report.code == "needsUpgrade" {
      report.hint = "`.save FILE` writes a copy; `realm-cli upgrade` upgrades the realm"
    }
    report.write(asJSON: output.json)
    return report.status
  }

  // MARK: - Queries

  /// What is done with the objects of a query.
  enum Purpose {
    case show, count, explain
  }

  func run(_ query: ShellQuery, _ purpose: Purpose = .show) throws -> ExitStatus {
    try interruptible { try run(query, purpose, $0) }
  }

  /// Runs what the key for interrupts ends.
  func interruptible(_ body: (Cancellation) throws -> Void) throws -> ExitStatus {
    try Interrupts.cancelling { cancellation in
      do {
        try body(cancellation)
      } catch {
        guard cancellation.isCancelled else { throw error }
        output.remark("interrupted")
        return .interrupted
      }
      return .done
    }
  }

  /// The version that is shown, with the changes that are not saved.
  ///
  /// - Throws: the errors of reading the realm.
  private func shown() throws -> Realm {
    guard let draft, !draft.isEmpty, realm.version == .latest else {
      return try realm.forQueries()
    }
    return try draft.shown().realm
  }

  private func run(
    _ query: ShellQuery, _ purpose: Purpose, _ cancellation: Cancellation
  ) throws {
    var request = QueryJob.Request(className: query.className)
    (request.text, request.jobs, request.format) = (query.text, jobs, mode.text)
    if case .show = purpose {
      if isInteractive, query.text.isEmpty { request.limit = ShellSession.usualLimit }
    } else {
      request.answer = .nothing
    }
    let current = try shown()
    let report: QueryJob.Report
    do {
      report = try QueryJob(request).run(in: current, to: sink(cancellation))
    } catch let error as QueryTextError {
      throw query.placed(error)
    }
    switch purpose {
    case .show: tell(report, query, current)
    case .count:
      try output.write(["class": query.className, "found": report.found] as JSONObject) { _ in
        "\(report.found)\n"
      }
    case .explain:
      let steps: JSONObject = [
        "class": query.className, "found": report.found, "steps": report.steps.map(\.json),
      ]
      try output.write(steps) { _ in QueryStep.text(report.steps) }
    }
  }

  /// Where the objects go.
  private func sink(_ cancellation: Cancellation) -> any OutputSink {
    let stream = StandardStream.output
    let paged: any OutputSink =
      isInteractive
      ? PagedOutput(stream, command: ShellSession.pager(.process), cancellation) : stream
    guard mode == .table else { return paged }
    return TableSink(paged, width: stream.terminalWidth, output.palette(for: stream))
  }

  /// The user's pager; nil for none.
  private static func pager(_ environment: Environment) -> String? {
    if environment["TERM"] == "dumb" { return nil }
    return environment["PAGER"] ?? "less"
  }

  /// Tells a person how many objects there are, and scripts what a format could not hold.
  private func tell(_ report: QueryJob.Report, _ query: ShellQuery, _ current: Realm) {
    for kind in FormatLosses.Kind.allCases where mode != .table && report.losses[kind] > 0 {
      output.warn("\(mode.rawValue) cannot hold \(kind.words(report.losses[kind]))")
    }
    guard isInteractive else { return }
    let objects = Text.count(report.found, "object")
    let table = current.schema.classes.first { $0.className.text == query.className }
    if query.text.isEmpty, let count = table?.objectCount, count > report.found {
      output.remark(
        "\(report.found) of \(Text.count(count, "object")); "
          + "`\(query.className.printable) limit(\(count))` shows all")
    } else {
      output.remark(objects)
    }
  }
}
