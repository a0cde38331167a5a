import Foundation
import RealmStorage
import TestSupport
import Testing

/// Commands where the system has less than Linux: `REALM_PORTABLE` (`Sources/CSystem/include/platform.h`).
@Suite("Commands on systems that have less than Linux")
struct PortableCommandTests {
  private let folder: TemporaryFolder
  private let portable = ["REALM_PORTABLE": "1"]

  init() throws { folder = try TemporaryFolder() }

  @Test("write the same bytes", arguments: ["realm", "json", "sqlite"])
  func sameBytes(ending: String) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    let arguments =
      ending == "realm" ? ["compact", "a.realm"] : ["export", "a.realm", "--format", ending]
    var results: [[UInt8]] = []
    for environment in [[:], portable] {
      let output = "\(results.count).\(ending)"
      let run = try runTool(
        arguments + ["-o", output], environment: environment, folder: folder.url)
      #expect(run.status == 0, "\(run.stderr)")
      results.append(try readFile(folder.path(output)))
    }
    let areEqual = results[0] == results[1]
    #expect(areEqual)
    #expect(try folder.names() == ["0.\(ending)", "1.\(ending)", "a.realm"])
  }

  @Test("refuse a realm in use, without the name of its program")
  func inUse() throws {
    let path = try folder.copyGolden("people.realm", as: "a.realm")
    try folder.write([], to: "a.realm.lock")
    let held = HeldLock(path + ".lock", LOCK_SH)
    try withExtendedLifetime(held) {
      for environment in [[:], portable] {
        let run = try runTool("compact", path, "--in-place", environment: environment)
        #expect(run.status == 75)
        #expect(
          run.stderr.contains("(\(getpid()))") == (isLinux && environment.isEmpty), "\(run.stderr)")
      }
    }
    #expect(try readFile(path) == Golden.bytes("people.realm"))
  }

  #if os(Linux)
    /// The tool waits for its input, so that there is time to look.
    @Test("have temporary files that had a name for a moment", arguments: [false, true])
    func temporaryFile(hasVariable: Bool) throws {
      let tool = try RunningTool(
        "realm-cli", ["import", "-", "--format", "ndjson", "-o", folder.path("a.realm")],
        environment: hasVariable ? portable : [:])
      func spills() -> [String] { tool.openFiles.filter { $0.hasSuffix(" (deleted)") } }
      while spills().isEmpty, tool.isRunning { usleep(1000) }
      let names = spills()
      #expect(!names.isEmpty)
      for name in names {
        #expect(name.contains("/.realm-cli-") == (hasVariable || isPortable), "\(name)")
      }
      #expect(tool.end().status != 0)
      #expect(try folder.names() == [])
    }
  #endif

  @Test("only the folder Sources/CSystem/platform asks for the system")
  func oneFolder() throws {
    let words = [
      "#if os(", "__linux__", "__APPLE__", "__GLIBC__", "\"/proc", "\"/sys", "TMPFILE", "FICLONE",
      "clonefile", "renameat2", "renamex_np", "sync_file_range", "FULLFSYNC", "mremap", "MADV_",
      "st_mtim", "st_ctim", "st_atim",
    ]
    let imports = "#if canImport(Glibc)\n  import Glibc\n#else\n  import Darwin\n#endif\n"
    var count = 0
    for part in ["Commands", "Core", "CSystem"] {
      let sources = packageFolder.appending(path: "Sources/\(part)")
      for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path) {
        guard ["swift", "c", "h"].contains(URL(filePath: path).pathExtension),
          !path.hasPrefix("platform/")
        else { continue }
        let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
          .replacing(imports, with: "")
        let code = text.split(separator: "\n").filter {
          !$0.drop { $0 == " " }.hasPrefix("//")
        }.joined(separator: "\n")
        for word in words + ["Glibc", "Darwin"] {
          #expect(!code.contains(word), "\(part)/\(path): \(word)")
        }
        count += 1
      }
    }
    #expect(count > 500)
  }
}
