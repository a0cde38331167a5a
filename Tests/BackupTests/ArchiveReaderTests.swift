import Foundation
import RealmStorage
import TestSupport
import Testing

@testable import RealmBackup

@Suite("Archives that cannot be read")
struct ArchiveReaderTests {
  private static let statistics = "/proc/self/statm"

  /// Bytes of the address space in use.
  private func addressSpace() throws -> Int {
    let text = try String(contentsOfFile: Self.statistics, encoding: .utf8)
    let pages = try #require(text.split(separator: " ").first.flatMap { Int($0) })
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  @Test(
    "an archive that cannot be opened leaves no memory behind",
    .enabled(if: FileManager.default.fileExists(atPath: statistics), "needs /proc"))
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "missing.tar").path
    // Nothing writes to the buffers: they take addresses, but no memory.
    var steps = ArchiveSteps()
    steps.pieceByteCount = 1 << 26
    let before = try addressSpace()
    for _ in 0..<2048 {
      #expect(throws: RealmFileError.self) { try ArchiveReader(path: path, steps: steps) }
    }
    #expect(try addressSpace() - before < 1024 * steps.pieceByteCount)
  }
}
