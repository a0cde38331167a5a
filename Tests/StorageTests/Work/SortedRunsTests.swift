import TestSupport
import Testing

@testable import RealmStorage

@Suite("Sorted runs")
struct SortedRunsTests {
  private func all(_ runs: SortedRuns) throws -> [UInt64] {
    try runs.finish()
    var words: [UInt64] = []
    while case let some = try runs.next(), !some.isEmpty { words += some }
    return words
  }

  /// Records with many equal numbers, and numbers that differ in high and in low bytes.
  private func records(_ count: Int, width: Int, seed: UInt64) -> [[UInt64]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      var record = [random.next() % 50 << 40 | random.next() % 3]
      while record.count < width - 1 { record.append((random.next() % 4) << 62) }
      return record + [random.next() >> (random.next() % 64)]
    }
  }

  @Test(
    "records come in the order of all their numbers, in memory and from a file",
    arguments: [(2, 1 << 30), (3, 1 << 30), (2, 1), (3, 1)])
  func order(width: Int, limit: Int) throws {
    let budget = MemoryBudget(limit: limit)
    let runs = SortedRuns(width: width, budget: budget)
    let records = records(30_000, width: width, seed: 11)
    for start in stride(from: 0, to: records.count, by: 700) {
      try runs.append(records[start..<min(start + 700, records.count)].flatMap(\.self))
    }
    #expect(runs.count == records.count)
    let expected = records.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try all(runs) == expected.flatMap(\.self))
  }

  @Test("records are appended with an offset to their second numbers")
  func offset() {
    let added = RecordBuffer(width: 3)
    added.append(7, 1 << 24, 3)
    let buffer = RecordBuffer(width: 3)
    buffer.append([1, 2, 3])
    buffer.append(added, addingToSecond: 5 << 24)
    #expect(buffer.words(0..<6) == [1, 2, 3, 7, 6 << 24, 3])
  }

  @Test("records in a file do not count as memory")
  func budget() throws {
    let budget = MemoryBudget(limit: 1 << 20)
    let runs = SortedRuns(width: 2, budget: budget)
    for i in 0..<200 {
      try runs.append((0..<2000).map { UInt64(i * 2000 + $0) })
      #expect(budget.byteCount <= (1 << 20) + 16_000)
    }
    let other = SortedRuns(width: 2, budget: budget)
    try other.append([2, 3, 1, 4])
    #expect(try all(other) == [1, 4, 2, 3])
    let sorted = try all(runs)
    #expect(sorted.count == 400_000)
    #expect(sorted == (0..<400_000).map { UInt64($0) })
  }

  @Test("any number of stores stays within the budget")
  func manyStores() throws {
    let budget = MemoryBudget(limit: 8 << 20)
    let all = (0..<20).map { _ in SortedRuns(width: 2, budget: budget) }
    for _ in 0..<60 {
      for runs in all {
        try runs.append(Array(repeating: 7, count: 2000))
        #expect(budget.byteCount <= budget.limit)
      }
    }
    withExtendedLifetime(all) {}
  }

  @Test("no records have no result")
  func empty() throws {
    #expect(try all(SortedRuns(width: 2, budget: MemoryBudget(limit: 1))) == [])
  }

  @Test("records are sorted by the requested numbers, and others stay in place")
  func part() throws {
    let records = records(5000, width: 3, seed: 13)
    let buffer = RecordBuffer(width: 3)
    buffer.append(records.flatMap(\.self))
    buffer.sort(1000..<4000, by: 2..<3, scratchByteCount: 1 << 20)
    #expect(buffer.words(0..<3000) == records[..<1000].flatMap(\.self))
    #expect(buffer.words(12_000..<15_000) == records[4000...].flatMap(\.self))
    let thirds = (1000..<4000).map { buffer[3 * $0 + 2] }
    #expect(thirds == records[1000..<4000].map { $0[2] }.sorted())
  }

  @Test(
    "records are sorted with and without memory for as many",
    arguments: [0, 24 * 100, 24 * 3000, 24 * 20_000])
  func scratch(byteCount: Int) {
    for seed in UInt64(20)..<26 {
      let records = records(20_000, width: 3, seed: seed)
      let buffer = RecordBuffer(width: 3)
      buffer.append(records.flatMap(\.self))
      buffer.sort(0..<20_000, by: 0..<3, scratchByteCount: byteCount)
      let expected = records.sorted { ($0[0], $0[1], $0[2]) < ($1[0], $1[1], $1[2]) }
      #expect(buffer.words(0..<60_000) == expected.flatMap(\.self), "seed \(seed)")
    }
  }

  @Test("records that compare as equal keep their order")
  func stable() {
    let buffer = RecordBuffer(width: 3)
    for i in UInt64(0)..<30_000 { buffer.append(i &* 7919 % 300, 0, i) }
    buffer.sort(0..<30_000, by: 0..<1, scratchByteCount: 1 << 20)
    for i in 1..<30_000 where buffer[3 * i] == buffer[3 * i - 3] {
      #expect(buffer[3 * i - 1] < buffer[3 * i + 2])
    }
  }

  @Test("groups have the records with the same first number")
  func groups() {
    let buffer = RecordBuffer(width: 2)
    buffer.append([1, 0, 1, 1, 2, 2, 3, 3, 3, 4, 3, 5, 4, 6].map { UInt64($0) })
    var groups: [Range<Int>] = []
    buffer.forEachGroup(of: 0..<7) { groups.append($0) }
    #expect(groups == [0..<2, 3..<6])
    groups = []
    buffer.forEachGroup(of: 1..<5) { groups.append($0) }
    #expect(groups == [3..<5])
  }

  @Test("a heap of runs has the smallest first, whatever is added and removed")
  func heap() {
    var random = SplitMix64(seed: 14)
    let numbers = (0..<200).map { _ in random.next() % 100 }
    func precedes(_ a: Int, _ b: Int) -> Bool { (numbers[a], a) < (numbers[b], b) }
    var heap = RunHeap([], precedes)
    var inside: Set<Int> = []
    for run in numbers.indices {
      heap.insert(run, precedes)
      inside.insert(run)
      guard run % 3 == 2 else { continue }
      let least = inside.min(by: precedes)
      #expect(heap.removeFirst(precedes) == least)
      inside.remove(least ?? -1)
    }
    let rest = inside.sorted(by: precedes)
    #expect(rest.map { _ in heap.removeFirst(precedes) } == rest)
    #expect(heap.removeFirst(precedes) == nil)
  }
}
