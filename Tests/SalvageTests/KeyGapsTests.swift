import Testing

@testable import RealmModel
@testable import RealmSalvage

@Suite("Keys of lost objects")
struct KeyGapsTests {
  private func gap(_ keys: Range<UInt64>, _ ref: Int) -> KeyGaps.Gap {
    KeyGaps.Gap(keys: keys, ref: ref, isCluster: true)
  }

  @Test("a gap has the keys of its range")
  func keys() {
    let gaps = KeyGaps([gap(512..<768, 80), gap(0..<256, 40)])
    #expect(gaps.gap(of: 0)?.ref == 40 && gaps.gap(of: 255)?.ref == 40)
    #expect(gaps.gap(of: 256) == nil && gaps.gap(of: 511) == nil)
    #expect(gaps.gap(of: 512)?.ref == 80 && gaps.gap(of: 768) == nil)
    #expect(KeyGaps().gap(of: 0) == nil)
  }

  @Test("if gaps overlap, the first one has the common keys")
  func overlap() {
    let gaps = KeyGaps([gap(0..<100, 8), gap(50..<200, 16), gap(60..<90, 24)])
    #expect(gaps.gap(of: 70)?.ref == 8 && gaps.gap(of: 100)?.ref == 16)
  }

  @Test("the union has the gaps of both surveys")
  func union() {
    let all = KeyGaps([gap(0..<256, 8), gap(512..<768, 16)]).union(
      KeyGaps([gap(200..<300, 24), gap(512..<600, 32), gap(1024..<1280, 40)]))
    for (key, ref) in [
      (255, 8), (256, 24), (299, 24), (300, nil), (511, nil), (767, 16), (768, nil), (1279, 40),
    ] as [(UInt64, Int?)] {
      #expect(all.gap(of: key)?.ref == ref, "key \(key)")
    }
  }

  @Test("the intersection has the keys that both versions lost")
  func intersection() {
    let common = KeyGaps([gap(0..<256, 8), gap(512..<1024, 16)]).intersection(
      KeyGaps([gap(100..<600, 24), gap(1000..<2000, 32)]))
    for (key, ref) in [
      (99, nil), (100, 8), (255, 8), (256, nil), (512, 16), (600, nil), (1000, 16), (1024, nil),
    ]
      as [(UInt64, Int?)]
    {
      #expect(common.gap(of: key)?.ref == ref, "key \(key)")
    }
  }
}
