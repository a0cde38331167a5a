import RealmStorage
import TestSupport

@testable import RealmModel

/// Calls `body` with a reader of the nodes that `encode` appends.
func reading<R>(
  _ encode: (NodeBuffer) throws -> Ref, _ body: (NodeReader, Ref) throws -> R
) throws -> R {
  let nodes = NodeBuffer()
  let ref = try encode(nodes)
  let folder = try TemporaryFolder()
  let file = try OutputFile(path: folder.path("x.realm"), replacing: false)
  let writer = try RealmFileWriter(into: try RealmOutput(.file(file), key: nil), format: 24)
  let move = nodes.move(to: writer.position)
  try nodes.write(to: writer)
  let facts = RealmFileWriter.Facts(
    version: 1, historyType: 2, historySchemaVersion: 1, fileIdent: 0)
  // Any nodes will do for what is not looked at.
  let names = try writer.append(node(flags: 0x08, count: 0))
  let tables = try writer.append(node(flags: 0x40, count: 0))
  _ = try writer.finish(RealmFileWriter.Trees(tableNames: names, tables: tables), facts)
  try file.publish()
  let snapshot = try Snapshot(path: folder.path("x.realm"))
  return try body(try snapshot.makeReader(), move[ref])
}

/// The bytes of the nodes that `encode` appends, from the last one back: the last node, then the one before
/// it in the file, and so on.
func encoded(_ encode: (NodeBuffer) throws -> Ref) throws -> [UInt8] {
  let nodes = NodeBuffer(base: 24)
  _ = try encode(nodes)
  let sink = MemoryOutput()
  let writer = try RealmFileWriter(
    into: try RealmOutput(.stream(sink), key: nil), format: 24)
  try nodes.write(to: writer)
  let count = nodes.byteCount
  _ = try writer.finish(
    RealmFileWriter.Trees(tableNames: 24, tables: 24),
    RealmFileWriter.Facts(version: 1, historyType: 2, historySchemaVersion: 1, fileIdent: 0))
  return Array(sink.bytes[24..<(24 + count)])
}

/// Collects a realm in memory.
final class MemoryOutput: OutputSink, @unchecked Sendable {
  private(set) var bytes: [UInt8] = []

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  func publish() {}
}
