import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Realm file writer")
struct RealmFileWriterTests {
  private let folder: TemporaryFolder
  private let facts = RealmFileWriter.Facts(
    version: 7, historyType: 2, historySchemaVersion: 1, fileIdent: 9)

  init() throws { folder = try TemporaryFolder() }

  /// Chapter 1, sections 1.1, 1.5 and 2.
  @Test("header, footer and top array have the bytes of the format")
  func ends() {
    #expect(
      FileHeader.encode(top: 0x1_0203_0405_0608, format: 24)
        == hexadecimalBytes("0806050403020100 0000000000000000 542D4442 18 00 00 00"))
    #expect(
      FileHeader.encodeFooter(top: 0x28)
        == hexadecimalBytes("2800000000000000 C826E53752123430"))
    let trees = RealmFileWriter.Trees(tableNames: 24, tables: 32, history: 40)
    func top(_ slotCount: Int) -> [UInt8] {
      TopArray.encode(
        trees, facts, logicalSize: 4096,
        freeList: FreeList.Refs(positions: 48, lengths: 56, versions: 64), slotCount: slotCount)
    }
    let slots = [24, 32, 4096 * 2 + 1, 48, 56, 64, 7 * 2 + 1, 2 * 2 + 1, 40, 1 * 2 + 1, 9 * 2 + 1]
    for count in [7, 9, 10, 11] {
      #expect(
        top(count)
          == node(
            flags: 0x47, count: count,
            slots.prefix(count).flatMap { littleEndianBytes($0, count: 8) }))
    }
  }

  /// Blobs of 5 bytes, each the number of the part.
  private func part(_ number: Int, blobs: Int) -> [[UInt8]] {
    (0..<blobs).map { _ in node(flags: 0x17, count: 5, [UInt8](repeating: UInt8(number), count: 5))
    }
  }

  /// Writes two parts, one after another, each with its refs moved to its place.
  private func write(into output: RealmOutput) throws -> Int {
    let writer = try RealmFileWriter(into: output, format: .current)
    #expect(writer.position == 24)
    var roots: [Int64] = []
    for number in 1...2 {
      let start = writer.position
      let blobs = part(number, blobs: 100 * number)
      // Each blob takes 16 bytes.
      let refs = blobs.indices.map { Int64(start + 16 * $0) }
      let root = NodeEncoder.integers(kind: NodeEncoder.hasRefs, refs)
      #expect(try writer.append(blobs.flatMap(\.self)) == start)
      roots.append(Int64(try writer.append(root)))
    }
    let tables = try writer.append(NodeEncoder.integers(kind: NodeEncoder.hasRefs, roots))
    let names = try writer.append(node(flags: 0x08, count: 0))
    return try writer.finish(RealmFileWriter.Trees(tableNames: names, tables: tables), facts)
  }

  private func check(_ path: String, key: RealmKey?, isStreaming: Bool, size: Int) throws {
    let snapshot = try Snapshot(path: path, key: key)
    #expect(snapshot.fileByteCount == size)
    #expect(snapshot.header.isStreaming == isStreaming)
    #expect(snapshot.format == 24)
    let top = snapshot.top
    #expect(top.version == 7)
    #expect(top.historyType == 2)
    #expect(top.historySchemaVersion == 1)
    #expect(top.fileIdent == 9)
    #expect(top.history == 0)
    let nodes = try snapshot.makeReader()
    let tables = try nodes.node(at: top.tables)
    #expect(tables.count == 2)
    for number in 1...2 {
      let root = try nodes.node(at: tables.ref(at: number - 1))
      #expect(root.count == 100 * number)
      for i in 0..<root.count {
        #expect(
          try nodes.node(at: root.ref(at: i)).bytes.bytes
            == [UInt8](repeating: UInt8(number), count: 5))
      }
    }
    let free = try FreeList(top, nodes: nodes).chunks
    guard !isStreaming else { return #expect(free == []) }
    #expect(free.count == 1)
    #expect(free.first?.offset == top.ref + top.byteCount)
    #expect(free.first?.byteCount == top.logicalSize - top.ref - top.byteCount)
  }

  @Test("encoded nodes become a realm in normal form", arguments: [false, true])
  func file(isEncrypted: Bool) throws {
    let path = folder.path("x.realm")
    let key = isEncrypted ? try RealmKey.random() : nil
    let file = try OutputFile(path: path, replacing: false)
    let size = try write(into: try RealmOutput(.file(file), key: key))
    try file.publish()
    try check(path, key: key, isStreaming: false, size: size)
  }

  @Test("encoded nodes become a realm in streaming form", arguments: [false, true])
  func stream(isEncrypted: Bool) throws {
    let key = isEncrypted ? try RealmKey.random() : nil
    let sink = MemorySink()
    let size = try write(into: try RealmOutput(.stream(sink), key: key))
    #expect(sink.bytes.count == size)
    let path = try folder.write(sink.bytes, to: "x.realm")
    try check(path, key: key, isStreaming: true, size: size)
  }

  @Test("without trees it is a realm without any commit")
  func empty() throws {
    let path = folder.path("x.realm")
    let file = try OutputFile(path: path, replacing: false)
    let writer = try RealmFileWriter(into: try RealmOutput(.file(file), key: nil), format: .none)
    #expect(try writer.finish(nil, facts) == 4096)
    try file.publish()
    #expect(try Snapshot(path: path).top.ref == 0)
  }
}
