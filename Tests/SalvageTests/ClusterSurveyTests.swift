import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmSalvage

@Suite("The keys of clusters of damaged trees")
struct ClusterSurveyTests {
  /// - Parameter relativeKeys: relative to `base`.
  private func keys(
    _ relativeKeys: [Int], base: UInt64, limit: UInt64? = nil
  ) throws -> [UInt64]? {
    var file = HandBuiltNodes()
    let keys = file.add(integers: relativeKeys)
    let cluster = file.add(integers: [keys], flags: NodeFlags.refs)
    return try file.read { nodes in
      let place = ClusterPosition(ref: cluster, base: base, limit: limit, isRoot: false)
      return ClusterSurvey.keys(
        of: try Cluster(nodes.lookUp(cluster), base: base, nodes: nodes), place)
    }
  }

  @Test("ascending keys within their limit are accepted")
  func valid() throws {
    #expect(try keys([0, 3, 9], base: 1000, limit: 10) == [1000, 1003, 1009])
  }

  @Test(
    "keys that no object can have are refused",
    arguments: [
      ([3, 0], 1000, nil), ([0, 10], 1000, 10), ([0], 1 << 63, nil), ([], 1 << 63, nil),
      // The sum wraps to 4 and 5.
      ([5, 6], .max, nil), ([5, 6], .max, 10),
    ] as [([Int], UInt64, UInt64?)])
  func refused(relativeKeys: [Int], base: UInt64, limit: UInt64?) throws {
    #expect(try keys(relativeKeys, base: base, limit: limit) == nil)
  }

  // MARK: Trees

  /// A tree whose root has the children that `children` returns, each at a multiple of 256 keys.
  private func survey(
    depth: Int = 1, _ children: (inout HandBuiltNodes) -> [Int]
  ) throws -> ClusterSurvey {
    var file = HandBuiltNodes()
    let children = children(&file)
    let root = file.add(
      integers: [0, depth << 1 | 1, 1 << 20 | 1] + children, flags: NodeFlags.innerRefs)
    return try file.read { nodes in try ClusterSurvey(root: root, nodes) }
  }

  @Test("a child that is not a ref costs its own keys, not those of its siblings")
  func badChild() throws {
    let survey = try survey { file in
      // The first element of a cluster without keys is the tagged number of its objects.
      let clusters = (0..<3).map { _ in file.add(integers: [5 << 1 | 1], flags: NodeFlags.refs) }
      return [clusters[0], 77, 0, clusters[1], 1 << 40, clusters[2]]
    }
    #expect(survey.clusters.map(\.keys) == [0...4, 768...772, 1280...1284])
    #expect(survey.objectCount == 15)
    #expect(survey.holes.map(\.place.keys) == [256..<512, 512..<768, 1024..<1280])
    #expect(survey.holes.map(\.depth) == [1, 1, 1])
    #expect(survey.lostLimit == 3 * 256)
    // 77 is the tagged number 38.
    #expect(survey.holes.first?.message.contains("38") == true)
  }

  @Test(
    "a lost inner node can have 256 objects in each of 256 clusters, but not more than there are keys"
  )
  func limits() throws {
    func limit(_ depth: Int?, base: UInt64 = 0, _ limit: UInt64? = nil) -> Int {
      ClusterSurvey.Hole(
        place: ClusterPosition(ref: 0, base: base, limit: limit, isRoot: false), depth: depth,
        message: ""
      ).objectLimit
    }
    #expect(limit(1) == 256 && limit(2) == 65_536 && limit(7) == 1 << 56)
    #expect(limit(2, 1000) == 1000)
    // All keys of objects: numbers below 2 to the power of 63.
    #expect(limit(8) == .max && limit(nil) == .max && limit(64) == .max)
    #expect(limit(1, base: 1 << 63) == 0 && limit(1, base: .max, 5) == 0)
    #expect(limit(1, base: (1 << 63) - 3) == 3)
  }

  @Test("missing children take no more memory than the file has room for nodes")
  func missing() throws {
    let survey = try survey(depth: 2) { file in
      // 256 children that are 0, of four bits each, behind the elements 0, 3 (depth 1) and 1 (no objects).
      let payload = [0x30, 0x01] + [UInt8](repeating: 0, count: 128)
      return (0..<200).map { _ in
        file.add(flags: NodeFlags.innerRefs | 3, count: 259, payload)
      }
    }
    // The file has 200 nodes of 144 bytes and a root of 1,632: room for 1,903 nodes of 16 bytes.
    #expect(survey.clusters.isEmpty)
    #expect((256...1903).contains(survey.holes.count))
  }
}
