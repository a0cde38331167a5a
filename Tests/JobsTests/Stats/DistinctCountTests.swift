import RealmStorage
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmModel

@Suite("Numbers of distinct values")
struct DistinctCountTests {
  @Test(
    "up to 4,095 values are counted exactly, however often they occur", arguments: [0, 1, 4095])
  func exact(count: Int) {
    var distinct = DistinctCount()
    for round in 0..<5 {
      for i in 0..<count { distinct.add(mixed(UInt64((i * 11 + round) % max(1, count)))) }
    }
    #expect(distinct.value == count)
    #expect(distinct.isExact)
  }

  @Test("more values are estimated, with the same result in parts", arguments: [10_000, 300_000])
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

/// Values that were chosen for their hashes.
@Suite("Numbers of distinct values that were chosen")
struct ChosenValueTests {
  /// The number with this result of ``mixed(_:)``.
  private func unmixed(_ hash: UInt64) -> UInt64 {
    func unshifted(_ value: UInt64, by count: UInt64) -> UInt64 {
      var result = value
      for _ in 0...(64 / count) { result = value ^ result >> count }
      return result
    }
    // Multiplicative inverses modulo 2⁶⁴, by Newton's method.
    func inverse(_ factor: UInt64) -> UInt64 {
      (0..<6).reduce(factor) { x, _ in x &* (2 &- factor &* x) }
    }
    var z = unshifted(hash, by: 31) &* inverse(0x94D0_49BB_1331_11EB)
    z = unshifted(z, by: 27) &* inverse(0xBF58_476D_1CE4_E5B9)
    return unshifted(z, by: 30)
  }

  @Test("values with small hashes are counted like others")
  func smallHashes() {
    var distinct = DistinctCount()
    for hash: UInt64 in 0..<5000 {
      #expect(mixed(unmixed(hash)) == hash)
      distinct.add(unmixed(hash))
    }
    #expect(abs(Double(distinct.value) / 5000 - 1) < 0.08)
  }

  @Test("an estimate above the largest integer does not trap")
  func estimate() {
    var distinct = DistinctCount(secret: 0)
    for hash: UInt64 in 0..<5000 { distinct.add(unmixed(hash)) }
    #expect(distinct.value == .max)
    #expect(!distinct.isExact)
  }

  @Test("a waiting report weighs as much as its hashes")
  func weight() {
    var output = ValueCensus.Report(largest: 0)
    var count = ValueCensus.PropertyCount()
    count.distinct = DistinctCount()
    for value: UInt64 in 0..<4000 { count.distinct?.add(value) }
    output.properties[0] = [count]
    #expect(ValueCensusEncoder.weight(of: output) >= 8 * 4000)
  }
}

@Suite("Largest entries")
struct LargestTests {
  private func entry(_ size: Int, key: Int64) -> Largest.Entry {
    Largest.Entry(
      classPosition: 0, property: nil, primaryKey: .null, key: ObjectKey(key), size: size)
  }

  @Test("the same entries stay in any order")
  func order() {
    let all = [entry(5, key: 1), entry(9, key: 2), entry(5, key: 0), entry(7, key: 3)]
    for entries in [all, all.reversed(), Array(all[2...]) + Array(all[..<2])] {
      var largest = Largest(count: 3)
      for entry in entries { largest.add(entry) }
      #expect(largest.entries.map(\.key.raw) == [2, 3, 0])
    }
  }

  @Test("many entries of equal size are not compared with each other")
  func equalSizes() {
    var largest = Largest(count: 10_000)
    for key in 0..<300_000 { largest.add(entry(8, key: Int64(key))) }
    #expect(largest.entries.map(\.key.raw) == Array(0..<10_000))
    for key in 0..<300_000 { largest.add(entry(9 + key, key: Int64(key))) }
    #expect(largest.entries.map(\.key.raw) == (290_000..<300_000).reversed())
  }

  @Test("entries of size 0 are not kept, and none if none are wanted")
  func none() {
    var largest = Largest(count: 0)
    largest.add(entry(5, key: 1))
    #expect(largest.entries.isEmpty)
    var one = Largest(count: 1)
    one.add(entry(0, key: 1))
    #expect(one.entries.isEmpty)
  }
}
