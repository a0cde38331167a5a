import Foundation
import TestSupport
import Testing

/// Backups next to a process that commits as fast as it can, and overwrites the space of older versions.
@Suite("Backing up a realm that changes", .serialized)
struct LiveBackupTests {
  /// `REALM_LIVE_BACKUPS` sets another number.
  static let backupCount =
    ProcessInfo.processInfo.environment["REALM_LIVE_BACKUPS"].flatMap { Int($0) } ?? 12

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// With pauses between the commits, and without any.
  @Test(
    "each realm in the archive is one version, or is reported while the others are archived",
    arguments: [["--lock"], ["--lock", "--pause", "0"], ["--pause", "0"]])
  func consistency(options: [String]) throws {
    let path = try folder.copyGolden("people.realm", as: "data/live.realm")
    try folder.copyGolden("links.realm", as: "data/quiet.realm")
    let frame = ExportFrame(of: try export(path))
    let writer = try RunningTool("test-writer", [path, "Person", "score"] + options)
    #expect(writer.read(6) == Array("ready\n".utf8))
    var versions: Set<String> = []
    var busy = 0
    for i in 0..<LiveBackupTests.backupCount {
      let form = i % 2 == 0 ? [] : ["--raw"]
      let archive = folder.path("\(i).tar.zst")
      let result = try runTool(
        ["backup", "create", folder.path("data"), "-o", archive, "-q"] + form)
      #expect([0, 75].contains(result.status), "\(result.stderr)")
      #expect(try runTool("backup", "verify", archive).status == 0)
      let target = folder.path("restored-\(i)")
      #expect(try runTool("backup", "restore", archive, "-C", target, "-q").status == 0)
      #expect(
        try runTool("export", target + "/data/quiet.realm", "--format", "core-xjson-plus").stdout
          == Golden.bytes("links.core-xjson-plus.json"))
      let live = target + "/data/live.realm"
      guard result.status == 0 else {
        busy += 1
        #expect(result.stderr.contains(path))
        #expect(!FileManager.default.fileExists(atPath: live))
        continue
      }
      let version = frame.version(of: try export(live))
      #expect(version != nil, "backup \(i) holds more than one version")
      if let version { versions.insert(version) }
    }
    let result = writer.end()
    #expect(result.status == 0, "\(result.stderr)")
    let commits = result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    print("\(options): \(versions.count) versions, \(busy) times busy, \(commits)")
    #expect(versions.count > 1 || busy > 0)
  }

  private func export(_ path: String) throws -> [UInt8] {
    let result = try runTool("export", path, "--format", "core-json", "-q")
    #expect(result.status == 0, "\(result.stderr)")
    return result.stdout
  }
}
