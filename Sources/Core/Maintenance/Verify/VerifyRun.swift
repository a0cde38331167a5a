import Dispatch
import RealmModel
import RealmStorage
import Synchronization

/// Does the work of all checks with some threads. The findings are the same whatever their number.
struct VerifyRun: Sendable {
  private struct State {
    var findings: [Int: Findings] = [:]
    var done = 0
    var failure: RealmFileError?
  }

  let checks: [any VerifyCheck]
  let realm: Realm
  let limit: Int

  /// - Throws: the first error that says nothing about the file.
  func run(
    jobs: Int, progress: @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Findings {
    var tasks: [VerifyPiece] = []
    for check in checks { tasks += try check.pieces() }
    let state = Mutex(State())
    let next = Atomic(0)
    let all = tasks
    DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, all.count))) { _ in
      do throws(RealmFileError) {
        try work(all, next, state, progress)
      } catch {
        state.withLock { if $0.failure == nil { $0.failure = error } }
      }
    }
    let ended = state.withLock { $0 }
    if let failure = ended.failure { throw failure }
    var findings = Findings(limit: limit)
    for i in tasks.indices {
      if let some = ended.findings[i] { findings.add(contentsOf: some) }
    }
    for check in checks { findings.add(contentsOf: try check.finish()) }
    findings.finish()
    return findings
  }

  private func work(
    _ tasks: [VerifyPiece], _ next: borrowing Atomic<Int>, _ state: borrowing Mutex<State>,
    _ progress: @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) {
    let worker = try VerifyWorker(realm)
    while true {
      let i = next.add(1, ordering: .relaxed).oldValue
      guard i < tasks.count, state.withLock({ $0.failure == nil }) else { return }
      let mark = worker.nodes.mark()
      // Each piece comes to each node once: what a thread did before does not count.
      let findings = try worker.nodes.traversing { () throws(RealmFileError) in
        try tasks[i].run(worker)
      }
      worker.nodes.release(to: mark)
      let done = state.withLock { state in
        if !findings.totals.isEmpty { state.findings[i] = findings }
        state.done += 1
        return state.done
      }
      progress(done, tasks.count)
    }
  }
}
