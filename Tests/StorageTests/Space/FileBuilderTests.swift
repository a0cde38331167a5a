import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("File builder")
struct FileBuilderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A copy of the realm at `path`, opened.
  private func copy(_ path: String, edits: NodeEdits = NodeEdits()) throws -> Snapshot {
    let source = try Snapshot(path: path)
    let target = folder.path("copy.realm")
    let file = try OutputFile(path: target, replacing: true)
    let output = try RealmOutput(.file(file), key: nil)
    _ = try FileBuilder(
      source, top: FileBuilder.Top(of: source), edits: edits, into: output
    ).write { _ in }
    try file.publish()
    return try Snapshot(path: target)
  }

  /// Extents of all nodes below `ref`, by an independent walk.
  private func extents(_ ref: Ref, _ nodes: NodeReader) throws -> [Range<Int>] {
    let node = try nodes.node(at: ref)
    var all = [ref..<ref + node.header.nodeByteCount]
    guard node.hasRefs else { return all }
    for i in 0..<node.count {
      if case .ref(let child) = node.element(at: i) { all += try extents(child, nodes) }
    }
    return all
  }

  /// Chapter 1, section 3.1.
  @Test(
    "nodes and free list tile the result in normal form",
    arguments: Golden.names.filter { $0 != "people-encrypted" })
  func coverage(name: String) throws {
    let copy = try copy(Golden.path(name + ".realm"))
    #expect(!copy.header.isStreaming)
    #expect(copy.fileByteCount % 4096 == 0)
    #expect(copy.top.logicalSize == copy.fileByteCount)
    let nodes = try copy.makeReader()
    var all = try extents(copy.top.ref, nodes)
    let chunks = try FreeList(copy.top, nodes: nodes).chunks
    #expect(chunks.map(\.version) == [0])
    all += chunks.map { $0.offset..<$0.offset + $0.byteCount }
    all.sort { $0.lowerBound < $1.lowerBound }
    var end = 24
    for extent in all {
      #expect(extent.lowerBound == end)
      end = extent.upperBound
    }
    #expect(end == copy.top.logicalSize)
  }

  /// In a damaged realm a node may belong to two structures; an edit for one hid a node of the other.
  @Test("an edit without its node is an error")
  func missedEdit() throws {
    let path = Golden.path("people.realm")
    var edits = NodeEdits()
    let missed = 1 << 20
    edits[missed] = .elements([])
    #expect {
      _ = try copy(path, edits: edits)
    } throws: { error in
      let error = error as? RealmFileError
      return error?.kind == .damaged(.storageNodeOverlap) && error?.offset == missed
    }
  }

  @Test("a copy of a copy has the same bytes")
  func isStable() throws {
    _ = try copy(Golden.path("churned.realm"))
    let once = try Data(contentsOf: folder.url.appending(path: "copy.realm"))
    try once.write(to: folder.url.appending(path: "once.realm"))
    _ = try copy(folder.path("once.realm"))
    #expect(try Data(contentsOf: folder.url.appending(path: "copy.realm")) == once)
  }

  @Test("a realm without any commit stays one")
  func noCommit() throws {
    let path = try folder.write(
      realmBytes(top: 0, formats: (0, 0), body: Array(repeating: 0, count: 4096 - 24)),
      to: "new.realm")
    let copy = try copy(path)
    #expect(copy.top.ref == 0)
    #expect(copy.fileByteCount == 4096)
  }

  /// A realm whose table array at 32 is `tables`; its names at 24 are empty, its top array is the last.
  private func realm(tables: [UInt8], behind: [UInt8] = []) throws -> String {
    let body = node(flags: 0x08, count: 0) + tables + behind
    let top = 24 + body.count
    let size = top + 8 + 3 * 8
    let slots = [24, 32, size << 1 | 1].flatMap { littleEndianBytes($0, count: 8) }
    return try folder.write(
      realmBytes(top: top, body: body + node(flags: 0x47, count: 3, slots)), to: "made.realm")
  }

  @Test("nodes in a circle, and nodes with two parents, are damage")
  func circles() throws {
    let circle = try realm(tables: node(flags: 0x44, count: 1, [32]))
    #expect {
      _ = try copy(circle)
    } throws: { error in
      let error = error as? RealmFileError
      return error?.kind == .damaged(.storageNodeOverlap) && error?.offset == 32
    }
    // 100 refs to one node are more bytes than the file has.
    let shared = try realm(
      tables: node(flags: 0x46, count: 100, (0..<100).flatMap { _ in [184, 1, 0, 0] }),
      behind: node(flags: 0x07, count: 4, Array(repeating: 1, count: 32)))
    #expect(throws: RealmFileError.self) { _ = try copy(shared) }
  }

  @Test("an impossible ref is damage, also in few bits")
  func badRefs() throws {
    for tables in [
      node(flags: 0x43, count: 2, [0x21]), node(flags: 0x42, count: 4, [0b1001]),
      node(flags: 0x44, count: 1, [12]), node(flags: 0x44, count: 1, [16]),
      node(flags: 0x45, count: 1, [0, 0x70]),
    ] {
      let path = try realm(tables: tables)
      #expect(throws: RealmFileError.self) { _ = try copy(path) }
    }
  }

  @Test("any number of nulls and tagged integers of few bits takes no memory")
  func fewBits() throws {
    let copy = try copy(try realm(tables: node(flags: 0x40, count: 0xFF_FFFF)))
    #expect(try copy.makeReader().lookUp(copy.top.tables).count == 0xFF_FFFF)
  }

  @Test("a chain of a hundred thousand nodes is copied without recursion")
  func deep() throws {
    var tables: [UInt8] = []
    for i in 0..<100_000 {
      tables += node(flags: 0x46, count: 1, littleEndianBytes(32 + 16 * (i + 1), count: 4))
    }
    let copy = try copy(try realm(tables: tables, behind: node(flags: 0, count: 0)))
    #expect(copy.fileByteCount > 1_600_000)
  }
}
