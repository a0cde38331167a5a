public import Foundation

/// The result of a run of the built `realm-cli`.
public struct ToolResult: Sendable {
  /// Exit code, or 128 plus the number of the signal that ended it.
  public var status: Int32
  public var stdout: [UInt8]
  public var stderr: String

  /// Standard output as a string.
  public var text: String { String(decoding: stdout, as: UTF8.self) }
}

/// Why a run has no result.
public enum ToolError: Error {
  /// It ran longer than it may; it was killed.
  case timedOut(arguments: [String], stderr: String)
  /// It ended well, but a realm that it wrote has errors.
  case damagedResult(arguments: [String], findings: String)
}

/// The build folder of SwiftPM, which contains the test bundle.
public var builtFolder: URL {
  #if os(macOS)
    Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
      .deletingLastPathComponent()
  #else
    Bundle.main.bundleURL
  #endif
}

/// The path of the built `realm-cli`.
public var toolURL: URL { builtFolder.appendingPathComponent("realm-cli") }

/// Runs the built `realm-cli` to its end.
///
/// The environment has none of the machine's keys and colours: it has only the given variables and
/// PATH, HOME, REALM_PORTABLE and the variables of test coverage. The realms that a command wrote are verified.
///
/// - Parameters:
///   - stdin: the standard input of the tool.
///   - environment: more variables.
///   - folder: the working folder.
///   - timeout: in seconds; a tool that hangs fails its test and not the machine.
public func runTool(
  _ arguments: String..., stdin: [UInt8] = [], environment: [String: String] = [:],
  folder: URL? = nil, timeout: Double = 60
) throws -> ToolResult {
  try runTool(
    arguments, stdin: stdin, environment: environment, folder: folder, timeout: timeout)
}

/// See above.
public func runTool(
  _ arguments: [String], named name: String = "realm-cli", stdin: [UInt8] = [],
  environment: [String: String] = [:], folder: URL? = nil, timeout: Double = 60
) throws -> ToolResult {
  let result = try run(
    builtFolder.appendingPathComponent(name), arguments, stdin: stdin,
    environment: environment, folder: folder, timeout: timeout)
  if name == "realm-cli", result.status == 0, let written = WrittenRealms(arguments) {
    let found = try run(
      toolURL, ["verify"] + written.verification, stdin: [], environment: environment,
      folder: folder, timeout: timeout)
    guard found.status != WrittenRealms.damaged else {
      throw ToolError.damagedResult(arguments: arguments, findings: found.text)
    }
  }
  return result
}

/// The realms that a command line writes.
private struct WrittenRealms {
  /// Exit code of `verify` for errors; other codes mean that it cannot check the results, such as
  /// realms that were restored without their keys.
  static let damaged: Int32 = 65

  /// Arguments of the `verify` that checks them.
  let verification: [String]

  /// Nil for a command that writes no realms to files.
  init?(_ arguments: [String]) {
    func value(_ options: String...) -> String? {
      arguments.indices.dropLast().first { options.contains(arguments[$0]) }
        .map { arguments[$0 + 1] }
    }
    let rewrites = ["compact", "convert", "copy", "decrypt", "encrypt", "import", "rekey"]
    let isRestore = arguments.starts(with: ["backup", "restore"])
    guard let command = arguments.first, rewrites.contains(command) || isRestore,
      !arguments.contains("--dry-run")
    else { return nil }
    let output =
      isRestore
      ? value("-C", "--directory", "--to")
      : value("-o", "--output", "--into") ?? (arguments.contains("--in-place") ? arguments[1] : nil)
    guard let output, output != "-" else { return nil }
    let key = command == "decrypt" ? nil : value("--new-key-file") ?? value("--key-file")
    verification = [output] + (key.map { ["--key-file", $0] } ?? [])
  }
}

/// Runs a bash script in which `realm-cli` is the built one.
///
/// - Parameters:
///   - arguments: the values of `$1` and so on.
///   - environment: more variables.
public func runScript(
  _ script: String, _ arguments: String..., environment: [String: String] = [:],
  folder: URL? = nil, timeout: Double = 60
) throws -> ToolResult {
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  return try run(
    URL(fileURLWithPath: "/bin/bash"), ["-c", "set -o pipefail\n" + script, "bash"] + arguments,
    stdin: [],
    environment: environment.merging(["PATH": builtFolder.path + ":" + path]) { $1 },
    folder: folder, timeout: timeout)
}

private func run(
  _ executable: URL, _ arguments: [String], stdin: [UInt8], environment: [String: String],
  folder: URL?, timeout: Double
) throws -> ToolResult {
  let process = Process()
  process.executableURL = executable
  process.arguments = arguments
  if let folder { process.currentDirectoryURL = folder }
  let inherited = ProcessInfo.processInfo.environment.filter {
    [
      "PATH", "HOME", "REALM_PORTABLE", "LLVM_PROFILE_FILE", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
    ].contains($0.key)
  }
  process.environment = inherited.merging(environment) { $1 }
  let (input, output, error) = (Pipe(), Pipe(), Pipe())
  (process.standardInput, process.standardOutput, process.standardError) = (input, output, error)
  // Writing to a closed pipe fails; otherwise it would end all tests.
  _ = signal(SIGPIPE, SIG_IGN)
  try process.run()

  // Each pipe has its own thread; otherwise a tool that fills one of them would wait forever.
  let (stdout, stderr) = (Collected(), Collected())
  let work = DispatchGroup()
  collect(output.fileHandleForReading, into: stdout, work)
  collect(error.fileHandleForReading, into: stderr, work)
  let writing = input.fileHandleForWriting
  DispatchQueue.global().async(group: work) {
    // A tool that ends without reading closes the pipe, which is not an error of the test.
    try? writing.write(contentsOf: Data(stdin))
    try? writing.close()
  }
  let isInTime = work.wait(timeout: .now() + timeout) == .success
  if !isInTime { kill(process.processIdentifier, SIGKILL) }
  process.waitUntilExit()
  guard isInTime else {
    throw ToolError.timedOut(
      arguments: arguments, stderr: String(decoding: stderr.bytes, as: UTF8.self))
  }
  let isSignal = process.terminationReason == .uncaughtSignal
  return ToolResult(
    status: process.terminationStatus + (isSignal ? 128 : 0), stdout: stdout.bytes,
    stderr: String(decoding: stderr.bytes, as: UTF8.self))
}

private func collect(_ handle: FileHandle, into collected: Collected, _ work: DispatchGroup) {
  DispatchQueue.global().async(group: work) {
    collected.append((try? handle.readToEnd()) ?? Data())
  }
}

/// Bytes that one thread collects and another reads.
private final class Collected: @unchecked Sendable {
  private let lock = NSLock()
  private var storage: [UInt8] = []

  var bytes: [UInt8] { lock.withLock { storage } }
  func append(_ data: Data) { lock.withLock { storage += data } }
}
