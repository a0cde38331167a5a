import Testing

@testable import RealmStorage

@Suite("Sets of small numbers")
struct BitSetTests {
  @Test("the last number before another one")
  func last() {
    var set = BitSet()
    #expect(set.last(before: 0) == nil && set.last(before: 1000) == nil)
    for number in [0, 5, 63, 64, 200] { set.insert(number) }
    let expected = [
      (0, nil), (1, 0), (5, 0), (6, 5), (63, 5), (64, 63), (65, 64), (200, 64), (201, 200),
      (1000, 200),
    ]
    for (end, last) in expected as [(Int, Int?)] {
      #expect(set.last(before: end) == last, "\(end)")
    }
  }
}
