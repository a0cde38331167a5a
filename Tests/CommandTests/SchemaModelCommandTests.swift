import Foundation
import TestSupport
import Testing

/// Whether a program can be run.
private func isInstalled(_ name: String) -> Bool {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
  }
}

@Suite("realm-cli schema show as model classes")
struct SchemaModelCommandTests {
  /// Writes the model classes of every golden realm and every lived one into files.
  private func models(
    _ format: String, as ending: String, in folder: TemporaryFolder
  ) throws -> [String] {
    let encrypted = ["people-encrypted"]
    let paths =
      Golden.names.filter { !encrypted.contains($0) }.map { Golden.path($0 + ".realm") }
      + Lived.names.map { Lived.path($0 + ".realm") }
    return try paths.map { (path) throws -> String in
      let name = URL(filePath: path).deletingPathExtension().lastPathComponent
      let file = folder.path("\(name).\(ending)")
      #expect(try runTool("schema", "show", "--format", format, path, "-o", file).status == 0)
      return file
    }
  }

  /// Runs a program.
  ///
  /// - Returns: its exit status, and what it printed.
  private func run(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  @Test("swiftc parses the Swift classes", .enabled(if: isInstalled("swiftc"), "needs swiftc"))
  func swift() throws {
    let folder = try TemporaryFolder()
    // The compiler prints what is wrong, with the file.
    let files = try models("swift", as: "swift", in: folder)
    #expect(try run("swiftc", ["-frontend", "-parse"] + files).status == 0)
  }

  @Test("Node parses the JavaScript classes", .enabled(if: isInstalled("node"), "needs node"))
  func javascript() throws {
    let folder = try TemporaryFolder()
    let files = try models("javascript", as: "mjs", in: folder)
    // It parses modules without the ones that they import, and names the file of an error.
    let script = """
      const { SourceTextModule } = require("vm")
      for (const file of process.argv.slice(1)) {
        new SourceTextModule(require("fs").readFileSync(file, "utf8"), { identifier: file })
      }
      """
    let (status, _) = try run(
      "node", ["--no-warnings", "--experimental-vm-modules", "-e", script] + files)
    #expect(status == 0)
  }

  @Test("tsc accepts the TypeScript classes", .enabled(if: isInstalled("tsc"), "needs tsc"))
  func typescript() throws {
    let folder = try TemporaryFolder()
    let files = try models("typescript", as: "ts", in: folder)
    let (_, output) = try run("tsc", ["--noEmit", "--noResolve", "--target", "es2020"] + files)
    // The package realm is not here, and each file imports it.
    let lines = output.split(separator: "\n")
    #expect(lines.filter { !$0.contains("Cannot find module 'realm'") } == [])
    #expect(lines.count == files.count)
  }
}
