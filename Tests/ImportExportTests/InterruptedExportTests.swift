import Foundation
import TestSupport
import Testing

@Suite("Disturbed exports")
struct InterruptedExportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The export waits for its reader after the first pieces when the file loses its end.
  @Test("a realm that is truncated during an export ends with 74, not with a signal")
  func shrinking() throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "x.realm")
    let tool = try RunningTool("realm-cli", ["export", path, "--jobs", "1"])
    #expect(tool.read(1) == Array("{".utf8))
    #expect(unsafe truncate(path, 8192) == 0)
    let result = tool.end()
    #expect(result.status == 74)
    #expect(
      result.stderr == """
        realm-cli: \(path): the file became shorter while it was read
          hint: find out what shortens the file, then copy it again from its source

        """)
  }

  @Test("with --output, a truncation leaves no file behind")
  func shrinkingToFile() throws {
    for size in [0, 24, 4096, 100_000, 900_000] {
      let path = try folder.write(try Golden.bytes("people.realm"), to: "x.realm")
      let output = folder.path("x.json")
      let tool = try RunningTool("realm-cli", ["export", path, "-o", output, "--jobs", "1"])
      try waitForOutput(tool)
      #expect(unsafe truncate(path, off_t(size)) == 0)
      let result = tool.end()
      // It may have finished before the truncation.
      #expect([0, 74].contains(result.status), "\(result.stderr)")
      #expect(FileManager.default.fileExists(atPath: output) == (result.status == 0))
      if result.status == 0 { try FileManager.default.removeItem(atPath: output) }
      #expect(try names() == ["x.realm"])
    }
  }

  @Test(
    "a signal ends the export with its code, and leaves nothing half-done",
    arguments: [(SIGINT, 130), (SIGTERM, 143)])
  func signals(signal: Int32, status: Int) throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "x.realm")
    let output = folder.path("x.json")
    // An export that is faster than the test has a complete result; then the test tries again.
    for attempt in 0..<30 {
      let tool = try RunningTool("realm-cli", ["export", path, "-o", output, "--jobs", "1"])
      try waitForOutput(tool)
      tool.send(signal)
      let result = tool.end()
      if result.status == 0, attempt < 29 {
        #expect(try names() == ["x.json", "x.realm"])
        try FileManager.default.removeItem(atPath: output)
        continue
      }
      #expect(result.status == status)
      #expect(result.stderr == "")
      #expect(try names() == ["x.realm"])
      return
    }
  }

  private func names() throws -> [String] {
    try folder.names()
  }

  /// Until it has opened its output.
  private func waitForOutput(_ tool: RunningTool) throws {
    while tool.isRunning, !tool.hasOutput(in: folder) { usleep(200) }
  }
}
