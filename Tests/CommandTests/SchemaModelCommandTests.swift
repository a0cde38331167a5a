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
  /// Writes the model classes of every golden realm and every lived one, and runs `check` on each file.
  private func checkAll(
    _ format: String, as ending: String, _ check: (String) -> (program: String, arguments: [String])
  ) throws {
    let folder = try TemporaryFolder()
    let encrypted = ["people-encrypted"]
    let paths =
      Golden.names.filter { !encrypted.contains($0) }.map { Golden.path($0 + ".realm") }
      + Lived.names.map { Lived.path($0 + ".realm") }
    for path in paths {
      let name = URL(filePath: path).deletingPathExtension().lastPathComponent
      let file = folder.path("\(name).\(ending)")
      #expect(try runTool("schema", "show", "--format", format, path, "-o", file).status == 0)
      let (program, arguments) = check(file)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [program] + arguments
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(program) refuses the classes of \(name)")
    }
  }

  @Test("swiftc parses the Swift classes", .enabled(if: isInstalled("swiftc"), "needs swiftc"))
  func swift() throws {
    try checkAll("swift", as: "swift") { ("swiftc", ["-frontend", "-parse", $0]) }
  }

  @Test("Node parses the JavaScript classes", .enabled(if: isInstalled("node"), "needs node"))
  func javascript() throws {
    try checkAll("javascript", as: "mjs") { ("node", ["--check", $0]) }
  }
}
