import Foundation

/// A running executable with pipes for its standard streams.
public final class RunningTool {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let error = Pipe()

  /// Starts `name`, an executable of this package.
  ///
  /// - Parameter environment: more variables.
  public init(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    process.executableURL = builtFolder.appendingPathComponent(name)
    process.arguments = arguments
    // A backtrace takes longer than the test.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]
    ) { $1 }.merging(environment) { $1 }
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = error
    try withOrdinarySignals { try process.run() }
  }

  /// Waits for output.
  ///
  /// - Returns: the available output, at most `count` bytes; nothing at the end.
  public func read(_ count: Int) -> [UInt8] {
    [UInt8]((try? output.fileHandleForReading.read(upToCount: count)) ?? Data())
  }

  /// Waits for what it writes to standard error, at most `count` bytes; nothing at the end.
  public func readError(_ count: Int) -> [UInt8] {
    [UInt8]((try? error.fileHandleForReading.read(upToCount: count)) ?? Data())
  }

  /// Writes to its standard input.
  public func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

  public var isRunning: Bool { process.isRunning }

  /// Whether it has an unfinished output in `folder`, with or without a name.
  public func hasOutput(in folder: TemporaryFolder) -> Bool {
    // A file without a name is shown as `#`, its number and `(deleted)`.
    let start = folder.url.resolvingSymlinksInPath().path + "/#"
    if openFiles.contains(where: { $0.hasPrefix(start) }) { return true }
    return (try? folder.names())?.contains { $0.hasPrefix(".realm-cli-") } ?? false
  }

  /// The files that it has open, as Linux shows them; empty on other systems.
  public var openFiles: [String] {
    let files = "/proc/\(process.processIdentifier)/fd"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
    return numbers.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")
    }
  }

  public func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Closes its standard input, reads the rest of what it writes, and waits for its end.
  ///
  /// Its standard error must fit a pipe.
  public func end() -> ToolResult {
    try? input.fileHandleForWriting.close()
    let stdout = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    let stderr = (try? error.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return ToolResult(
      status: process.terminationStatus + (isSignal ? 128 : 0), stdout: [UInt8](stdout),
      stderr: String(decoding: stderr, as: UTF8.self))
  }
}

/// Runs `body` without ignored or blocked signals in this thread: a process inherits both, and the test
/// runner ignores the signals that it handles itself.
func withOrdinarySignals(_ body: () throws -> Void) rethrows {
  let before = [SIGINT, SIGTERM].map { ($0, signal($0, SIG_DFL)) }
  var (none, mask) = (sigset_t(), sigset_t())
  unsafe sigemptyset(&none)
  unsafe pthread_sigmask(SIG_SETMASK, &none, &mask)
  defer {
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    for (number, handler) in before { signal(number, handler) }
  }
  try body()
}
