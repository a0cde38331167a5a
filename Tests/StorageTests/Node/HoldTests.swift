import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Lifetime of bytes")
struct HoldTests {
  /// Blobs of a page and a half each, one after another from offset 24 on, filled with their numbers.
  private static let blobByteCount = 6144
  private static let blobCount = 200
  private let folder: TemporaryFolder
  private let counting = (0..<64).map { UInt8($0) }

  init() throws { folder = try TemporaryFolder() }

  private static func ref(_ blob: Int) -> Ref { 24 + 40 + blob * (blobByteCount + 8) }

  private static func content(_ blob: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(blob + 1), count: blobByteCount)
  }

  /// A realm with only a top array and the blobs after it.
  private func file() -> [UInt8] {
    let size = HoldTests.ref(HoldTests.blobCount)
    let top = node(
      flags: 0x46, count: 3,
      [40, 0, 0, 0, 40, 0, 0, 0] + littleEndianBytes(size << 1 | 1, count: 4))
    let body =
      top + [UInt8](repeating: 0, count: 40 - top.count)
      + (0..<HoldTests.blobCount).flatMap {
        node(flags: 0x17, count: HoldTests.blobByteCount, HoldTests.content($0))
      }
    return realmBytes(top: 24, body: body)
  }

  private func isRight(_ slice: ByteSlice, _ blob: Int) -> Bool {
    slice.bytes == HoldTests.content(blob)
  }

  @Test("a slice outlives reader, snapshot and dropped pages")
  func outlives() throws {
    let path = try folder.write(PageEncryptor(key: counting).file(file()), to: "x.realm")
    let key = try RealmKey(bytes: counting)
    var slices: [(slice: ByteSlice, blob: Int, hold: Hold)] = []
    do {
      let snapshot = try Snapshot(path: path, key: key, cacheByteCount: 0)
      do {
        let reader = try snapshot.makeReader()
        #expect(!reader.keepsAllBytes)
        // Before all marks.
        let early = try reader.node(at: HoldTests.ref(100)).bytes
        let mark = reader.mark()
        for blob in 0..<40 {
          let slice = try reader.node(at: HoldTests.ref(blob)).bytes
          let inner = reader.mark()
          _ = try reader.node(at: HoldTests.ref(blob + 120))
          reader.release(to: inner)
          let hold = reader.hold(since: mark)
          slices.append((slice, blob, hold))
          slices.append((early, 100, hold))
        }
        // Blobs that share a page with one that is held.
        for blob in 0..<40 {
          #expect(isRight(try reader.node(at: HoldTests.ref(blob)).bytes, blob))
          reader.release(to: mark)
        }
        #expect(isRight(early, 100))
      }
      let other = try snapshot.makeReader()
      for _ in 0..<3 {
        for blob in 0..<HoldTests.blobCount {
          let mark = other.mark()
          #expect(isRight(try other.node(at: HoldTests.ref(blob)).bytes, blob))
          other.release(to: mark)
        }
      }
    }
    for (slice, blob, hold) in slices {
      withExtendedLifetime(hold) { #expect(isRight(slice, blob)) }
    }
  }

  @Test("a slice of a plain realm outlives reader and snapshot, as does one that was joined")
  func plain() throws {
    let path = try folder.write(file(), to: "x.realm")
    func read() throws -> (ByteSlice, ByteSlice, Hold) {
      let reader = try Snapshot(path: path).makeReader()
      let mark = reader.mark()
      let slice = try reader.node(at: HoldTests.ref(3)).bytes
      let joined = try reader.joined(at: HoldTests.ref(4)) { () throws(RealmFileError) in
        [slice, try reader.node(at: HoldTests.ref(4)).bytes]
      }
      return (slice, joined, reader.hold(since: mark))
    }
    let (slice, joined, hold) = try read()
    withExtendedLifetime(hold) {
      #expect(isRight(slice, 3))
      #expect(joined.bytes == HoldTests.content(3) + HoldTests.content(4))
    }
  }

  @Test(
    "joined values of open scopes have at most the bytes of the file; a single piece is no copy")
  func joinedBytes() throws {
    let path = try folder.write(file(), to: "x.realm")
    let reader = try Snapshot(path: path).makeReader()
    let all = try (0..<HoldTests.blobCount).map { try reader.lookUp(HoldTests.ref($0)).bytes }
    func join(_ blob: Int, _ pieces: [ByteSlice]) throws -> ByteSlice {
      try reader.joined(at: HoldTests.ref(blob)) { pieces }
    }
    // Almost the whole file, repeatedly.
    for _ in 0..<3 {
      let mark = reader.mark()
      #expect(try join(0, all).count == all.reduce(0) { $0 + $1.count })
      // Identified by its place.
      #expect(try join(0, []).count == all.reduce(0) { $0 + $1.count })
      #expect {
        _ = try join(1, [all[1], all[2]])
      } throws: { error in
        let error = error as? RealmFileError
        return error?.kind == .damaged(.storageNodeOverlap) && error?.offset == HoldTests.ref(1)
      }
      for blob in 1..<10 { #expect(isRight(try join(blob, [all[blob]]), blob)) }
      reader.release(to: mark)
    }
  }

  @Test("pages can be dropped after the last hold is released")
  func released() throws {
    let path = try folder.write(PageEncryptor(key: counting).file(file()), to: "x.realm")
    let descriptor = try FileDescriptor.openForReading(path)
    let mapping = try MappedFile(descriptor: descriptor.number, count: descriptor.size())
    let cache = try pageCache(mapping, RealmKey(bytes: counting), byteCount: 0)
    let reader = NodeReader(
      source: ByteSource(pages: try PageView(of: cache)), logicalSize: cache.count)
    let start = reader.mark()
    var holds: [Hold] = []
    for blob in 0..<100 {
      let outer = reader.mark()
      _ = try reader.node(at: HoldTests.ref(blob))
      let inner = reader.mark()
      _ = try reader.node(at: HoldTests.ref(199 - blob))
      holds.append(reader.hold(since: inner))
      if blob % 3 == 0 { holds.append(reader.hold(since: outer)) }
    }
    // 200 blobs of a page and a half, and the page of the header.
    #expect(cache.residentPages >= 300)
    reader.release(to: start)
    #expect(cache.residentPages >= 300)
    holds = []
    for blob in 0..<4 {
      _ = try reader.node(at: HoldTests.ref(blob))
      reader.release(to: start)
    }
    #expect(cache.residentPages <= 64 + 4)
  }
}
