import TestSupport
import Testing

@testable import RealmStorage

@Suite("Free list")
struct FreeListTests {
  @Test("the sum equals that of the chunks", arguments: ["empty", "people", "churned"])
  func sum(name: String) throws {
    let snapshot = try Snapshot(path: Golden.path(name + ".realm"))
    let nodes = try snapshot.makeReader()
    let chunks = try FreeList(snapshot.top, nodes: nodes).chunks
    #expect(
      try FreeList.byteCount(snapshot.top, nodes: nodes) == chunks.reduce(0) { $0 + $1.byteCount })
  }

  @Test("lengths that exceed the snapshot are damage")
  func tooLong() throws {
    let folder = try TemporaryFolder()
    var realm = try EditedRealm(golden: "people.realm")
    let lengths = realm.element(4, of: realm.top)
    realm.setElement(0, of: lengths, to: realm.element(2, of: realm.top) >> 1)
    let snapshot = try Snapshot(path: folder.write(realm.bytes, to: "x.realm"))
    let nodes = try snapshot.makeReader()
    #expect(brokenRule { _ = try FreeList.byteCount(snapshot.top, nodes: nodes) } == .freeChunk)
  }
}
