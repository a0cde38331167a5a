import TestSupport
import Testing

@testable import RealmModel

@Suite("Numbers of distinct values")
struct DistinctCountTests {
  @Test("up to 4,095 values are counted exactly, however often they come", arguments: [0, 1, 4095])
  func exact(count: Int) {
    var distinct = DistinctCount()
    for round in 0..<5 {
      for i in 0..<count { distinct.add(mixed(UInt64((i * 11 + round) % max(1, count)))) }
    }
    #expect(distinct.value == count)
    #expect(distinct.isExact)
  }

  @Test("more values are estimated, in parts as in one", arguments: [10_000, 300_000])
  func estimate(count: Int) {
    var (all, first, second) = (DistinctCount(), DistinctCount(), DistinctCount())
    for i in 0..<count {
      let hash = mixed(UInt64(i))
      all.add(hash)
      if i % 3 == 0 { first.add(hash) } else { second.add(hash) }
    }
    first.add(second)
    #expect(!all.isExact)
    #expect(first.value == all.value)
    // Five standard errors.
    #expect(abs(Double(all.value) / Double(count) - 1) < 0.08)
  }
}

@Suite("Largest entries")
struct LargestTests {
  private func entry(_ size: Int, key: Int64) -> Largest.Entry {
    Largest.Entry(
      classPosition: 0, property: nil, primaryKey: .null, key: ObjectKey(key), size: size)
  }

  @Test("the same entries stay in whatever order they come")
  func order() {
    let all = [entry(5, key: 1), entry(9, key: 2), entry(5, key: 0), entry(7, key: 3)]
    for entries in [all, all.reversed(), Array(all[2...]) + Array(all[..<2])] {
      var largest = Largest(count: 3)
      for entry in entries { largest.add(entry) }
      #expect(largest.entries.map(\.key.raw) == [2, 3, 0])
    }
  }

  @Test("nothing is kept of size 0, or if nothing is wanted")
  func none() {
    var largest = Largest(count: 0)
    largest.add(entry(5, key: 1))
    #expect(largest.entries.isEmpty)
    var one = Largest(count: 1)
    one.add(entry(0, key: 1))
    #expect(one.entries.isEmpty)
  }
}
