package import ArgumentParser
internal import RealmStorage

/// How a command speaks: as text for people or as JSON for programs, and how much.
///
/// Nothing else in the commands prints. Results go to standard output; warnings, notes and progress
/// to standard error.
package struct OutputOptions: ParsableArguments {
  package enum Color: String, ExpressibleByArgument, CaseIterable, Sendable {
    case auto, always, never
  }

  @Flag(help: "Print one JSON object instead of text.")
  package var json = false

  @Flag(name: .shortAndLong, help: "Print results, warnings and errors only.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Print more about what is done.")
  package var verbose = false

  @Option(help: "When to use colour; NO_COLOR in the environment turns it off for auto.")
  package var color: Color = .auto

  package init() {}

  package func validate() throws {
    guard !quiet || !verbose else {
      throw ValidationError("--quiet and --verbose exclude each other")
    }
  }

  /// Prints the report of a command: as JSON with `--json`, else the text.
  ///
  /// - Parameter resultIsOnStandardOutput: whether the result itself went to standard output. The
  ///   report then goes to standard error, as text only with `--verbose`. False where the result is
  ///   in a file, of which nothing is said with `--quiet`; nil where the report is the result.
  /// - Throws: `brokenPipe`, `inputOutput`.
  package func write(
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

  /// Prints a result that is the same text for people and programs, as a schema in Swift.
  ///
  /// - Throws: `brokenPipe`, `inputOutput`.
  package func write(result: String) throws {
    try StandardStream.output.write(result)
  }

  /// Tells that one of many files failed: with `--json` as that file's object on standard output.
  ///
  /// - Returns: what the file adds to the exit status of the command.
  /// - Throws: `brokenPipe`, `inputOutput`.
  package func write(failure error: any Error, of path: String) throws -> ExitStatus {
    let report = ErrorReport(error)
    if json {
      try StandardStream.output.write(
        try JSONText.line(FailedFile(path: path, error: report)))
    } else {
      report.write(asJSON: false)
    }
    return report.status
  }

  private struct FailedFile: Encodable {
    var path: String
    var error: ErrorReport
  }

  /// Tells what the user should know although the command goes on; also with `--quiet`.
  package func warn(_ message: String) {
    let text = "realm-cli: \(palette(for: .error).yellow("warning:")) \(message.printable)\n"
    if json {
      StandardStream.error.tell(["warning": ["message": message]], orText: text)
    } else {
      StandardStream.error.tell(text)
    }
  }

  /// Tells what happens, with `--verbose`.
  package func note(_ message: String) {
    if verbose && !json { StandardStream.error.tell("realm-cli: \(message.printable)\n") }
  }

  /// Runs `body` with a progress bar, which people see on a terminal if it takes long enough.
  ///
  /// - Parameter resultIsOnStandardOutput: no bar is drawn into a text that goes to a terminal.
  package func withProgress<Result>(
    _ label: String, resultIsOnStandardOutput: Bool = false, _ body: (ProgressBar) throws -> Result
  ) rethrows -> Result {
    let isMixed = resultIsOnStandardOutput && StandardStream.output.isTerminal
    let isShown = !json && !quiet && !isMixed && StandardStream.error.isTerminal
    let bar = ProgressBar(label: label, isShown: isShown)
    defer { bar.clear() }
    return try body(bar)
  }

  private func palette(for stream: StandardStream) -> Palette {
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
