import Testing

@testable import RealmStorage

@Suite("Sets of small numbers")
struct BitSetTests {
  @Test("the last number in a range")
  func last() {
    var set = BitSet()
    #expect(set.last(in: 0..<0) == nil && set.last(in: 0..<1000) == nil)
    for number in [0, 5, 63, 64, 200] { set.insert(number) }
    let expected = [
      (0, nil), (1, 0), (5, 0), (6, 5), (63, 5), (64, 63), (65, 64), (200, 64), (201, 200),
      (1000, 200),
    ]
    for (end, last) in expected as [(Int, Int?)] {
      #expect(set.last(in: 0..<end) == last, "\(end)")
    }
    #expect(set.last(in: 65..<200) == nil && set.last(in: 6..<63) == nil)
    #expect(set.last(in: 64..<200) == 64 && set.last(in: 5..<63) == 5)
    #expect(set.last(in: 128..<1000) == 200 && set.last(in: 201..<1000) == nil)
  }
}
