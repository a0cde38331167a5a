import RealmStorage
import TestSupport
import Testing

@testable import RealmBackup

/// Archives are read and written in blocks, and their members in pieces. Where one ends must not matter.
@Suite("Edges of blocks of archives")
struct ArchiveStepTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func steps(_ block: Int, _ piece: Int) -> ArchiveSteps {
    var steps = ArchiveSteps()
    (steps.blockByteCount, steps.pieceByteCount) = (block, piece)
    return steps
  }

  private static let members: [(name: String, bytes: [UInt8])] = {
    var random = SplitMix64(seed: 56)
    return [
      ("é/one", [7]), ("a/random", random.bytes(700)),
      ("zeros", Array(repeating: 0, count: 600)), ("text", Array("text\r\n".utf8)),
      // A 7z archive has empty members at its end.
      ("empty", []),
    ]
  }()

  private func written(_ format: ArchiveFormat, _ steps: ArchiveSteps) throws -> [UInt8] {
    let sink = MemorySink()
    let writer = try ArchiveWriter(format, level: nil, into: sink, steps: steps)
    let attributes = FileAttributes(
      mode: 0o644, seconds: 1_700_000_000, nanoseconds: 0)
    for (i, member) in Self.members.enumerated() {
      if i % 2 == 0 {
        let path = try folder.write(member.bytes, to: "member")
        var counts: [Int] = []
        try writer.add(
          member.name, try FileDescriptor.openForReading(path), size: member.bytes.count,
          attributes
        ) { counts.append($0) }
        #expect(counts.last ?? 0 == member.bytes.count)
      } else {
        try writer.add(member.name, member.bytes, attributes)
      }
    }
    try writer.close()
    return sink.bytes
  }

  private func expectMembers(_ path: String, _ steps: ArchiveSteps) throws {
    let reader = try ArchiveReader(path: path, steps: steps)
    for expected in Self.members {
      let member = try #require(try reader.next())
      #expect(member.name == expected.name)
      #expect(try reader.readAll(limit: 1000) == expected.bytes, "\(expected.name), \(steps)")
    }
    #expect(try reader.next() == nil)
  }

  @Test("archives are the same, and are read the same", arguments: ArchiveFormat.allCases)
  func sizes(format: ArchiveFormat) throws {
    let whole = try written(format, ArchiveSteps())
    let path = try folder.write(whole, to: "archive")
    try expectMembers(path, ArchiveSteps())
    for size in Array(1...64) + [511, 512, 513, 700] {
      #expect(try written(format, steps(size, 65 - min(size, 64))) == whole, "\(size) bytes")
      try expectMembers(path, steps(size, ArchiveSteps().pieceByteCount))
      try expectMembers(path, steps(ArchiveSteps().blockByteCount, size))
      try expectMembers(path, steps(size, size))
    }
  }

  @Test(
    "an archive that ends at any byte gives the same error", arguments: [ArchiveFormat.tar, .zip])
  func truncated(format: ArchiveFormat) throws {
    let whole = try written(format, ArchiveSteps())
    func read(_ path: String, _ steps: ArchiveSteps) -> [String] {
      var found: [String] = []
      do {
        let reader = try ArchiveReader(path: path, steps: steps)
        while let member = try reader.next() {
          found.append("\(member.name ?? "") \(try reader.readAll(limit: 1000)?.count ?? -1)")
        }
      } catch {
        found.append("error")
      }
      return found
    }
    for count in stride(from: 1, to: whole.count, by: 29) {
      let path = try folder.write(Array(whole[..<count]), to: "archive")
      let expected = read(path, ArchiveSteps())
      for size in [1, 13, 512] {
        #expect(read(path, steps(size, size)) == expected, "the first \(count) bytes, by \(size)")
      }
    }
  }
}
