import Testing

@testable import RealmStorage

#if os(Linux)
  import Foundation

  @Suite("Memory budget")
  struct MemoryBudgetTests {
    @Test("the usual limit is an eighth of the memory that the system tells, and at least 64 MB")
    func usualLimit() throws {
      let text = try String(contentsOfFile: "/proc/meminfo", encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") })
      let kilobytes = try #require(Int(line.filter(\.isNumber)))
      #expect(Resources.memoryByteCount > 0)
      // A control group may allow less.
      #expect(Resources.memoryByteCount <= 1024 * kilobytes)
      #expect(MemoryBudget.usualLimit >= 64 << 20)
      #expect(MemoryBudget.usualLimit <= max(64 << 20, 128 * kilobytes))
    }
  }
#endif
