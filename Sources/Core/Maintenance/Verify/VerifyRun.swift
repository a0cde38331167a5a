import RealmModel
import RealmStorage

/// Does the work of all checks with some threads. The findings are the same whatever their number.
struct VerifyRun: Sendable {
  let checks: [any VerifyCheck]
  let realm: Realm
  let limit: Int

  /// What the pieces found so far, in their order.
  private final class Result {
    var findings: Findings
    var done = 0

    init(limit: Int) { findings = Findings(limit: limit) }
  }

  /// - Throws: an error that says nothing about the file: the one of the first piece that has such.
  func run(
    jobs: Int, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Findings {
    var pieces: [VerifyPiece] = []
    for check in checks { pieces += try check.pieces() }
    let all = pieces
    let result = Result(limit: limit)
    let parts = OrderedParts<Findings, RealmFileError>(count: all.count, jobs: jobs) { _, found in
      result.findings.add(contentsOf: found)
      result.done += 1
      progress(result.done, all.count)
    }
    try parts.run {
      guard var turn = parts.take() else { return }
      do throws(RealmFileError) {
        let worker = try VerifyWorker(realm)
        while true {
          parts.finish(turn, try run(all[turn.part], worker))
          guard let next = parts.take() else { return }
          turn = next
        }
      } catch {
        parts.fail(turn, error)
      }
    }
    for check in checks { result.findings.add(contentsOf: try check.finish()) }
    result.findings.finish()
    return result.findings
  }

  /// Each piece comes to each node once: what a thread did before does not count.
  private func run(
    _ piece: VerifyPiece, _ worker: VerifyWorker
  ) throws(RealmFileError) -> Findings {
    let mark = worker.nodes.mark()
    defer { worker.nodes.release(to: mark) }
    return try worker.nodes.traversing { () throws(RealmFileError) in try piece.run(worker) }
  }
}
