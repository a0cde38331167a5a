import RealmBuilding
import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmSync

@Suite("Columns of written histories")
struct HistoryColumnWritersTests {
  /// A realm whose history is a single column.
  private func realm(
    in folder: TemporaryFolder,
    _ column: @escaping @Sendable (FileNodes) throws(RealmFileError) -> Ref
  ) throws -> Snapshot {
    let path = folder.path("a.realm")
    let source = try Snapshot(path: Golden.path("empty.realm"))
    let file = try OutputFile(path: path, replacing: true)
    _ = try FileBuilder(
      source, top: FileBuilder.Top(of: source), edits: NodeEdits(),
      history: { (writer) throws(RealmFileError) in
        let nodes = FileNodes(writer)
        let root = try column(nodes)
        try nodes.flush()
        return (
          root,
          RealmFileWriter.Facts(
            version: 1, historyType: 3, historySchemaVersion: 12, fileIdent: 0)
        )
      },
      into: try RealmOutput(.file(file), key: nil)
    ).write { _ in }
    try file.publish()
    return try Snapshot(path: path)
  }

  @Test(
    "columns of any number of entries are read back",
    arguments: [0, 1, 999, 1000, 1001, 2500, 1_000_000, 1_002_500])
  func counts(count: Int) throws {
    let folder = try TemporaryFolder()
    let snapshot = try realm(in: folder) { (nodes) throws(RealmFileError) in
      var column = IntegerColumnWriter(into: nodes)
      for i in 0..<count { try column.append(Int64(i) * 3) }
      return try column.finish()
    }
    var column = HistoryColumn(root: snapshot.top.history, nodes: try snapshot.makeReader())
    var next: Int64 = 0
    while let value = try column.next() {
      guard value == next else {
        Issue.record("\(value) after \(next - 3)")
        break
      }
      next += 3
    }
    #expect(next == Int64(count) * 3)
  }

  @Test("binaries of all lengths are read back: null, empty, short, long, and in pieces")
  func binaries() throws {
    let values: [[UInt8]?] = [
      nil, [], [1, 2, 3], [UInt8](repeating: 7, count: 64), [UInt8](repeating: 8, count: 65),
      [UInt8](repeating: 9, count: 0xFF_FFF0), [UInt8](repeating: 5, count: 0xFF_FFF1), [4],
    ]
    let folder = try TemporaryFolder()
    for some in [Array(values[0..<4]), values, []] {
      let snapshot = try realm(in: folder) { (nodes) throws(RealmFileError) in
        var column = BinaryColumnWriter(into: nodes)
        for value in some { try column.append(value) }
        return try column.finish()
      }
      let nodes = try snapshot.makeReader()
      var column = BinaryColumn(root: snapshot.top.history, nodes: nodes)
      var read: [[UInt8]?] = []
      while let leaf = try column.next() { read += leaf.map { $0?.bytes } }
      #expect(read == some)
      var single = BinaryValues(root: snapshot.top.history, nodes: nodes)
      var (all, starts): ([[UInt8]?], [[UInt8]?]) = ([], [])
      while let value = try single.next() {
        let start = try value.start(limit: 10)
        all.append(try value.bytes()?.bytes)
        #expect(start?.byteCount == all.last??.count)
        starts.append(start?.bytes.bytes)
      }
      #expect(all == some)
      #expect(starts == some.map { $0.map { Array($0.prefix(10)) } })
    }
  }
}
