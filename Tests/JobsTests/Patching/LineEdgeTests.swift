import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Lines of changes are written in pieces. Where one ends must not matter.
@Suite("Edges of written lines")
struct LineEdgeTests {
  private static func document(_ objects: String) -> String {
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":1},"schema":["#
      + #"{"name":"P é","primaryKey":"_id","properties":{"_id":"int","s":"string?","l":"int[]"}}],"#
      + #""objects":{"P é":[\#(objects)]}}"#
  }

  @Test("patches and changes are the same, however much is written at a time")
  func changes() throws {
    let folder = try TemporaryFolder()
    let old = Self.document(
      #"{"_id":1,"s":"é\n","l":[1]},{"_id":2,"s":null,"l":[]},{"_id":3,"s":"","l":[]}"#)
    let new = Self.document(
      #"{"_id":1,"s":"日\"","l":[2,1]},{"_id":3,"s":"","l":[4]},{"_id":4,"s":"x","l":[]}"#)
    let diff = RealmDiff(
      from: try Realm(path: try folder.importRealm(old, as: "old")),
      to: try Realm(path: try folder.importRealm(new, as: "new")))
    func patch(_ size: Int?) throws -> String {
      let sink = MemorySink()
      var lines = try PatchLines(to: sink, of: diff)
      if let size { lines.pieceByteCount = size }
      _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
      try lines.finish()
      return sink.text
    }
    func changes(_ size: Int?) throws -> String {
      let sink = MemorySink()
      var lines = try ChangeLines(to: sink, of: diff)
      if let size { lines.pieceByteCount = size }
      _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
      try lines.finish()
      return sink.text
    }
    let (wholePatch, wholeChanges) = (try patch(nil), try changes(nil))
    #expect(wholePatch.split(separator: "\n").count == 6, "\(wholePatch)")
    #expect(wholeChanges.split(separator: "\n").count == 5, "\(wholeChanges)")
    for size in 1...64 {
      #expect(try patch(size) == wholePatch, "pieces of \(size) bytes")
      #expect(try changes(size) == wholeChanges, "pieces of \(size) bytes")
    }
  }

  @Test("changes that are not uploaded are the same, however much is written at a time")
  func unsynced() throws {
    func changes(_ size: Int?) throws -> String {
      var job = UnsyncedExportJob()
      if let size { job.flushByteCount = size }
      let sink = MemorySink()
      _ = try job.run(
        open: { try Snapshot(path: Golden.path("tasks-synced.realm"), key: nil, access: $0) },
        makeOutput: { _ in .text(sink) }, canStartOver: false)
      return sink.text
    }
    let whole = try changes(nil)
    #expect(whole.split(separator: "\n").count > 3, "\(whole)")
    for size in 1...64 { #expect(try changes(size) == whole, "pieces of \(size) bytes") }
  }
}
