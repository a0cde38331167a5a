import RealmStorage
import Testing

@testable import RealmModel

@Suite("The keys of clusters of damaged trees")
struct ClusterSurveyTests {
  /// - Parameter relativeKeys: relative to `base`.
  private func keys(
    _ relativeKeys: [Int], base: UInt64, limit: UInt64? = nil
  ) throws -> [UInt64]? {
    var file = HandBuiltNodes()
    let keys = file.add(integers: relativeKeys)
    let cluster = file.add(integers: [keys], flags: Flags.refs)
    return try file.read { nodes in
      let place = ClusterPosition(ref: cluster, base: base, limit: limit, isRoot: false)
      return ClusterSurvey.keys(
        of: try Cluster(nodes.lookUp(cluster), base: base, nodes: nodes), place)
    }
  }

  @Test("ascending keys within their limit are taken")
  func sound() throws {
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
}
