import ArgumentParser
import CSystem
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Parses the arguments, runs one command, and ends the process with its status.
package enum EntryPoint {
  /// Runs the command line of the process.
  package static func run() -> Never {
    guard csystem_open_standard_streams() == 0 else { exit(ExitStatus.inputOutput.rawValue) }
    Signals.install()
    ReadFiles.protect()
    let status = run(guarded: Array(CommandLine.arguments.dropFirst()))
    Signals.removeUnfinishedOutputs()
    exit(status.rawValue)
  }

  /// Like ``run(_:)``, but a mapped file that is truncated causes an error instead of ending the
  /// process.
  private static func run(guarded arguments: [String]) -> ExitStatus {
    do {
      try FaultGuard.turnOn()
    } catch {
      return fail(ErrorReport(error), asJSON: arguments.contains("--json"))
    }
    return run(arguments)
  }

  private static func run(_ arguments: [String]) -> ExitStatus {
    let asJSON = arguments.prefix { $0 != "--" }.contains("--json")
    if let argument = foreignArgument {
      return fail(
        ErrorReport(
          usage: "an argument is not UTF-8: \(argument)",
          hint:
            "rename the file, for example with a * in the place of these characters: mv old* new"),
        asJSON: asJSON)
    }
    if let unknown = UnknownCommand(in: arguments, of: RealmCLI.self) {
      return fail(unknown.report, asJSON: asJSON)
    }
    if [["--version", "-v"], ["--verbose", "--version"]].contains(arguments.sorted()) {
      return answer(RealmCLI.versionDetails, asJSON: asJSON)
    }
    do {
      var command = try RealmCLI.parseAsRoot(arguments)
      do {
        try command.run()
        return .done
      } catch let status as ExitStatus {
        return status
      } catch  where !RealmCLI.exitCode(for: error).isSuccess {
        return fail(ErrorReport(error), asJSON: asJSON)
      }
    } catch {
      return endByParser(error, arguments, asJSON: asJSON)
    }
  }

  /// The first argument that is not UTF-8, with its other bytes as U+FFFD; nil if there is none. It would name another file
  /// than the user meant.
  private static var foreignArgument: String? {
    for i in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = unsafe CommandLine.unsafeArgv[i] else { continue }
      let argument = unsafe String(cString: bytes)
      if unsafe strlen(bytes) != argument.utf8.count { return argument }
      if unsafe memcmp(bytes, argument, argument.utf8.count) != 0 { return argument }
    }
    return nil
  }

  private static func fail(_ report: ErrorReport, asJSON: Bool) -> ExitStatus {
    report.write(asJSON: asJSON)
    return report.status
  }

  /// Prints what was asked for instead of a command: help, the version, a script.
  private static func answer(_ text: String, asJSON: Bool) -> ExitStatus {
    do {
      try StandardStream.output.write(text + "\n")
      return .done
    } catch {
      return fail(ErrorReport(error), asJSON: asJSON)
    }
  }

  /// Handles what the parser reports: prints help, the version, a script, or a usage error.
  private static func endByParser(
    _ error: any Error, _ arguments: [String], asJSON: Bool
  ) -> ExitStatus {
    let text = RealmCLI.fullMessage(for: error)
    if RealmCLI.exitCode(for: error).isSuccess { return answer(text, asJSON: asJSON) }
    // The last line of the parser's message names the command that was used.
    let help = text.split(separator: "\n").last { $0.hasPrefix("  See '") }
    let command = help?.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first
    // A short option has no space in its name.
    let hasNegativeQuery = arguments.prefix { $0 != "--" }.contains {
      $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains(" ")
    }
    let hint =
      hasNegativeQuery
      ? "write -- before a query that begins with a minus sign" : command.map { "see `\($0)`" }
    let report = ErrorReport(usage: usage(RealmCLI.message(for: error)), hint: hint)
    return fail(report, asJSON: asJSON)
  }

  /// The parser's message in our form: one line, lower case, one sentence.
  private static func usage(_ message: String) -> String {
    let line = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let words = line.split(separator: ". Did you mean ", maxSplits: 1).joined(
      separator: ", did you mean ")
    // Keep the name of an environment variable.
    guard let second = words.dropFirst().first, second.isLowercase else { return words }
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}

/// Signal handling: an interrupted command leaves no unfinished file behind.
package enum Signals {
  /// Called once, before any work. SIGINT and SIGTERM remove the unfinished outputs and end the process
  /// with 130 and 143; SIGPIPE becomes an error of the write.
  package static func install() { csystem_install_signals() }

  /// Removes unfinished outputs, for an exit that does not release their owners.
  static func removeUnfinishedOutputs() { csystem_remove_unfinished() }
}
