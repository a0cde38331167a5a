import CSystem
import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Memory for decrypted pages")
struct PageMemoryTests {
  private static let run = PageMemory.runByteCount

  @Test(
    "a run that was given back is moved completely, and leaves zeros", .enabled(if: isLinux))
  func moves() throws {
    let memory = try PageMemory(count: 3 * PageMemoryTests.run)
    unsafe memset(memory.base, 7, PageMemoryTests.run)
    memory.discard(0..<PageMemoryTests.run)
    try memory.prepare(run: 2) { _ in false }
    #expect(unsafe bytes(memory, 2) == [7, 7])
    #expect(unsafe bytes(memory, 0) == [0, 0])
  }

  @Test("needed pages are neither moved nor overwritten, and a part of a run can be given back")
  func keeps() throws {
    let memory = try PageMemory(count: 3 * PageMemoryTests.run)
    for run in 0..<3 {
      unsafe memset(memory.base + run * PageMemoryTests.run, Int32(run + 1), PageMemoryTests.run)
    }
    memory.discard(0..<PageMemoryTests.run)
    try memory.prepare(run: 2) { $0 == 2 }
    #expect(unsafe bytes(memory, 2) == [3, 3])
    try memory.prepare(run: 1) { $0 == 0 }
    #expect(unsafe bytes(memory, 0) == [1, 1])
    memory.discard(PageMemoryTests.run..<(PageMemoryTests.run + 65_536))
    #expect(unsafe bytes(memory, 1)[1] == 2)
  }

  @Test("memory that cannot be moved leaves a usable target")
  func cannotMove() throws {
    let memory = try PageMemory(count: 2 * PageMemoryTests.run)
    let target = unsafe memory.base + PageMemoryTests.run
    // No multiple of a page.
    #expect(unsafe csystem_move_memory(memory.base + 8, target, PageMemoryTests.run) == 0)
    unsafe memset(target, 5, PageMemoryTests.run)
    #expect(unsafe bytes(memory, 1) == [5, 5])
  }

  /// The first and the last byte of run `number`.
  @unsafe
  private func bytes(_ memory: PageMemory, _ number: Int) -> [UInt8] {
    let start = unsafe memory.base + number * PageMemoryTests.run
    return unsafe [
      start.load(as: UInt8.self),
      start.load(fromByteOffset: PageMemoryTests.run - 1, as: UInt8.self),
    ]
  }
}
