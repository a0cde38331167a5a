import ArgumentParser
import CSystem
import RealmStorage

/// The output of a command: text for people or JSON for programs, and how much of it.
///
/// Only this type prints. Results go to standard output; warnings, notes and progress go to
/// standard error.
struct OutputOptions: ParsableArguments {
  enum Color: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never
  }

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only results, warnings and errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print more details.")
  var verbose = false

  @Option(help: "When to use colour; NO_COLOR in the environment turns it off for auto.")
  var color: Color = .auto

  init() {}

  func validate() throws {
    guard !quiet || !verbose else {
      throw ValidationError("--quiet and --verbose contradict each other; give only one")
    }
  }

  /// Prints the report of a command: JSON with `--json`, otherwise the text.
  ///
  /// - Parameter resultIsOnStandardOutput: true if the result itself went to standard output: the
  ///   report then goes to standard error, as text only with `--verbose`. False if the result is in a
  ///   file: nothing is printed with `--quiet`. Nil if the report is the result.
  /// - Throws: `brokenPipe`, `inputOutput`.
  func write(
    _ report: some Encodable, resultIsOnStandardOutput: Bool? = nil, text: (Palette) -> String
  ) throws {
    let isBeside = resultIsOnStandardOutput == true
    let stream = isBeside ? StandardStream.error : StandardStream.output
    if json {
      try stream.write(try JSONText.line(report))
    } else if isBeside ? verbose : resultIsOnStandardOutput == nil || !quiet {
      try stream.write(text(palette(for: stream)))
    }
  }

  /// Prints a result that is the same for people and programs.
  ///
  /// - Throws: `brokenPipe`, `inputOutput`.
  func write(result: String) throws {
    try StandardStream.output.write(result)
  }

  /// Prints the error of one of many files; with `--json` as an object on standard output.
  ///
  /// - Returns: the exit status for this file.
  /// - Throws: `brokenPipe`, `inputOutput`.
  func write(failure error: any Error, of path: String) throws -> ExitStatus {
    let report = ErrorReport(error)
    if json {
      try StandardStream.output.write(
        try JSONText.line(
          ["path": path, "error": report, "exitCode": report.status.rawValue] as JSONObject))
    } else {
      report.write(asJSON: false)
    }
    return report.status
  }

  /// Prints a warning, also with `--quiet`. The command continues.
  func warn(_ message: String) {
    let text = "realm-cli: \(palette(for: .error).yellow("warning:")) \(message.printable)\n"
    if json {
      StandardStream.error.say(["warning": ["message": message]], orText: text)
    } else {
      StandardStream.error.say(text)
    }
  }

  /// Prints a note and the lines that it is about, unless only results and warnings are wanted.
  func note(_ message: String, details: String) {
    guard !quiet, !json else { return }
    let lines = details.split(separator: "\n").map { String($0).printable }
    StandardStream.error.say(
      "realm-cli: \(message.printable)\n" + lines.map { $0 + "\n" }.joined())
  }

  /// Tells a person at a prompt what a result does not say, unless only results and warnings are wanted.
  func remark(_ message: String) {
    guard !quiet, !json else { return }
    StandardStream.error.say(palette(for: .error).dim(message.printable) + "\n")
  }

  /// Prints a detail if `--verbose` is given.
  func detail(_ message: String) {
    if verbose && !json { StandardStream.error.say("realm-cli: \(message.printable)\n") }
  }

  /// Runs `body` with a progress bar, which a terminal shows if the work takes long enough.
  ///
  /// - Parameter resultIsOnStandardOutput: whether the result goes to standard output; if that is a
  ///   terminal, there is no bar.
  func withProgress<Result>(
    _ label: String, resultIsOnStandardOutput: Bool = false, _ body: (ProgressBar) throws -> Result
  ) rethrows -> Result {
    let isMixed = resultIsOnStandardOutput && StandardStream.output.isTerminal
    let isShown = !json && !quiet && !isMixed && StandardStream.error.isTerminal
    let bar = ProgressBar(label: label, isShown: isShown)
    defer { bar.clear() }
    return try body(bar)
  }

  func palette(for stream: StandardStream) -> Palette {
    switch color {
    case .always: return Palette(isOn: true)
    case .never: return Palette(isOn: false)
    case .auto:
      let environment = Environment.process
      return Palette(
        isOn: stream.isTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb")
    }
  }
}

extension StandardStream {
  /// Columns of the terminal; nil if the stream goes elsewhere.
  var terminalWidth: Int? {
    guard isTerminal else { return nil }
    let width = Int(csystem_terminal_width(descriptor))
    return width == 0 ? 80 : width
  }

  /// Writes a message to standard error. A failure is ignored: it means that the stream was closed,
  /// so nobody reads messages.
  func say(_ text: String) { try? write(text) }

  /// Like ``say(_:)`` for programs: writes `message` as JSON, or `text` if JSON cannot represent it.
  func say(_ message: some Encodable, orText text: String) {
    do {
      say(try JSONText.line(message))
    } catch {
      say(text)
    }
  }
}
