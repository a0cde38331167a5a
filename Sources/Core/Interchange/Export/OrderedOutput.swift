import Dispatch
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lets workers make the pieces of a text side by side and hand them over in order.
///
/// Pieces are taken in ascending order, so the lowest piece that is not finished always belongs to a
/// worker that is not waiting: nobody waits for ever.
@safe
final class OrderedOutput: @unchecked Sendable {
  /// Bytes that a piece may pile up while it waits for its turn.
  private static let waitingLimit = 8 << 20
  /// Bytes worth handing over when it is the piece's turn.
  private static let flushSize = 256 << 10

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let turned = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let pieceCount: Int
  private let sink: any OutputSink & Sendable
  /// The piece that no worker has taken yet.
  private var untaken = 0
  /// The piece whose turn it is.
  private var turn = 0
  private var failure: RealmFileError?

  /// - Parameter sink: takes the text in order, from changing threads, one at a time.
  init(pieceCount: Int, sink: any OutputSink & Sendable) {
    self.pieceCount = pieceCount
    self.sink = sink
    unsafe pthread_mutex_init(lock, nil)
    unsafe pthread_cond_init(turned, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe pthread_cond_destroy(turned)
    unsafe lock.deallocate()
    unsafe turned.deallocate()
  }

  private func locked<R>(_ body: () throws(RealmFileError) -> R) throws(RealmFileError) -> R {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body()
  }

  /// The next piece to work on, or nil where none is left or a worker failed.
  func take() -> Int? {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    guard failure == nil, untaken < pieceCount else { return nil }
    defer { untaken += 1 }
    return untaken
  }

  /// Hands over what is in `text` of `piece`, if that is worth it.
  ///
  /// - Parameter isLast: the piece is done, and the next one has its turn.
  /// - Throws: what another worker failed with, or what the sink throws.
  func drain(
    _ text: inout TextBuffer, of piece: Int, isLast: Bool = false
  ) throws(RealmFileError) {
    if !isLast {
      guard text.count >= OrderedOutput.flushSize else { return }
      if text.count < OrderedOutput.waitingLimit, !(try isTurn(of: piece)) { return }
    }
    try waitForTurn(of: piece)
    try text.flush(to: sink)
    text.removeAll()
    if isLast {
      try locked { turn += 1 }
      unsafe pthread_cond_broadcast(turned)
    }
  }

  private func isTurn(of piece: Int) throws(RealmFileError) -> Bool {
    try locked { () throws(RealmFileError) in
      if let failure { throw failure }
      return turn == piece
    }
  }

  private func waitForTurn(of piece: Int) throws(RealmFileError) {
    try locked { () throws(RealmFileError) in
      while turn != piece, failure == nil { unsafe pthread_cond_wait(turned, lock) }
      if let failure { throw failure }
    }
  }

  /// Ends the work of all: the first failure is the one that is told.
  func fail(_ error: RealmFileError) {
    unsafe pthread_mutex_lock(lock)
    if failure == nil { failure = error }
    unsafe pthread_mutex_unlock(lock)
    unsafe pthread_cond_broadcast(turned)
  }

  /// Runs `worker` on `jobs` threads until no piece is left.
  ///
  /// - Throws: the first failure of a worker.
  func run(
    jobs: Int, worker: @Sendable () throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, pieceCount))) { _ in
      do throws(RealmFileError) {
        try worker()
      } catch {
        fail(error)
      }
    }
    if let failure { throw failure }
  }
}
