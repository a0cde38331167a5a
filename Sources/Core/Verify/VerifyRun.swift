import RealmModel
import RealmStorage
import Synchronization

/// Runs all checks on a number of threads. The findings do not depend on that number.
struct VerifyRun: Sendable {
  let checks: [any VerifyCheck]
  let realm: Realm
  let limit: Int

  /// A piece of the check in a position among all.
  private struct Piece {
    let check: Int
    let work: VerifyPiece
  }

  /// What a worker made of a piece, and the bytes of the nodes that it opened.
  private struct Done {
    let outcome: VerifyPiece.Outcome
    let openedByteCount: Int
  }

  /// What the pieces found so far, in their order.
  private final class Result {
    var findings: Findings
    /// Why checks were stopped. Not among the others, of which only the first ones are kept.
    var stops: Findings
    var done = 0
    /// Bytes of the nodes that the pieces of each check opened so far.
    var openedByteCounts: [Int]

    init(limit: Int, checkCount: Int) {
      (findings, stops) = (Findings(limit: limit), Findings(limit: limit))
      openedByteCounts = Array(repeating: 0, count: checkCount)
    }
  }

  /// - Throws: an error that says nothing about the file: the first one in the order of the pieces.
  func run(
    jobs: Int, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Findings {
    var pieces: [Piece] = []
    for (i, check) in checks.enumerated() {
      for piece in try check.pieces() { pieces.append(Piece(check: i, work: piece)) }
    }
    let all = pieces
    let result = Result(limit: limit, checkCount: checks.count)
    // Checks whose pieces opened more bytes than the file has. Read by workers to spare them work that
    // would not count.
    let stopped = Mutex<Set<Int>>([])
    let parts = OrderedParts<Done?, RealmFileError>(count: all.count, jobs: jobs) { part, done in
      accept(done, of: all[part], stopped, result)
      result.done += 1
      progress(result.done, all.count)
    }
    try parts.run {
      () throws(RealmFileError) in
      try VerifyWorker(realm)
    } _: { (worker, part) throws(RealmFileError) in
      let isStopped = stopped.withLock { $0.contains(all[part].check) }
      return isStopped ? nil : try run(all[part].work, worker)
    }
    // What a check finishes with can need what those before it read.
    let complete = stopped.withLock { $0.min() } ?? checks.count
    for check in checks[..<complete] { result.findings.add(contentsOf: try check.finish()) }
    var findings = result.stops
    findings.add(contentsOf: result.findings)
    findings.finish()
    return findings
  }

  /// Takes what came of a piece whose turn it is.
  private func accept(
    _ done: Done?, of piece: Piece, _ stopped: borrowing Mutex<Set<Int>>, _ result: Result
  ) {
    // A piece of a check that is stopped does not count, whether or not a worker did it before that.
    guard let done, !stopped.withLock({ $0.contains(piece.check) }) else { return }
    result.findings.add(contentsOf: done.outcome.findings)
    done.outcome.keep()
    result.openedByteCounts[piece.check] += done.openedByteCount
    let (opened, size) = (
      result.openedByteCounts[piece.check], realm.snapshot.top.logicalSize
    )
    guard opened > size else { return }
    _ = stopped.withLock { $0.insert(piece.check) }
    result.stops.add(
      Finding(
        .storageNodeOverlap, at: piece.work.ref, className: piece.work.className,
        "what was read up to here lies in \(opened) bytes of nodes, but the file has \(size); "
          + "what follows was not checked"))
  }

  /// Each piece is a traversal of its own, independent of earlier work of its thread.
  private func run(
    _ piece: VerifyPiece, _ worker: VerifyWorker
  ) throws(RealmFileError) -> Done {
    let nodes = worker.nodes
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    return try nodes.traversing { () throws(RealmFileError) in
      let outcome = try piece.run(worker)
      return Done(outcome: outcome, openedByteCount: nodes.openedByteCount)
    }
  }
}
