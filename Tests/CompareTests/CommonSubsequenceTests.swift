import TestSupport
import Testing

@testable import RealmCompare

@Suite("CommonSubsequence")
struct CommonSubsequenceTests {
  /// The length by the textbook's table.
  private static func length(_ a: [Int], _ b: [Int]) -> Int {
    var row = Array(repeating: 0, count: b.count + 1)
    for x in a {
      var diagonal = 0
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = x == y ? diagonal + 1 : max(above, row[j])
        diagonal = above
      }
    }
    return row[b.count]
  }

  @Test("what lies between the gaps is common, and as long as possible")
  func longest() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<300 {
      let a = (0..<Int.random(in: 0...150, using: &random)).map { _ in
        Int.random(in: 0..<5, using: &random)
      }
      let b = (0..<Int.random(in: 0...150, using: &random)).map { _ in
        Int.random(in: 0..<5, using: &random)
      }
      let gaps = CommonSubsequence.gaps(a, b)
      var (common, other): ([Int], [Int]) = ([], [])
      var (i, j) = (0, 0)
      for gap in gaps {
        common += a[i..<gap.old.lowerBound]
        other += b[j..<gap.new.lowerBound]
        (i, j) = (gap.old.upperBound, gap.new.upperBound)
      }
      common += a[i...]
      other += b[j...]
      #expect(common == other)
      #expect(common.count == Self.length(a, b))
    }
  }
}
