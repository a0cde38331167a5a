import TestSupport
import Testing

@testable import RealmStorage

@Suite("Byte log")
struct ByteLogTests {
  @Test(
    "entries are read where they were appended, in memory and from a file", arguments: [1 << 30, 1])
  func entries(limit: Int) throws {
    let budget = MemoryBudget(limit: limit)
    let log = ByteLog(budget: budget)
    var random = SplitMix64(seed: 5)
    var all: [(position: Int, bytes: [UInt8])] = []
    for i in 0..<300 {
      let count = Int(random.next() % 3000) + (i == 150 ? 400_000 : 0)
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* i) }
      let store = ByteStore()
      store.append(bytes)
      all.append((log.byteCount, bytes))
      try log.append(store)
      #expect(budget.byteCount <= max(limit, 500_000))
    }
    for entry in all + all.reversed() {
      #expect(try log.slice(at: entry.position, count: entry.bytes.count).bytes == entry.bytes)
    }
  }
}
