import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport
import Testing

/// Exports next to a process that commits as fast as it can, and overwrites the space of older versions.
@Suite("Exporting a realm that changes", .serialized)
struct LiveExportTests {
  /// `REALM_LIVE_EXPORTS` sets another number; every tenth export runs the tool.
  static let exportCount =
    ProcessInfo.processInfo.environment["REALM_LIVE_EXPORTS"].flatMap { Int($0) } ?? 60

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// With the lock that every app holds, and without it, which hides the process.
  @Test("every successful export has one version", arguments: [true, false])
  func consistency(isLocked: Bool) throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "live.realm")
    let frame = ExportFrame(of: try export(path))
    let writer = try RunningTool(
      "test-writer", [path, "Person", "score"] + (isLocked ? ["--lock"] : []))
    #expect(writer.read(6) == Array("ready\n".utf8))
    var (successes, busy) = (0, 0)
    var versions: Set<String> = []
    for i in 0..<LiveExportTests.exportCount {
      let text: [UInt8]?
      if i % 10 == 0 {
        let result = try runTool("export", path, "--format", "core-json", "-q")
        #expect([0, 75].contains(result.status), "\(result.stderr)")
        text = result.status == 0 ? result.stdout : nil
      } else {
        do {
          text = try export(path)
        } catch {
          #expect(error.fileKind == .changedWhileReading, "\(error)")
          text = nil
        }
      }
      guard let text else {
        busy += 1
        continue
      }
      successes += 1
      let version = frame.version(of: text)
      #expect(version != nil, "export \(i) holds more than one version")
      if let version { versions.insert(version) }
    }
    let result = writer.end()
    print(
      "\(isLocked ? "with" : "without") lock: \(successes) exports of \(versions.count) versions, "
        + "\(busy) found the realm busy, \(result.text.trimmingCharacters(in: .whitespacesAndNewlines))"
    )
    #expect(result.status == 0, "\(result.stderr)")
    #expect(versions.count > 1)
    #expect(successes > busy)
    #expect(frame.version(of: try export(path)) != nil)
  }

  private func export(_ path: String) throws -> [UInt8] {
    var sink = MemorySink()
    let job = ExportJob(ExportJob.Request(format: .text(.coreJSON)))
    _ = try job.run(
      open: { access in try Snapshot(path: path, access: access) },
      makeOutput: { _ in
        sink = MemorySink()
        return .text(sink)
      }, canStartOver: true, progress: { _, _ in })
    return sink.bytes
  }
}
