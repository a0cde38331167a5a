import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Cluster tree")
struct ClusterTreeTests {
  /// The clusters of a tree of one inner node with `childCount` children that all are the ref 2, and
  /// `room` bytes after it.
  private func clusters(_ childCount: Int, room: Int) throws -> [ClusterPosition] {
    // Two bits an element: no offsets, depth 1 and 1 object as tagged integers, then the children.
    let inner = node(
      flags: 0xC2, count: 3 + childCount,
      [0b10_11_11_00] + [UInt8](repeating: 0b10_10_10_10, count: (childCount + 2) / 4))
    let tail = [UInt8](repeating: 0, count: room)
    let size = 40 + inner.count + room
    let top = node(
      flags: 0x45, count: 3, [40, 0, 40, 0] + littleEndianBytes(size << 1 | 1, count: 2))
    let folder = try TemporaryFolder()
    let path = try folder.write(realmBytes(top: 24, body: top + inner + tail), to: "x.realm")
    let snapshot = try Snapshot(path: path)
    return try ClusterTree(root: 40, nodes: try snapshot.makeReader()).clusters()
  }

  private func brokenRule(_ childCount: Int, room: Int) throws -> RealmFileError.Kind? {
    do {
      _ = try clusters(childCount, room: room)
      return nil
    } catch let error as RealmFileError {
      return error.kind
    }
  }

  @Test("objects are found by their numbers", arguments: Golden.names)
  func numbers(name: String) throws {
    let realm = try Realm(
      Snapshot(path: Golden.path(name + ".realm"), key: try Golden.key(name)))
    let reader = try PropertyReader(realm)
    for table in realm.schema.tables where table.isClass && table.objectCount > 0 {
      var all: [ObjectKey] = []
      for cluster in try reader.clusters(of: table) {
        all += try reader.rows(at: cluster, of: table).keys
      }
      #expect(try reader.keys(ofObjects: 0..<all.count, of: table) == all)
      for start in stride(from: 0, through: all.count, by: 37) {
        for count in [0, 1, 50, 700] {
          #expect(
            try reader.keys(ofObjects: start..<(start + count), of: table)
              == Array(all.dropFirst(start).prefix(count)), "\(table.className.text) \(start)")
        }
      }
    }
  }

  @Test("a wrong number of objects in an inner node ends in fewer objects, not in a trap")
  func wrongNumbers() throws {
    let editor = try RealmEditor("people.realm")
    let table = try editor.table("Person")
    let root = try editor.node(table.clusters)
    try #require(root.isInner)
    let folder = try TemporaryFolder()
    let largest = 1 << (root.width - 2) - 1
    for stated in [0, 1, table.objectCount - 1, table.objectCount + 1, largest] {
      let editor = try RealmEditor("people.realm")
      try editor.set(root.ref, ClusterTree.Slot.objectCount, stated << 1 | 1)
      let path = try folder.write(editor.bytes, to: "x.realm")
      let reader = try PropertyReader(try Realm(path: path))
      let keys = try reader.keys(ofObjects: 0..<Int.max, of: table)
      #expect(keys.count == min(stated, table.objectCount))
    }
  }

  @Test("an inner node has at most 256 children")
  func tooManyChildren() throws {
    #expect(try clusters(256, room: 4096).count == 256)
    #expect(try brokenRule(257, room: 8192) == .damaged(.clusterInner))
  }

  /// Children are opened when they are read; until then four of them take one byte of the file.
  @Test("a tree has no more clusters than the file has room for")
  func tooManyClusters() throws {
    #expect(try brokenRule(256, room: 0) == .damaged(.storageNodeOverlap))
  }
}
