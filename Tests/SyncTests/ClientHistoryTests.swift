import RealmStorage
import RealmSync
import TestSupport
import Testing

@Suite("Client history")
struct ClientHistoryTests {
  @Test("a realm that never met a server has its commits pending")
  func neverUploaded() throws {
    let snapshot = try Snapshot(path: Golden.path("tasks-synced.realm"))
    let history = try #require(try ClientHistory(snapshot))
    #expect(history.fileIdent == 0)
    #expect(history.uploadClientVersion == 0)
    #expect(history.pending.map(\.version) == [2, 3])
  }

  @Test("after an upload nothing is pending, and the server's versions are stored")
  func uploaded() throws {
    let snapshot = try Snapshot(path: Golden.path("people-synced-uploaded.realm"))
    let history = try #require(try ClientHistory(snapshot))
    #expect(history.fileIdent == 2)
    #expect(history.pending.isEmpty)
    #expect(history.uploadedByteCount == history.uploadableByteCount)
  }

  @Test("a local realm has no client history")
  func local() throws {
    #expect(try ClientHistory(Snapshot(path: Golden.path("tasks-local.realm"))) == nil)
  }
}
