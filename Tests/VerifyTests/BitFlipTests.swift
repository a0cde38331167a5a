import RealmInterchange
import RealmJobs
import RealmVerify
import TestJobs
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

@Suite("Verify of flipped bits")
struct BitFlipTests {
  /// The bytes of all reachable nodes.
  private func reachable(_ editor: RealmEditor) throws -> [Range<Int>] {
    var map = SpaceMap(byteCount: editor.top.logicalSize)
    var walk = NodeWalk(editor.top, nodes: editor.reader.nodes, limit: 10) { _ in nil }
    try walk.run()
    // Space without nodes is free; the header is not a node.
    for gap in walk.map.gaps(from: 24) { _ = map.take(gap) }
    _ = map.take(0..<24)
    return map.gaps(from: 0)
  }

  /// Flips one bit after another at random places of reachable nodes. Verify must find each flip that makes an
  /// export fail, and must end.
  ///
  /// - Returns: the number of found flips, and of flips that an export failed on.
  private func flip(
    _ name: String, count: Int, seed: UInt64
  ) throws -> (found: Int, failing: Int) {
    let editor = try RealmEditor(name)
    let ranges = try reachable(editor)
    let total = ranges.reduce(0) { $0 + $1.count }
    var random = SplitMix64(seed: seed)
    let original = editor.bytes
    var (found, failing) = (0, 0)
    let folder = try TemporaryFolder()
    for _ in 0..<count {
      var place = Int.random(in: 0..<total, using: &random)
      let range = ranges.first { range in
        if place < range.count { return true }
        place -= range.count
        return false
      }
      let offset = try #require(range).lowerBound + place
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      editor.bytes = original
      editor.bytes[offset] ^= bit
      let path = try folder.write(editor.bytes, to: "x.realm")
      let job = VerifyJob(VerifyJob.Request(path: path, maxFindings: 3))
      let isFound: Bool
      do {
        let report = try job.run()
        isFound = report.count(.error) + report.count(.warning) > 0
      } catch {
        // A history of an unknown kind has its own error.
        guard case .unknownHistory? = error.fileKind else { throw error }
        continue
      }
      if isFound { found += 1 }
      if let error = exportError(path) {
        failing += 1
        #expect(isFound, "\(name), seed \(seed): bit \(bit) of byte \(offset): \(error)")
      }
    }
    return (found, failing)
  }

  private func exportError(_ path: String) -> (any Error)? {
    do {
      _ = try export(path, as: .coreXJSONPlus)
      return nil
    } catch {
      return error
    }
  }

  @Test("a flipped bit that an export fails on is found", arguments: ["people", "links"])
  func flips(name: String) throws {
    let result = try flip(name + ".realm", count: 60, seed: 20_261_121)
    #expect(result.failing > 0)
    #expect(result.found >= result.failing)
  }

  /// The flips, out of 20,000, that the reference, built with its assertions, refused and that were not
  /// found at first: it takes a node of bytes with this flag for an array of pieces.
  @Test("bytes that are marked as an array of pieces are an error", arguments: [34116, 226372])
  func markedBytes(offset: Int) throws {
    let editor = try RealmEditor("people.realm")
    editor.bytes[offset] ^= 1 << 5
    let report = try editor.verify()
    #expect(report.findings.map(\.rule) == [.nodeContext])
    #expect(report.count(.error) == 1)
  }
}
