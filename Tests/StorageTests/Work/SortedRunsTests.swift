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

  /// Records with many equal numbers, the last of which tells in which order they came.
  private func records(_ count: Int, width: Int, seed: UInt64) -> [[UInt64]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { i in
      var record = [random.next() % 50 << 40 | random.next() % 3]
      while record.count < width - 1 { record.append(random.next() % 4) }
      return record + [UInt64(i)]
    }
  }

  @Test(
    "records come in order, equal ones as they were appended, in memory and from a file",
    arguments: [(2, 1, 1 << 30), (2, 2, 1 << 30), (3, 2, 1 << 30), (2, 1, 1), (3, 2, 1), (3, 1, 1)])
  func order(width: Int, keyCount: Int, limit: Int) throws {
    let budget = MemoryBudget(limit: limit)
    let runs = SortedRuns(width: width, keyCount: keyCount, budget: budget)
    let records = records(30_000, width: width, seed: 11)
    for start in stride(from: 0, to: records.count, by: 700) {
      try runs.append(records[start..<min(start + 700, records.count)].flatMap(\.self))
    }
    #expect(runs.count == records.count)
    // Swift's sort is stable.
    let expected = records.sorted { $0[..<keyCount].lexicographicallyPrecedes($1[..<keyCount]) }
    #expect(try all(runs) == expected.flatMap(\.self))
  }

  @Test("records with one first number are compared by the caller", arguments: [1 << 30, 1])
  func ties(limit: Int) throws {
    // The second number tells only some of them apart.
    let ties = SortedRuns.Ties(number: { ~$0.second >> 62 }, precedes: { $0.second > $1.second })
    let runs = SortedRuns(width: 3, keyCount: 1, budget: MemoryBudget(limit: limit), ties: ties)
    let records = records(20_000, width: 3, seed: 12)
    for record in records { try runs.append(record) }
    let expected = records.sorted { ($0[0], $1[1]) < ($1[0], $0[1]) }
    #expect(try all(runs) == expected.flatMap(\.self))
  }

  @Test("what goes to a file is no longer counted as memory")
  func budget() throws {
    let budget = MemoryBudget(limit: 1 << 20)
    let runs = SortedRuns(width: 2, keyCount: 1, budget: budget)
    for i in 0..<200 {
      try runs.append((0..<2000).map { UInt64(i * 2000 + $0) })
      #expect(budget.byteCount <= (1 << 20) + 16_000)
    }
    let other = SortedRuns(width: 2, keyCount: 1, budget: budget)
    try other.append([2, 3, 1, 4])
    #expect(try all(other) == [1, 4, 2, 3])
    let sorted = try all(runs)
    #expect(sorted.count == 400_000)
    #expect(sorted == (0..<400_000).map { UInt64($0) })
  }

  @Test("no records are no records")
  func empty() throws {
    #expect(try all(SortedRuns(width: 2, keyCount: 1, budget: MemoryBudget(limit: 1))) == [])
  }
}
