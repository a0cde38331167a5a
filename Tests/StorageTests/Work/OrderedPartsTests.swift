import Dispatch
import Foundation
import Synchronization
import Testing

@testable import RealmStorage

@Suite("Ordered parts")
struct OrderedPartsTests {
  private struct Failure: Error, Equatable { let part: Int }

  /// Runs `count` parts; `work` returns the result of each.
  private func run(
    count: Int, jobs: Int, waitingLimit: Int = .max,
    accept: @escaping @Sendable (Int, Int) throws(Failure) -> Void,
    work: @escaping @Sendable (Int) throws(Failure) -> Int
  ) throws(Failure) {
    let parts = OrderedParts<Int, Failure>(
      count: count, jobs: jobs, waitingLimit: waitingLimit, weight: { _ in 1 }, accept: accept)
    try parts.run {
      while let turn = parts.take() {
        do throws(Failure) {
          parts.finish(turn, try work(turn.part))
        } catch {
          parts.fail(turn, error)
        }
      }
    }
  }

  @Test("results are handed over in the order of the parts", arguments: [1, 2, 8])
  func order(jobs: Int) throws {
    let results = Mutex<[Int]>([])
    try run(
      count: 5000, jobs: jobs, accept: { _, result in results.withLock { $0.append(result) } },
      work: { part in
        var random = UInt64(part) &* 0x9E37_79B9_7F4A_7C15
        for _ in 0..<Int(random >> 56) { random = random &* 3 &+ 1 }
        return part + Int(random & 1) * 0
      })
    #expect(results.withLock { $0 } == Array(0..<5000))
  }

  @Test("the failure of the lowest failed part counts", arguments: [1, 2, 8])
  func failure(jobs: Int) {
    for _ in 0..<200 {
      let accepted = Mutex(0)
      #expect(throws: Failure(part: 17)) {
        try run(
          count: 100, jobs: jobs, accept: { _, _ in accepted.withLock { $0 += 1 } },
          work: { (part) throws(Failure) in
            if part >= 17 { throw Failure(part: part) }
            return part
          })
      }
      #expect(accepted.withLock { $0 } == 17)
    }
  }

  @Test("a failure of the receiver ends the work", arguments: [1, 4])
  func accepting(jobs: Int) {
    #expect(throws: Failure(part: 5)) {
      try run(
        count: 1000, jobs: jobs, waitingLimit: 3,
        accept: { (part, _) throws(Failure) in if part == 5 { throw Failure(part: part) } },
        work: { $0 })
    }
  }

  @Test("finished parts do not pile up beyond the limit while the first one is held up")
  func bounded() throws {
    let limit = 10
    let accepted = Mutex<[Int]>([])
    let parts = OrderedParts<Int, Never>(
      count: limit + 2, jobs: 1, waitingLimit: limit, weight: { _ in 1 },
      accept: { part, _ in accepted.withLock { $0.append(part) } })
    let turns = (0..<(limit + 2)).compactMap { _ in parts.take() }
    for turn in turns[1...limit] { parts.finish(turn, turn.part) }
    let isDone = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    Thread {
      parts.finish(turns[limit + 1], limit + 1)
      isDone.withLock { $0 = true }
      ended.signal()
    }.start()
    Thread.sleep(forTimeInterval: 0.2)
    #expect(!isDone.withLock { $0 })
    #expect(accepted.withLock { $0 }.isEmpty)
    parts.finish(turns[0], 0)
    ended.wait()
    #expect(accepted.withLock { $0 } == Array(0..<(limit + 2)))
  }

  @Test("the current part hands over pieces before it ends, and later parts wait")
  func pieces() throws {
    let results = Mutex<[Int]>([])
    let parts = OrderedParts<[Int], Never>(
      count: 50, jobs: 4, accept: { _, some in results.withLock { $0 += some } })
    parts.run {
      while let turn = parts.take() {
        #expect(turn.wait())
        #expect(turn.isNow)
        turn.handOver([turn.part * 2])
        parts.finish(turn, [turn.part * 2 + 1])
      }
    }
    #expect(results.withLock { $0 } == Array(0..<100))
  }

  @Test(
    "only a single part of shallow work runs on the thread of the caller",
    arguments: [(1, true), (1, false), (2, true)])
  func caller(count: Int, isShallow: Bool) {
    let caller = ObjectIdentifier(Thread.current)
    let isOnCaller = Mutex(false)
    let parts = OrderedParts<Void, Never>(count: count, jobs: 1, isShallow: isShallow) { _, _ in }
    parts.run {
      isOnCaller.withLock { $0 = ObjectIdentifier(Thread.current) == caller }
      while let turn = parts.take() { parts.finish(turn, ()) }
    }
    #expect(isOnCaller.withLock { $0 } == (count == 1 && isShallow))
  }
}
