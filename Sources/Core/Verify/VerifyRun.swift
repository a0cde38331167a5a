import RealmModel
import RealmStorage
import Synchronization

/// Runs all passes on a number of threads. The findings do not depend on that number.
struct VerifyRun: Sendable {
  let passes: [any VerifyPass]
  let realm: Realm
  let limit: Int

  /// A piece, and the position of its pass.
  private struct Piece {
    let pass: Int
    let work: VerifyPiece
  }

  /// The result of a piece, and the bytes of the nodes that it opened.
  private struct Done {
    let outcome: VerifyPiece.Outcome
    let openedByteCount: Int
  }

  /// The results of the pieces so far, in their order.
  private final class Result {
    var findings: Findings
    /// Why passes were stopped. Kept apart from `findings`, which keeps only the first ones.
    var stops: Findings
    var done = 0
    /// Bytes of the nodes that the pieces of each pass opened so far.
    var openedByteCounts: [Int]

    init(limit: Int, passCount: Int) {
      (findings, stops) = (Findings(limit: limit), Findings(limit: limit))
      openedByteCounts = Array(repeating: 0, count: passCount)
    }
  }

  /// - Throws: the first error in the order of the pieces that is not about damage.
  func run(
    jobs: Int, progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Findings {
    var pieces: [Piece] = []
    for (i, pass) in passes.enumerated() {
      for piece in try pass.pieces() { pieces.append(Piece(pass: i, work: piece)) }
    }
    let all = pieces
    let result = Result(limit: limit, passCount: passes.count)
    // Passes whose pieces opened more bytes than the file has. Workers skip the rest of their pieces.
    let stopped = Mutex<Set<Int>>([])
    let parts = OrderedParts<Done?, RealmFileError>(count: all.count, jobs: jobs) { part, done in
      accept(done, of: all[part], stopped, result)
      result.done += 1
      progress(result.done, all.count)
    }
    try parts.run { () throws(RealmFileError) in
      try VerifyWorker(realm)
    } _: { (worker, part) throws(RealmFileError) in
      let isStopped = stopped.withLock { $0.contains(all[part].pass) }
      return isStopped ? nil : try run(all[part].work, worker)
    }
    // The end of a pass may use the results of earlier passes, so none after a stopped pass can finish.
    let complete = stopped.withLock { $0.min() } ?? passes.count
    for pass in passes[..<complete] { result.findings.add(contentsOf: try pass.finish()) }
    var findings = result.stops
    findings.add(contentsOf: result.findings)
    findings.finish()
    return findings
  }

  /// Takes the result of a piece, in the order of the pieces.
  private func accept(
    _ done: Done?, of piece: Piece, _ stopped: borrowing Mutex<Set<Int>>, _ result: Result
  ) {
    // A piece of a stopped pass does not count, even if a worker had already run it.
    guard let done, !stopped.withLock({ $0.contains(piece.pass) }) else { return }
    result.findings.add(contentsOf: done.outcome.findings)
    done.outcome.keep()
    result.openedByteCounts[piece.pass] += done.openedByteCount
    let (opened, size) = (result.openedByteCounts[piece.pass], realm.snapshot.top.logicalSize)
    guard opened > size else { return }
    _ = stopped.withLock { $0.insert(piece.pass) }
    result.stops.add(
      Finding(
        .storageNodeOverlap, at: piece.work.ref, className: piece.work.className,
        "the nodes read so far have \(opened) bytes, but the file has \(size); "
          + "the rest was not checked"))
  }

  /// Runs a piece as a traversal of its own, independent of earlier work of its thread.
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
