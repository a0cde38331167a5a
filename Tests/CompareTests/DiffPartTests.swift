import TestSupport
import Testing

@testable import RealmCompare
@testable import RealmModel

@Suite("DiffPart")
struct DiffPartTests {
  /// Clusters at random keys, each with the keys up to the next one; the last one with ten.
  private static func clusters(
    _ count: Int, below end: UInt64, _ random: inout SplitMix64
  ) -> [KeyedCluster] {
    var bases = Set<UInt64>()
    while bases.count < count { bases.insert(UInt64.random(in: 0..<end, using: &random)) }
    let sorted = bases.sorted()
    return sorted.indices.map { i in
      let next = i + 1 < sorted.count ? sorted[i + 1] : sorted[i] + 10
      let position = ClusterPosition(
        ref: 8 * (i + 1), base: sorted[i], limit: next - sorted[i], isRoot: false)
      return KeyedCluster(position: position, keys: sorted[i]..<next)
    }
  }

  @Test("each key is in one part with its clusters, and no cluster in more than two parts")
  func parts() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<300 {
      let old = Self.clusters(
        Int.random(in: 0...40, using: &random),
        below: UInt64.random(in: 100...2000, using: &random),
        &random)
      let new = Self.clusters(
        Int.random(in: 0...40, using: &random),
        below: UInt64.random(in: 100...2000, using: &random),
        &random)
      let parts = DiffPart.parts(old, new)
      #expect(parts.first?.keys.lowerBound == 0)
      #expect(parts.last?.keys.upperBound == .max)
      for (part, next) in zip(parts, parts.dropFirst()) {
        #expect(part.keys.upperBound == next.keys.lowerBound)
      }
      let sides: [([KeyedCluster], (DiffPart) -> [ClusterPosition])] = [
        (old, { $0.old }), (new, { $0.new }),
      ]
      for (clusters, side) in sides {
        for cluster in clusters {
          let having = parts.filter { part in
            side(part).contains { $0.base == cluster.position.base }
          }
          #expect(having.count == 1 || having.count == 2)
          let overlapping = parts.filter { $0.keys.overlaps(cluster.keys) }
          #expect(having.map(\.keys) == overlapping.map(\.keys))
        }
      }
    }
  }
}
