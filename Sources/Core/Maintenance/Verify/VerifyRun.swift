import RealmModel
import RealmStorage

/// Runs all checks on a number of threads. The findings do not depend on that number.
struct VerifyRun: Sendable {
  let checks: [any VerifyCheck]
  let realm: Realm
  let limit: Int

  /// The findings of the pieces so far, in order.
  private final class Result {
    var findings: Findings
    var done = 0

    init(limit: Int) { findings = Findings(limit: limit) }
  }

  /// - Throws: an error that says nothing about the file: the first one in the order of the pieces.
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

  /// Each piece is a traversal of its own, independent of earlier work of its thread.
  private func run(
    _ piece: VerifyPiece, _ worker: VerifyWorker
  ) throws(RealmFileError) -> Findings {
    let mark = worker.nodes.mark()
    defer { worker.nodes.release(to: mark) }
    return try worker.nodes.traversing { () throws(RealmFileError) in try piece.run(worker) }
  }
}
